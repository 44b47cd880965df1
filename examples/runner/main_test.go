package main

import (
	"bytes"
	"io"
	"iter"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/perun/report"
	"perfdata/series"
	"perfdata/skiav1"
)

// The measurements of another runner are the ones that README shows, and failed runs are
// reported.
func TestShow(t *testing.T) {
	var out, reports strings.Builder
	log.SetOutput(&reports)
	defer log.SetOutput(os.Stderr)
	if err := show(&out, "../../testdata/conformance/hyperfine/failures.json"); err != nil {
		t.Fatal(err)
	}
	shown := textBlocks(t)
	if diff := cmp.Diff(shown[len(shown)-1], out.String()); diff != "" {
		t.Errorf("(-README +got):\n%s", diff)
	}
	if want := "run 2 failed with the exit code 1"; !strings.Contains(reports.String(), want) {
		t.Errorf("%s, want %q", &reports, want)
	}
}

// TestOutput runs the runner once, and checks what README shows.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	names, err := measureAndWrite("../../testdata", dir, "unknown")
	if err != nil {
		t.Fatal(err)
	}
	shown := textBlocks(t)

	t.Run("files", func(t *testing.T) {
		var want []string
		for name := range strings.Lines(shown[0]) {
			want = append(want, filepath.Join(dir, filepath.Base(strings.TrimSpace(name))))
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("names (-README +got):\n%s", diff)
		}
	})

	for _, f := range []struct {
		name     string
		validate func(io.Reader, format.Options) iter.Seq[*format.Error]
	}{
		{"skiav1.json", skiav1.Format().Validate},
		{"nanolegacy.json", nanolegacy.Format().Validate},
		{"benchmarks.txt", benchfmt.Format().Validate},
		{"keyval", keyval.Format().Validate},
		{"profile.perf", perun.Format().Validate},
	} {
		t.Run("validate "+f.name, func(t *testing.T) {
			in, err := os.Open(filepath.Join(dir, f.name))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()

			for e := range f.validate(in, format.Options{Name: f.name}) {
				t.Error(e)
			}
		})
	}

	t.Run("benchstat", func(t *testing.T) {
		got := output(t, "go", "tool", "benchstat", "-col", "/level", filepath.Join(dir, "benchmarks.txt"))
		if diff := cmp.Diff(words(shown[1]), words(got)); diff != "" {
			t.Errorf("words (-README +got):\n%s\n%s", diff, got)
		}
	})

	t.Run("pprof", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "profile.pb.gz")
		if err := writePprof(name, filepath.Join(dir, "profile.perf")); err != nil {
			t.Fatal(err)
		}
		got := output(t, "go", "tool", "pprof", "-top", name)
		if diff := cmp.Diff(words(shown[2]), words(got)); diff != "" {
			t.Errorf("words (-README +got):\n%s\n%s", diff, got)
		}
	})
}

// Each measurement is one series, and each run one of its repetitions.
func TestRepetitions(t *testing.T) {
	const runs = 6
	b := benchmark{level: 6}
	for i := range runs {
		b.runs = append(b.runs, run{took: time.Duration(100+i) * time.Millisecond, ratio: 3})
	}
	for _, test := range []struct {
		name   string
		write  func(io.Writer, string, []benchmark) error
		reader func(io.Reader) format.Reader
		series int
	}{
		{"skiav1", writeSkiaV1, func(in io.Reader) format.Reader { return skiav1.NewReader(in) }, 2},
		{"benchfmt", writeGo, func(in io.Reader) format.Reader { return benchfmt.NewReader(in) }, 2},
		{"keyval", writeKeyvals, func(in io.Reader) format.Reader { return keyval.NewReader(in) }, 1},
		{"perun", writePerun, func(in io.Reader) format.Reader { return perun.NewReader(in) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text bytes.Buffer
			if err := test.write(&text, "abc", []benchmark{b}); err != nil {
				t.Fatal(err)
			}
			var placer series.Placer
			last := make(map[string]int)
			for rec, err := range test.reader(&text).Records() {
				if err != nil {
					t.Fatal(err)
				}
				at, err := placer.Place(rec)
				if err != nil {
					t.Fatal(err)
				}
				last[string(at.Trace)] = at.N
			}
			if len(last) != test.series {
				t.Errorf("%d series, want %d: %v", len(last), test.series, last)
			}
			for trace, n := range last {
				if n != runs {
					t.Errorf("%s: %d repetitions, want %d", trace, n, runs)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	empty := t.TempDir()
	for _, test := range []struct{ name, in, want string }{
		{"no files", empty, "nothing to compress"},
		{"no folder", filepath.Join(empty, "missing"), "missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "results")
			_, err := measureAndWrite(test.in, out, "unknown")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("there are results")
			}
		})
	}
}

// writePprof writes a profile for go tool pprof of a Perun profile.
func writePprof(name, perunName string) error {
	in, err := os.Open(perunName)
	if err != nil {
		return err
	}
	defer in.Close()

	r := perun.NewReader(in)
	defer r.Close()
	h, err := r.Header()
	if err != nil {
		return err
	}
	p, err := report.Pprof(h, report.Stacks(h, r.Resources(), report.UIDAtRoot))
	if err != nil {
		return err
	}

	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := p.Write(out); err != nil {
		return err
	}
	return out.Close()
}

// output returns what a command prints to standard output.
func output(t *testing.T, command string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return string(out)
}

var (
	textBlock = regexp.MustCompile("(?s)```text\n(.*?)```")
	config    = regexp.MustCompile(`(?m)^\w+: .*\n`)
	word      = regexp.MustCompile(`[A-Za-z/]{3,}`)
)

// textBlocks returns the outputs that README shows.
func textBlocks(t *testing.T) []string {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, match := range textBlock.FindAllSubmatch(readme, -1) {
		blocks = append(blocks, string(match[1]))
	}
	return blocks
}

// words returns the words of a table, sorted. Numbers, and the configuration of the machine,
// differ from run to run.
func words(table string) []string {
	return slices.Sorted(slices.Values(word.FindAllString(config.ReplaceAllString(table, ""), -1)))
}
