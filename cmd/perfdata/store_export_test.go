package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"perfdata/internal/columns"
	"perfdata/internal/testing/quick"
	"perfdata/store"
	"perfdata/traceid"
)

// runOK runs a command that must succeed, and returns its output.
func runOK(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, status := runTool(nil, args...)
	if status != statusOK {
		t.Fatalf("%q: %d, %s", args, status, stderr)
	}
	return stdout
}

// readPart returns the rows of a Parquet file.
func readPart[Row any](t *testing.T, name string) []Row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := parquet.NewGenericReader[Row](f)
	defer r.Close()
	rows := make([]Row, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && err != io.EOF {
		t.Fatalf("%s: %d of %d rows: %v", name, n, len(rows), err)
	}
	return rows
}

// exportedLines returns the measurements of an export as lines of JSON with the columns of store
// query, except id, offset and position, which the tables have in other ways.
func exportedLines(t *testing.T, dir string) (lines []string) {
	t.Helper()
	traces := make(map[int64]store.ExportedTrace)
	for _, trace := range readPart[store.ExportedTrace](t, filepath.Join(dir, tracesName)) {
		traces[trace.TraceID] = trace
	}
	commits := make(map[string]store.ExportedCommit)
	for _, commit := range readPart[store.ExportedCommit](t, filepath.Join(dir, commitsName)) {
		commits[commit.Commit] = commit
	}
	names, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf(dayName, "*")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, row := range readPart[store.ExportedRow](t, name) {
			trace, ok := traces[row.TraceID]
			if !ok {
				t.Fatalf("%s: no trace %d", name, row.TraceID)
			}
			day := "unknown"
			if row.CommitTime != nil {
				day = row.CommitTime.UTC().Format(time.DateOnly)
			}
			commit, ok := commits[row.Commit]
			if !ok && row.Commit != "" || !strings.Contains(name, "day="+day+string(filepath.Separator)) ||
				(row.CommitTime == nil) != (commit.CommitTime == nil) {
				t.Errorf("%s: %v %v, %v", name, row.CommitTime, row.Commit, commit)
			}
			line := map[string]any{
				"trace": trace.Trace, "commit": nil, "n": json.Number(fmt.Sprint(row.N)), "unit": nil, "better": nil,
				"value":  json.RawMessage(columns.AppendNumber(nil, row.Value, `"`)),
				"params": traceid.Merge(traceid.FromMap(trace.Params), traceid.FromMap(row.Params)).Map(),
				"attrs":  traceid.FromMap(row.Attrs).Map(), "links": traceid.FromMap(row.Links).Map(), "file": row.File,
			}
			for key, text := range map[string]string{"commit": row.Commit, "unit": row.Unit, "better": row.Better} {
				if text != "" {
					line[key] = text
				}
			}
			if line["commit_time"] = nil; row.CommitTime != nil {
				line["commit_time"] = row.CommitTime.UTC().Format(time.RFC3339)
			}
			text, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(text))
		}
	}
	slices.Sort(lines)
	return lines
}

// queriedLines returns what store query prints, as exportedLines.
func queriedLines(t *testing.T, db string) (lines []string) {
	t.Helper()
	stdout, _, _ := runTool(nil, "store", "query", "--as", "jsonl", db)
	for text := range strings.Lines(stdout) {
		line := make(map[string]any)
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"id", "offset", "position"} {
			delete(line, key)
		}
		if n, ok := line["value"].(json.Number); ok {
			line["value"] = json.RawMessage(n)
		}
		again, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(again))
	}
	slices.Sort(lines)
	return lines
}

// An export has what store query prints, of files of all formats.
func TestStoreExport(t *testing.T) {
	dir := t.TempDir()
	db, out := filepath.Join(dir, "perf.db"), filepath.Join(dir, "out")
	write(t, filepath.Join(dir, "in/special.txt"), "commit: special\ncommit-time: 2026-11-23T23:59:59Z\n"+
		"BenchmarkA 1 NaN ns/op\nBenchmarkA 1 -Inf ns/op\nBenchmarkA 1 +Inf ns/op\nBenchmarkA/x=ä 1 -0 ns/op 5e-324 B/op\n")
	write(t, filepath.Join(dir, "in/links.json"), `{"version":1,"git_hash":"c2","links":{"l":"ü"},"results":[
		{"key":{"a b":"\u0000\"\n"},"measurement":-0.0},
		{"key":{"b":"2","unit":"ms"},"measurements":{"stat":[{"value":"min","measurement":0.1,"links":{"m":"v"}}]}}]}`)
	runTool(nil, "store", "ingest", "--allow-no-commit", db, filepath.Join(dir, "in"))
	runTool(nil, "store", "ingest", "--allow-no-commit", db, "../../testdata")
	runOK(t, "store", "export", db, out)

	want, got := queriedLines(t, db), exportedLines(t, out)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 6000 {
		t.Errorf("%d lines (-query +export):\n%.3000s", len(want), diff)
	}
	for _, special := range []string{`"NaN"`, `"-Inf"`, `"+Inf"`, `"value":-0}`, `5e-324`, `"n":3,`,
		`"commit_time":"2026-11-23T23:59:59Z"`, `"attrs":{"iterations":"1"`, `"links":{"l":"ü","m":"v"}`, `"commit":null`} {
		if !strings.Contains(strings.Join(got, "\n"), special) {
			t.Errorf("no measurement has %s", special)
		}
	}
}

// exportFiles returns the Parquet files of an export with their contents.
func exportFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName || d.Name() == manifestName {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An exportCase is a database with commits of four days, and changes to it.
type exportCase struct {
	dir, db, out string
	fresh        int
}

func newExportCase(t *testing.T) *exportCase {
	dir := t.TempDir()
	c := &exportCase{dir: dir, db: filepath.Join(dir, "perf.db"), out: filepath.Join(dir, "out")}
	for day := 1; day <= 4; day++ {
		c.add(t, fmt.Sprintf("2026/11/0%d/00/a.json", day), day, fmt.Sprintf(`{"key":{"test":"x"},"measurement":%d}`, day))
	}
	runOK(t, "store", "export", c.db, c.out)
	return c
}

// add stores a file with results of the commit of a day.
func (c *exportCase) add(t *testing.T, path string, day int, results string) {
	t.Helper()
	write(t, filepath.Join(c.dir, "in", path), fmt.Sprintf(
		`{"version":1,"git_hash":"c%d","key":{"commit-time":"2026-11-0%dT12:00:00Z"},"results":[%s]}`, day, day, results))
	runOK(t, "store", "ingest", c.db, filepath.Join(c.dir, "in"))
}

// check compares the export with a new one of the same database, and with store query.
func (c *exportCase) check(t *testing.T) {
	t.Helper()
	c.fresh++
	fresh := filepath.Join(c.dir, fmt.Sprint("fresh", c.fresh))
	runOK(t, "store", "export", c.db, fresh)
	if diff := cmp.Diff(exportFiles(t, fresh), exportFiles(t, c.out)); diff != "" {
		t.Errorf("(-new +updated):\n%.2000s", diff)
	}
	if diff := cmp.Diff(queriedLines(t, c.db), exportedLines(t, c.out)); diff != "" {
		t.Errorf("(-query +export):\n%s", diff)
	}
}

// exportSteps change the database of an exportCase, each as the previous steps left it. An export
// writes the days.
var exportSteps = []struct {
	name string
	do   func(t *testing.T, c *exportCase)
	note string
}{
	{"nothing", func(*testing.T, *exportCase) {}, "wrote 0 days, 4 unchanged, 0 removed"},
	{"added", func(t *testing.T, c *exportCase) {
		c.add(t, "2026/11/05/00/b.json", 2, `{"key":{"test":"y"},"measurement":7}`)
	}, "wrote 1 day, 3 unchanged, 0 removed"},
	{"corrected", func(t *testing.T, c *exportCase) {
		c.add(t, "2026/11/05/01/c.json", 3, `{"key":{"test":"x"},"measurement":8}`)
	}, "wrote 1 day, 3 unchanged, 0 removed"},
	{"corrected to the same value by a file that is hidden", func(t *testing.T, c *exportCase) {
		c.add(t, "2026/11/04/01/c.json", 3, `{"key":{"test":"x"},"measurement":9}`)
	}, "wrote 0 days, 4 unchanged, 0 removed"},
	{"a new day", func(t *testing.T, c *exportCase) {
		c.add(t, "2026/11/09/00/e.json", 9, `{"key":{"test":"x"},"measurement":9}`)
	}, "wrote 1 day, 4 unchanged, 0 removed"},
	{"deleted", func(t *testing.T, c *exportCase) {
		runOK(t, "store", "delete", c.db, "2026/11/05/01/c.json")
	}, "wrote 1 day, 4 unchanged, 0 removed"},
	{"a day deleted", func(t *testing.T, c *exportCase) {
		runOK(t, "store", "delete", "--commit", "c1", c.db)
	}, "wrote 0 days, 4 unchanged, 1 removed"},
	{"another time", func(t *testing.T, c *exportCase) {
		list := filepath.Join(c.dir, "list")
		write(t, list, "c4\t1700000000\tme\tsubject\n")
		runOK(t, "store", "commits", c.db, list)
	}, "wrote 1 day, 3 unchanged, 1 removed"},
}

// An export writes the days that have changed, and does not touch others.
func TestStoreExportIncremental(t *testing.T) {
	c := newExportCase(t)
	for _, step := range exportSteps {
		t.Run(step.name, func(t *testing.T) {
			step.do(t, c)
			before, times := exportFiles(t, c.out), c.modified(t)
			_, stderr, status := runTool(nil, "store", "export", c.db, c.out)
			if want := "perfdata: note: " + c.out + ": " + step.note + "\n"; stderr != want || status != statusOK {
				t.Errorf("%d, %s: want %s", status, stderr, want)
			}
			after, newTimes := exportFiles(t, c.out), c.modified(t)
			for name, text := range after {
				if before[name] == text && times[name] != newTimes[name] {
					t.Errorf("%s was written again", name)
				}
			}
			c.check(t)
		})
	}
}

// modified sets the times of all files to one that no export has, and returns them.
func (c *exportCase) modified(t *testing.T) map[string]time.Time {
	times := make(map[string]time.Time)
	for name := range exportFiles(t, c.out) {
		info, err := os.Stat(filepath.Join(c.out, name))
		if err != nil {
			t.Fatal(err)
		}
		times[name] = info.ModTime()
	}
	return times
}

// Whenever an export ends early, readers find traces and commits for all measurements that the
// database still has, and the next one repairs the folder. A file that cannot be replaced ends it
// at the same places as a signal does.
func TestStoreExportKilled(t *testing.T) {
	c := newExportCase(t)
	for _, step := range exportSteps {
		step.do(t, c)
		old := exportFiles(t, c.out)
		manifest, err := os.ReadFile(filepath.Join(c.out, manifestName))
		if err != nil {
			t.Fatal(err)
		}
		old[manifestName] = string(manifest)
		runOK(t, "store", "export", c.db, c.out)
		want := exportFiles(t, c.out)

		out := filepath.Join(c.dir, "killed")
		unchanged := 0
		for _, name := range slices.Sorted(maps.Keys(old)) {
			if old[name] == want[name] {
				if unchanged++; quick.Test() && unchanged > 1 {
					continue
				}
			}
			t.Run(step.name+"/"+name, func(t *testing.T) {
				os.RemoveAll(out)
				for name, text := range old {
					write(t, filepath.Join(out, name), text)
				}
				at := filepath.Join(out, name)
				os.Remove(at)
				write(t, filepath.Join(at, "in the way"), "")
				if name != manifestName && old[name] != want[name] {
					if _, stderr, status := runTool(nil, "store", "export", c.db, out); status != statusFailed {
						t.Error(status, stderr)
					}
				}
				os.RemoveAll(at)
				write(t, at, old[name])
				write(t, filepath.Join(out, tempName, "left"), "")
				if lines := exportedLines(t, out); len(lines) == 0 {
					t.Error("nothing can be read")
				}

				runOK(t, "store", "export", c.db, out)
				if diff := cmp.Diff(want, exportFiles(t, out)); diff != "" {
					t.Errorf("(-want +got):\n%.2000s", diff)
				}
			})
		}
	}
}

// An export that was killed after it wrote a day, and whose database is then as before, is not
// taken for current.
func TestStoreExportBetween(t *testing.T) {
	c := newExportCase(t)
	c.add(t, "2026/11/05/01/c.json", 3, `{"key":{"test":"x"},"measurement":8}`)
	inWay := filepath.Join(c.out, fmt.Sprintf(dayName, "2026-11-09"))
	c.add(t, "2026/11/09/01/c.json", 9, `{"key":{"test":"x"},"measurement":8}`)
	write(t, filepath.Join(inWay, "in the way"), "")
	if _, stderr, status := runTool(nil, "store", "export", c.db, c.out); status != statusFailed {
		t.Error(status, stderr)
	}
	os.RemoveAll(filepath.Dir(inWay))
	runOK(t, "store", "delete", c.db, "2026/11/05/01/c.json", "2026/11/09/01/c.json")
	runOK(t, "store", "export", c.db, c.out)
	c.check(t)
}

// A manifest that somebody has changed removes nothing outside of the folder.
func TestStoreExportOutside(t *testing.T) {
	c := newExportCase(t)
	outside, name := filepath.Join(c.dir, "outside"), filepath.Join(c.out, manifestName)
	write(t, outside, "x")
	write(t, name, strings.Replace(read(t, name), `"files": {`, `"files": { "../outside": {},`, 1))
	runOK(t, "store", "export", c.db, c.out)
	read(t, outside)
	c.check(t)
}

// A folder of something else, or of another database, stays as it is.
func TestStoreExportRefuses(t *testing.T) {
	c, other := newExportCase(t), newExportCase(t)
	foreign := filepath.Join(c.dir, "foreign")
	write(t, filepath.Join(foreign, "x"), "x")
	copied := filepath.Join(c.dir, "copy.db")
	runOK(t, "store", "backup", c.db, copied)
	later := filepath.Join(c.dir, "later")
	write(t, filepath.Join(later, manifestName), `{"layout":2,"store":"","files":{}}`)
	busy, err := os.OpenFile(filepath.Join(other.out, lockName), os.O_RDWR, 0)
	if err != nil || canLock && lock(busy, false) != nil {
		t.Fatal(err)
	}
	defer busy.Close()

	for _, test := range []struct{ name, db, out, err string }{
		{"a foreign folder", c.db, foreign, "is not empty, and store export has not written it: want a new folder"},
		{"another database", other.db, c.out, "is an export of another database: want a new folder"},
		{"a later version", c.db, later, "perfdata.json is not that of an export of this version: want a new folder"},
		{"at the same time", other.db, other.out, "another export is writing it"},
		{"a file", c.db, c.db, "not a directory"},
		{"a backup", copied, c.out, ""},
		{"an empty folder", c.db, t.TempDir(), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "at the same time" && !canLock {
				t.Skip("the system has no locks")
			}
			before, _ := os.ReadDir(test.out)
			_, stderr, status := runTool(nil, "store", "export", "-q", test.db, test.out)
			if test.err == "" {
				if stderr != "" || status != statusOK {
					t.Error(status, stderr)
				}
				return
			}
			if status != statusFailed || !strings.HasSuffix(stderr, ": "+test.err+"\n") || strings.Count(stderr, test.out) != 1 {
				t.Errorf("%d, %s", status, stderr)
			}
			if after, _ := os.ReadDir(test.out); test.name != "a later version" && !cmp.Equal(len(before), len(after)) {
				t.Errorf("it has %v", after)
			}
		})
	}
}
