package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
)

// What records prints of a file is what store query, and records, print after the file was stored: the
// same IDs, traces and other columns, for all files of every format.
func TestStoreRows(t *testing.T) {
	t.Chdir("../../testdata")
	found := make(map[string]bool) // formats
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.Name() == "fuzz" {
				return fs.SkipDir
			}
			return err
		}
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "perf.db")
			if _, _, status := runTool(nil, "store", "ingest", "--allow-no-commit", db, name); status == statusFailed {
				t.Fatal("store ingest failed")
			}
			stored, _, _ := runTool(nil, "store", "query", "--as", "csv", db)
			if strings.Count(stored, "\n") <= 1 {
				stored, _, _ = runTool(nil, "store", "query", "--as", "csv", "--trial", trialOf(name), db)
			} else if again, _, _ := runTool(nil, "records", "--as", "csv", db); again != stored {
				t.Errorf("records of the store (-store query +records):\n%s", cmp.Diff(lines(stored), lines(again)))
			}
			if strings.Count(stored, "\n") <= 1 {
				return // nothing of the file was stored
			}
			of, _, _ := runTool(nil, "records", "--as", "csv", filepath.ToSlash(name))
			if diff := cmp.Diff(lines(of), lines(stored)); diff != "" {
				t.Errorf("(-file +store):\n%s", diff)
			}
			if f, err := perfdata.Open(name); err == nil {
				found[f.Format.Name] = true
				f.Close()
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range perfdata.Formats() {
		if f.NewWriter != nil && !found[f.Name] {
			t.Errorf("no file of %s", f.Name)
		}
	}
}

// lines returns the lines of a text in an order that does not depend on that of the text.
func lines(text string) []string {
	return slices.Sorted(strings.Lines(text))
}

// trialOf returns the change under review that a file names, as --trial takes it.
func trialOf(name string) string {
	f, err := perfdata.Open(name)
	if err != nil {
		return "none/"
	}
	defer f.Close()
	h, err := f.FileHeader()
	if err != nil || h.Issue == "" {
		return "none/"
	}
	return h.Issue + "/" + h.Patchset
}

func TestIsStore(t *testing.T) {
	dir := t.TempDir()
	db, short := filepath.Join(dir, "perf.db"), filepath.Join(dir, "short")
	if _, stderr, status := runTool(nil, "store", "ingest", db, testdata+"example.json"); status != statusOK {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(short, []byte("SQLite"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		db: true, short: false, dir: false, filepath.Join(dir, "none"): false, "-": false, "postgres://h/d": true,
		testdata + "example.json": false,
	} {
		if got := isStore(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A store is converted as the file that was stored is, in the order of its traces.
func TestConvertStore(t *testing.T) {
	dir := t.TempDir()
	db, name := filepath.Join(dir, "perf.db"), filepath.Join(dir, "bench.txt")
	text := "commit: c1\nBenchmarkA 10 1.5 ns/op\nBenchmarkA 20 2.5 ns/op\nBenchmarkB/n=1 5 7 widgets 3 ns/op\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := runTool(nil, "store", "ingest", db, name); status != statusOK {
		t.Fatal(stderr)
	}
	for _, to := range []string{"benchfmt", "skiav1", "nanolegacy", "keyval"} {
		t.Run(to, func(t *testing.T) {
			var rows [2][]string
			for i, in := range []string{name, db} {
				out := filepath.Join(dir, to+[]string{"-file", "-store"}[i])
				if _, stderr, status := runTool(nil, "convert", "--to", to, "-o", out, in); status != statusOK {
					t.Fatal(stderr)
				}
				stored, _, _ := runTool(nil, "records", "--as", "csv", out)
				for line := range strings.Lines(stored) {
					fields := strings.Split(line, ",")
					rows[i] = append(rows[i], strings.Join(fields[:len(fields)-2], ",")) // without file and offset
				}
				slices.Sort(rows[i])
			}
			if diff := cmp.Diff(rows[0], rows[1]); diff != "" || len(rows[0]) < 3 {
				t.Errorf("(-file +store):\n%s", diff)
			}
		})
	}

	// Several inputs, a split by commits, and flags that are about files.
	split := filepath.Join(dir, "split")
	if _, stderr, status := runTool(nil, "convert", "--to", "skiav1", "--split", split, db, name); status != statusOK {
		t.Fatal(stderr)
	}
	if stored, _, _ := runTool(nil, "records", "--as", "csv", filepath.Join(split, "c1.json")); strings.Count(stored, "\n") != 9 {
		t.Errorf("both inputs:\n%s", stored)
	}
	if _, stderr, status := runTool(nil, "convert", "--to", "skiav1", "--commit", "c2", db); status == statusOK ||
		!strings.Contains(stderr, "--commit is about files") {
		t.Errorf("status %v: %s", status, stderr)
	}
}
