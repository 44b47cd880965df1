package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gojson "github.com/goccy/go-json"

	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/runners"
	"perfdata/runners/chartjson"
	"perfdata/runners/criterion"
	"perfdata/runners/dotnetbench"
	"perfdata/runners/ghbench"
	"perfdata/runners/googlebench"
	"perfdata/runners/histogramset"
	"perfdata/runners/hyperfine"
	"perfdata/runners/jmh"
	"perfdata/runners/pytestbench"
	"perfdata/runners/vitest"
)

// runnersDir is the folder of files that runners of benchmarks wrote. It is next to this project's
// folder, and not part of the project.
var runnersDir = filepath.Join("..", "..", "shared", "runners")

// realFiles is the contest of the runners' formats: half as much as other contests read.
const realFiles = "results of real files, repeated"

// runnerContests returns a contest for each format of a runner.
func runnerContests() []contest {
	return []contest{
		runner[workload.GoogleBenchFile]("googlebench", "googlebenchmark/*.json", "benchmarks", googlebench.NewReader),
		runner[workload.HyperfineFile]("hyperfine", "hyperfine/*.json", "results", hyperfine.NewReader),
		runner[workload.JMHFile]("jmh", "jmh/*.json", "", jmh.NewReader),
		runner[workload.GHBenchFile]("ghbench", "github-action-benchmark/*.data.js", "entries", ghbench.NewReader),
		runner[workload.PytestBenchFile]("pytestbench", "pytest-benchmark/0*.json", "benchmarks", pytestbench.NewReader),
		runner[workload.VitestFile]("vitest", "vitest/0*.json", "files", vitest.NewReader),
		runner[workload.DotNetBenchFile]("dotnetbench", "benchmarkdotnet/*.json", "Benchmarks", dotnetbench.NewReader),
		runner[workload.ChartJSONFile]("chartjson", "results-chart/*.json", "charts", chartjson.NewReader),
		runner[workload.HistogramSetFile]("histogramset", "histogramset/*.json", "", histogramset.NewReader),
		criterionFolder(),
	}
}

// smallFolder is the contest of criterion: small files in folders, a tenth of what other contests read.
const smallFolder = "a folder of small real files, repeated"

// criterionFolder returns the contest of the folders that Criterion.rs writes. The other contestants read
// only the two files that have a benchmark's name and its samples.
func criterionFolder() contest {
	repeated := func(tb testing.TB, size float64) *input {
		in := new(input)
		for rounds := 0; float64(in.size) < size/10; rounds++ {
			for name, text := range matching(tb, filepath.Join(runnersDir, "criterion", "*", "*__new__*.json")) {
				name = strings.ReplaceAll(filepath.Base(name), "__", string(filepath.Separator))
				in.names = append(in.names, fmt.Sprintf("%d-%s", rounds, name))
				in.files, in.size = append(in.files, text), in.size+int64(len(text))
			}
			if in.size == 0 {
				tb.Skip("no files of criterion in ", runnersDir)
			}
		}
		return in
	}
	return contest{"criterion", smallFolder, goJSON, false, repeated, criterionReaders}
}

// criterionReaders returns the contestants that read a folder.
func criterionReaders(tb testing.TB, in *input) []contestant {
	dir := tb.TempDir()
	for i, file := range in.files {
		name := filepath.Join(dir, in.names[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, file, 0o666)); err != nil {
			tb.Fatal(err)
		}
	}

	fsys := os.DirFS(dir)
	read := func([][]byte) (int, error) { return countSound(criterion.NewFolderReader(fsys, ".")) }
	var err error
	if in.records, err = read(nil); err != nil {
		tb.Fatal(err)
	}
	unmarshal := func(read func([]byte, any) error) func([][]byte) (int, error) {
		return func([][]byte) (int, error) { return 0, unmarshalFolders(fsys, read) }
	}
	return []contestant{
		{name: readDefault, runAll: read},
		{name: goJSON, runAll: unmarshal(gojson.Unmarshal)},
		{name: "encoding.json Unmarshal", runAll: unmarshal(json.Unmarshal)},
	}
}

// unmarshalFolders reads what fits a CriterionFile of all folders.
func unmarshalFolders(fsys fs.FS, read func([]byte, any) error) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if base := path.Base(name); err != nil || base != "benchmark.json" && base != "sample.json" {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return read(text, new(workload.CriterionFile))
	})
}

// runner returns the contest of a format whose documents fit T.
func runner[T any](
	name, pattern, section string, newReader func(io.Reader) *runners.Reader,
) contest {
	input := func(tb testing.TB, size float64) *input {
		doc := repeatedFiles(tb, filepath.Join(runnersDir, pattern), section, int(size/2))
		records, err := countSound(newReader(bytes.NewReader(doc)))
		if err != nil {
			tb.Fatal(err)
		}
		return newInput([][]byte{doc}, records)
	}
	contestants := []contestant{
		{name: readDefault, run: func(file []byte) (int, error) { return countSound(newReader(bytes.NewReader(file))) }},
		unmarshaling[T](goJSON, gojson.Unmarshal),
		unmarshaling[T]("encoding.json Unmarshal", json.Unmarshal),
	}
	return contest{name, realFiles, goJSON, true, input, always(func() []contestant { return contestants })}
}

// countSound counts the records of a file in which some results are faulty, such as failed runs.
func countSound(r format.Reader) (records int, err error) {
	for _, err := range r.Records() {
		if err == nil {
			records++
		} else if e, ok := errors.AsType[*format.Error](err); ok && e.Severity != format.Recoverable {
			return 0, e
		}
	}
	return records, nil
}

// notJSON matches what JSON does not have, and the other libraries do not accept.
var notJSON = regexp.MustCompile(`(?:NaN|-?Infinity)(\s*[,}\]])`)

// repeatedFiles returns a document with the results of all files that match the pattern, repeated until
// it has the size, and with the other members of the first file. The results are in the section, or in
// the document if that is empty: an array, an object, or an object of arrays.
func repeatedFiles(tb testing.TB, pattern, section string, size int) []byte {
	var head map[string]json.RawMessage
	var all results
	for name, text := range matching(tb, pattern) {
		text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte(";"))
		text = notJSON.ReplaceAll(bytes.TrimPrefix(text, []byte("window.BENCHMARK_DATA = ")), []byte("1$1"))
		if len(text) == 0 {
			continue
		}

		value := json.RawMessage(text)
		if section != "" {
			members := map[string]json.RawMessage{}
			if err := json.Unmarshal(text, &members); err != nil {
				tb.Fatalf("%s: %v", name, err)
			}
			if head == nil {
				head = members
			}
			value = members[section]
		}
		if err := all.add(value); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
	}
	if len(all.elements)+len(all.members) == 0 {
		tb.Skip("no files ", pattern)
	}
	return all.document(head, section, size)
}

// results come from several files: elements, or members.
type results struct {
	elements []json.RawMessage
	members  []member
	grouped  bool // the elements are in a member's array
}

type member struct {
	name  string
	value json.RawMessage
}

// add adds the results of a file.
func (r *results) add(value json.RawMessage) error {
	if len(value) > 0 && value[0] == '[' {
		var elements []json.RawMessage
		err := json.Unmarshal(value, &elements)
		r.elements = append(r.elements, elements...)
		return err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(value, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		if value[0] != '[' {
			r.members = append(r.members, member{name, value})
			continue
		}
		r.grouped = true
		if err := r.add(value); err != nil {
			return err
		}
	}
	return nil
}

// document returns a document of the size.
func (r *results) document(head map[string]json.RawMessage, section string, size int) []byte {
	var doc bytes.Buffer
	end := ""
	if section != "" {
		doc.WriteString("{\n")
		for _, name := range slices.Sorted(maps.Keys(head)) {
			if name != section {
				fmt.Fprintf(&doc, "  %q: %s,\n", name, head[name])
			}
		}
		fmt.Fprintf(&doc, "  %q: ", section)
		end = "\n}"
	}
	if r.grouped {
		doc.WriteString(`{"suite": `)
		end = "}" + end
	}

	open, closing := "[", "]"
	if len(r.members) > 0 {
		open, closing = "{", "}"
	}
	separator := open + "\n    "
	for text := range r.texts() {
		if doc.Len() >= size {
			break
		}
		doc.WriteString(separator)
		doc.WriteString(text)
		separator = ",\n    "
	}
	doc.WriteString("\n  " + closing + end)
	return doc.Bytes()
}

// texts iterates over the results without an end. Names get numbers, so that they do not repeat.
func (r *results) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := 0; ; {
			for _, e := range r.elements {
				if !yield(string(e)) {
					return
				}
			}
			for _, m := range r.members {
				if n++; !yield(fmt.Sprintf("%q: %s", fmt.Sprintf("%s_%d", m.name, n), m.value)) {
					return
				}
			}
		}
	}
}
