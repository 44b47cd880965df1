package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A judgedFile is a file of Go benchmarks, by its parts. Each part is the measurements of a commit,
// and can be a file of its own.
type judgedFile []string

// judgedHistory returns files of the commits from first to last. Each has three repetitions of
// some benchmarks. From commit 30 on, two of them are slower, and one has no noise.
func judgedHistory(first, last, slower int) judgedFile {
	var parts judgedFile
	for commit := first; commit < last; commit++ {
		r := rand.New(rand.NewPCG(27, uint64(commit)))
		for half := range 2 { // of the benchmarks
			var b strings.Builder
			fmt.Fprintf(&b, "commit: %07x\ncommit-time: 2026-01-%02dT00:00:00Z\ncpu: x\n", 0xabc0000+commit*31%64, 1+commit)
			for repetition := range 3 {
				for i := range 6 {
					v := 100 * float64(half+i+1) * (1 + 0.02*r.NormFloat64())
					if commit >= slower && i < 2 {
						v *= 1.3
					}
					if i == 5 {
						v = 64
					}
					fmt.Fprintf(&b, "BenchmarkB%d/size=%d-8 %d %.2f ns/op\n", i, half, 1000+repetition, v)
				}
			}
			parts = append(parts, b.String())
		}
	}
	return parts
}

// writeParts writes parts as files in a new folder, several in a file, and returns their names.
func writeParts(t *testing.T, parts judgedFile, inFile int) []string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for group := range slices.Chunk(parts, inFile) {
		name := filepath.Join(dir, fmt.Sprintf("%03d.txt", len(names)))
		if err := os.WriteFile(name, []byte(strings.Join(group, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// answer runs a command, and returns its JSON output. Ten digits of a geometric mean are
// compared, because it is computed by a sum.
func answer(t *testing.T, command string, old, new []string) string {
	t.Helper()
	args := slices.Concat([]string{command, "--as", "json", "--fail-on", "never", "-q"}, old)
	if new != nil {
		args = slices.Concat(args, []string{"--"}, new)
	}
	stdout, stderr, status := runTool(strings.NewReader(""), args...)
	var object map[string]any
	if err := json.Unmarshal([]byte(stdout), &object); err != nil || status != statusOK || stderr != "" {
		t.Fatalf("%v, status %d, %s%s", err, status, stdout, stderr)
	}
	if means, ok := object["geomean"].([]any); ok {
		for _, mean := range means {
			for key, value := range mean.(map[string]any) {
				if x, ok := value.(float64); ok && x != 0 {
					digits := math.Pow(10, 10-math.Ceil(math.Log10(math.Abs(x))))
					mean.(map[string]any)[key] = math.Round(x*digits) / digits
				}
			}
		}
	}
	text, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// How measurements are spread over files, in which order the files are given, and that one is given
// twice, changes no answer. Nor does the number of processors.
func TestJudgeMetamorphic(t *testing.T) {
	history, fresh := judgedHistory(0, 30, 20), judgedHistory(30, 31, 0)
	before, after := judgedHistory(0, 3, 30), judgedHistory(3, 6, 0)
	for _, test := range []struct {
		command  string
		old, new judgedFile
	}{
		{"compare", before, after},
		{"drift", before, after},
		{"changes", history, nil},
		{"check", history, fresh},
	} {
		t.Run(test.command, func(t *testing.T) {
			files := func(inFile int, change func([]string) []string) [2][]string {
				var sets [2][]string
				for i, parts := range []judgedFile{test.old, test.new} {
					if parts != nil {
						sets[i] = change(writeParts(t, parts, inFile))
					}
				}
				return sets
			}
			same := func(names []string) []string { return names }
			sets := files(2, same)
			want := answer(t, test.command, sets[0], sets[1])
			if !strings.Contains(want, `"series"`) && test.command != "drift" {
				t.Fatal(want)
			}

			for _, variant := range []struct {
				name   string
				inFile int
				change func([]string) []string
			}{
				{"as before", 2, same},
				{"one file", 1000, same},
				{"split", 1, same},
				{"reversed", 2, func(names []string) []string {
					slices.Reverse(names)
					return names
				}},
				{"shuffled parts", 1, func(names []string) []string {
					rand.New(rand.NewPCG(1, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
					return names
				}},
				{"twice", 2, func(names []string) []string { return append(names, names...) }},
			} {
				if test.command == "drift" && variant.inFile != 2 {
					continue // the number of files is part of its answer
				}
				for _, processors := range []int{1, 4} {
					t.Run(fmt.Sprintf("%s, %d processors", variant.name, processors), func(t *testing.T) {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
						sets := files(variant.inFile, variant.change)
						if diff := cmp.Diff(want, answer(t, test.command, sets[0], sets[1])); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
						}
					})
				}
			}
		})
	}
}
