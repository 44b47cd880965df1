package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/benchfmt"
	"perfdata/traceid"
)

// The output of the Writer gives the same tables as the original in the real benchstat: exactly
// the same if written as results; if written as records, except for the order of a name's parts,
// which records do not have.
func TestBenchstat(t *testing.T) {
	benchstat := filepath.Join(t.TempDir(), "benchstat")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/perf").Output()
	if err != nil {
		t.Fatal(err)
	}
	perf := strings.TrimSpace(string(module))
	for _, pattern := range []string{"../testdata/benchfmt/*.txt", perf + "/cmd/benchstat/testdata/*.txt", perf + "/benchproc/testdata/*.bench", perf + "/benchfmt/testdata/bent/*.stdout"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				original := table(t, benchstat, dir, string(text))
				if diff := cmp.Diff(original, table(t, benchstat, dir, writtenAsResults(t, string(text)))); diff != "" {
					t.Errorf("results (-original +written):\n%s", diff)
				}
				written := table(t, benchstat, dir, writtenAsRecords(t, string(text)))
				if diff := cmp.Diff(rowsOf(original), rowsOf(written)); diff != "" {
					t.Errorf("records (-original +written):\n%s", diff)
				}
			})
		}
	}
}

// table returns the output of benchstat for a file, always with the same name.
func table(t *testing.T, benchstat, dir, text string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(benchstat, "file")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("benchstat: %v: %s", err, stderr.String())
	}
	return string(out)
}

func writtenAsResults(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	r, w := benchfmt.NewReader(strings.NewReader(text)), benchfmt.NewWriter(&out, benchfmt.Header{})
	units := 0
	for res, err := range r.Results() {
		for all := r.Units(); units < len(all); units++ {
			if err := w.WriteUnit(all[units]); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			continue // benchstat reports it and continues too
		}
		if err := w.WriteResult(res); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func writtenAsRecords(t *testing.T, text string) string {
	t.Helper()
	// The header of the result with the most configuration lists the keys of the configuration.
	var h benchfmt.Header
	for res, err := range benchfmt.NewReader(strings.NewReader(text)).Results() {
		if err == nil && len(res.Config) > len(h.Config) {
			h.Config = slices.Clone(res.Config)
		}
	}
	slices.SortFunc(h.Config, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	r := benchfmt.NewReader(strings.NewReader(text))
	first, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	h.Units = first.Units
	var out bytes.Buffer
	w := benchfmt.NewWriter(&out, h)
	for rec, err := range r.Records() {
		if err != nil {
			continue
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// rowsOf returns the words of the lines of a table and its configuration, sorted, with the parts of
// names sorted.
func rowsOf(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for i, word := range words {
			base, procs, _ := strings.Cut(word, "-")
			if name, parts, ok := strings.Cut(base, "/"); ok {
				sorted := strings.Split(parts, "/")
				slices.Sort(sorted)
				words[i] = name + "/" + strings.Join(sorted, "/") + "-" + procs
			}
		}
		if text := strings.Trim(strings.Join(words, " "), "│ "); text != "" && !strings.Contains(text, "│") {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}
