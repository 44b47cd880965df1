package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"perfdata/bench/workload"
)

// corpusDir is the folder of files of the projects that use the formats. It is next to this
// project's folder, and not part of the project.
var corpusDir = filepath.Join("..", "..", "shared", "corpus")

// corpusContests returns a contest for each format: all of its files that every contestant accepts,
// again and again, each with a new Reader or with Reset. Most of them are small.
func corpusContests() []contest {
	corpus := func(format, yardstick string, contestants func() []contestant, patterns ...string) contest {
		in := corpusInput(contestants, patterns)
		return contest{format, "the corpus' files", yardstick, false, in, always(contestants)}
	}
	return []contest{
		corpus("skiav1", goJSON, skiaContestants, "skiav1/*/*.json"),
		corpus("nanolegacy", goJSON, nanolegacyContestants, "nanolegacy/*/*.json"),
		corpus("benchfmt", xperfReader, goBenchReaders,
			xperfFolder+"/benchfmt/testdata/bent/*", xperfFolder+"/benchproc/testdata/*",
			xperfFolder+"/cmd/benchseries/testdata/odd/Go*.20220101*"),
		corpus("keyval", keyvalYardstick, keyvalContestants, "keyval/*.keyval"),
		corpus("perun", goJSON, corpusPerunContestants, "perun/*.perf"),
	}
}

// corpusPerunContestants compares with structs that accept any fields: the files have models with
// fields of many kinds.
func corpusPerunContestants() []contestant {
	all := readers(newPerunReader, []way{{}, {pipe: true}, {ids: true}, {reset: true}})
	return append(all, jsonPeers[workload.PerunAnyFile]()...)
}

// corpusInput returns the files that match the patterns, repeated until they have a fifth of the
// size.
func corpusInput(contestants func() []contestant, patterns []string) func(int64) (*input, error) {
	return func(size int64) (*input, error) {
		once, err := corpusFiles(contestants(), patterns)
		if err != nil {
			return nil, err
		}
		if once.size == 0 {
			return nil, fmt.Errorf("the files in %s: %w", corpusDir, errAbsent)
		}

		all := &input{}
		for all.size == 0 || all.size < size/5 {
			all.files = append(all.files, once.files...)
			all.size += once.size
			all.records += once.records
		}
		return all, nil
	}
}

// corpusFiles returns the files that match the patterns and have records, and that all contestants
// accept and find the same records in.
func corpusFiles(contestants []contestant, patterns []string) (*input, error) {
	var files [][]byte
	all := 0
	for _, pattern := range patterns {
		dir := corpusDir
		if rest, ok := strings.CutPrefix(pattern, xperfFolder); ok {
			var err error
			if dir, err = moduleDir(xperfFolder); err != nil {
				return nil, err
			}
			pattern = rest
		}
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}

		for _, name := range names {
			file, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			records, err := contestants[0].run(file)
			if err != nil || records == 0 {
				continue
			}

			refused := slices.ContainsFunc(contestants, func(c contestant) bool {
				return c.missing == "" && runOnce(c, newInput([][]byte{file}, records)) != nil
			})
			if !refused {
				files = append(files, file)
				all += records
			}
		}
	}
	return newInput(files, all), nil
}

// xperfFolder, at the beginning of a pattern, is the folder of the module that defines the format
// of Go benchmarks.
const xperfFolder = "golang.org/x/perf"

// moduleDir returns the folder of a module that this one requires.
func moduleDir(module string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("folder of %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}
