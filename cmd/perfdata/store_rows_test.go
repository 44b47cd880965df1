package main

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"perfdata"
	"perfdata/internal/columns"
	"perfdata/internal/testing/quick"
)

// What records prints of a file is what store query, and records, print after the file was stored:
// the same IDs, traces and other columns, for all files of every format.
func TestStoreRows(t *testing.T) {
	t.Chdir("../../testdata")
	times := regexp.MustCompile(`,[0-9-]{10}T[0-9:]{8}Z,`)
	found := make(map[string]bool) // formats
	made := filepath.Join(t.TempDir(), "empty.db")
	runOK(t, "store", "ingest", made, t.TempDir())
	empty := read(t, made)
	similar := make(map[string]int) // files by folder and extension
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.Name() == "fuzz" {
				return fs.SkipDir
			}
			return err
		}
		kind := filepath.Join(filepath.Dir(name), "*"+filepath.Ext(name))
		if similar[kind]++; quick.Test() && similar[kind]%7 != 1 {
			return nil
		}
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "perf.db")
			write(t, db, empty)
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
			// A store knows the time of a commit for all of its measurements, also if the file does
			// not repeat it.
			of, stored = times.ReplaceAllString(of, ",,"), times.ReplaceAllString(stored, ",,")
			if diff := cmp.Diff(lines(of), lines(stored)); diff != "" {
				t.Errorf("(-file +store):\n%s", diff)
			}
			if f, err := perfdata.Open(name); err == nil {
				if !found[f.Format.Name] {
					checkParquet(t, name, stored)
				}
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

// checkParquet stores the Parquet file that records writes of a file, whose rows the store has as
// CSV. It has the same rows, except where they were read.
func checkParquet(t *testing.T, name, stored string) {
	t.Helper()
	dir := t.TempDir()
	db, rows := filepath.Join(dir, "perf.db"), filepath.Join(dir, "rows.parquet")
	runTool(nil, "records", "--as", "parquet", "-o", rows, filepath.ToSlash(name))
	runOK(t, "store", "ingest", "--allow-no-commit", db, rows)
	again := runOK(t, "store", "query", "--as", "csv", db)
	place := regexp.MustCompile(`,[^",]*,[0-9]*\n`)
	times := regexp.MustCompile(`,[0-9-]{10}T[0-9:]{8}Z`)
	text := func(s string) []string { return lines(times.ReplaceAllString(place.ReplaceAllString(s, "\n"), ",")) }
	if diff := cmp.Diff(text(stored), text(again)); diff != "" {
		t.Errorf("(-store +store of Parquet):\n%.2000s", diff)
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

// The columns position and commit_time, in every form, of a store with one list of commits, with the
// lists of two repositories, and without a list.
func TestStorePlaces(t *testing.T) {
	const bench = "commit: aaaa1\ncommit-time: 2026-01-02T03:04:05+01:00\nBenchmarkX 1 1 ns/op\n" +
		"commit: bbbb2\ncommit-time: none\nBenchmarkX 1 2 ns/op\ncommit: cccc3\nBenchmarkX 1 3 ns/op\n"
	for _, test := range []struct {
		name  string
		lists []string // by repository
		want  []string // commit, position and time, by commit
	}{
		{"no list", nil, []string{"aaaa1,,2026-01-02T02:04:05Z", "bbbb2,,", "cccc3,,"}},
		{
			"a list without times, with commits that were not measured",
			[]string{"0000f\ncccc3\n1111f\nbbbb2\n"},
			[]string{"aaaa1,,2026-01-02T02:04:05Z", "bbbb2,3,", "cccc3,1,"},
		},
		{
			"a list with times and longer hashes",
			[]string{"aaaa1f \t1800000000\nbbbb2f aaaa1f\t1800000060\n"},
			[]string{"aaaa1,0,2027-01-15T08:00:00Z", "bbbb2,1,2027-01-15T08:01:00Z", "cccc3,,"},
		},
		{
			"two repositories",
			[]string{"1111f \t1700000000\ncccc3 \t1800000030\n", "aaaa1 \t1800000000\nbbbb2 aaaa1\t1800000060\n"},
			[]string{"aaaa1,0,2027-01-15T08:00:00Z", "bbbb2,2,2027-01-15T08:01:00Z", "cccc3,1,2027-01-15T08:00:30Z"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "b.txt", bench)
			if _, stderr, status := runTool(nil, "store", "ingest", "perf.db", "b.txt"); status != statusOK {
				t.Fatal(stderr)
			}
			for i, list := range test.lists {
				args := []string{"store", "commits", "--repository", string(rune('a' + i)), "perf.db", "-"}
				if _, stderr, status := runTool(strings.NewReader(list), args...); status != statusOK {
					t.Fatal(stderr)
				}
			}
			for _, args := range [][]string{
				{"store", "query", "--as", "csv"}, {"store", "query", "--as", "csv", "--id", ",name=X,unit=ns_op,"},
				{"records", "--as", "csv"}, {"store", "query", "--as", "csv", "--ignore", "name"},
			} {
				text, stderr, _ := runTool(nil, append(args, "perf.db")...)
				rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
				if err != nil || len(rows) == 0 {
					t.Fatal(err, stderr)
				}
				var got []string
				for _, row := range rows[1:] {
					got = append(got, row[columns.Commit]+","+row[columns.Position]+","+row[columns.CommitTime])
				}
				if diff := cmp.Diff(test.want, slices.Sorted(slices.Values(got))); diff != "" {
					t.Errorf("%v (-want +got):\n%s", args, diff)
				}
			}

			if _, stderr, status := runTool(nil, "records", "--as", "parquet", "-o", "out", "perf.db"); status != statusOK {
				t.Fatal(stderr)
			}
			rows, err := parquet.ReadFile[struct {
				Commit   string     `parquet:"commit,optional"`
				Position *int64     `parquet:"position,optional"`
				Time     *time.Time `parquet:"commit_time,optional,timestamp"`
			}]("out")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				text := row.Commit + ","
				if row.Position != nil {
					text += fmt.Sprint(*row.Position)
				}
				if text += ","; row.Time != nil {
					text += row.Time.UTC().Format(time.RFC3339)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Parquet (-want +got):\n%s", diff)
			}
		})
	}
}

// With --ignore, trace and n belong to the series without the keys, for files and stores.
func TestIgnore(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "b.txt", "commit: c1\ncpu: A\nBenchmarkX 1 1 ns/op\nBenchmarkX 1 2 ns/op\ncpu: B\nBenchmarkX 1 3 ns/op\n")
	if _, stderr, status := runTool(nil, "store", "ingest", "perf.db", "b.txt"); status != statusOK {
		t.Fatal(stderr)
	}
	const whole = ",cpu=A,name=X,unit=ns_op, 1\n,cpu=A,name=X,unit=ns_op, 2\n,cpu=B,name=X,unit=ns_op, 1\n"
	const without = ",name=X,unit=ns_op, 1\n,name=X,unit=ns_op, 2\n,name=X,unit=ns_op, 3\n"
	for _, test := range []struct {
		name   string
		args   []string
		want   string
		stderr string
		status int
	}{
		{"a file", []string{"records", "b.txt"}, whole, "", statusOK},
		{"a file without cpu", []string{"records", "--ignore", "cpu", "b.txt"}, without, "", statusOK},
		{"a store", []string{"records", "perf.db"}, whole, "", statusOK},
		{"a store without cpu", []string{"records", "--ignore", "cpu", "perf.db"}, without, "", statusOK},
		{"a query", []string{"store", "query", "--ignore", "cpu", "perf.db", "name=X"}, without, "", statusOK},
		{
			"a key that nothing has", []string{"records", "--ignore", "cpus", "b.txt"}, whole,
			"perfdata: --ignore: no measurement has a param cpus; did you mean cpu?\n", statusInvalid,
		},
		{
			"the same of a store", []string{"store", "query", "--ignore", "cpus", "perf.db"}, whole,
			"perfdata: --ignore: no measurement has a param cpus; did you mean cpu?\n", statusInvalid,
		},
		{
			"a column that nothing has", []string{"records", "--columns", "cqu", "b.txt", "perf.db"}, whole + whole,
			"perfdata: --columns: no measurement has a param cqu; did you mean cpu?\n", statusInvalid,
		},
		{
			"a column that no selected measurement has",
			[]string{"records", "--columns", "cpu", "--match", "name=Y", "b.txt"}, "",
			"perfdata: no measurement matches the query: no measurement has name=Y; the values are X\n", statusInvalid,
		},
		{
			"an attr that nothing has", []string{"records", "--promote", "iteration", "b.txt"}, whole,
			"perfdata: --promote: no measurement has a param iteration; did you mean iterations?\n", statusInvalid,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, stderr, status := runTool(nil, append(test.args, "-q", "--as", "csv")...)
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(rows) == 0 {
				t.Fatal(err, stderr)
			}
			got := ""
			for _, row := range rows[1:] {
				got += row[columns.Trace] + " " + row[columns.N] + "\n"
			}
			if diff := cmp.Diff(test.want, got); diff != "" || stderr != test.stderr || status != test.status {
				t.Errorf("%d, %q (-want +got):\n%s", status, stderr, diff)
			}
		})
	}
}
