package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"perfdata/traceid"
)

func under(tree string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = tree + "/" + name
	}
	return paths
}

// makeTree writes files, and returns their folder.
func makeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	tree := filepath.ToSlash(t.TempDir())
	for name, text := range files {
		name = filepath.Join(tree, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// A result is what runs wrote.
type result struct {
	rows   []resultRow // by table, day, trace, commit, issue, patchset and n
	failed []string    // paths
	parts  []string    // names of the files
	traces int         // rows of the table
}

type resultRow struct {
	table, day, trace string
	params            traceid.Params
	measurementColumns
}

// ingestTree runs the pipeline in a new folder and reads what it wrote.
func ingestTree(t *testing.T, tree string, patterns []string, o options) result {
	t.Helper()
	o.out = filepath.ToSlash(t.TempDir()) + "/out"
	status, stderr := ingestTo(t, patterns, o)
	r := readResult(t, tree, o.out)
	if want := min(1, len(r.failed)); status != want {
		t.Errorf("status %d, want %d: %s", status, want, stderr)
	}
	return r
}

func ingestTo(t *testing.T, patterns []string, o options) (status int, stderr string) {
	t.Helper()
	o.rows = cmp.Or(o.rows, 1<<20)
	o.retry = retry{Times: 3, Backoff: time.Microsecond}
	var out, err strings.Builder
	status = run(t.Context(), patterns, o, &out, &err)
	return status, err.String()
}

// readResult reads a folder. Paths are those below the tree.
func readResult(t *testing.T, tree, out string) (r result) {
	t.Helper()
	for _, name := range glob(t, out+"/*/day=*/*") {
		r.parts = append(r.parts, strings.TrimPrefix(name, out+"/"))
		want := `/part-\d{5}-of-\d{5}\.(parquet|jsonl)$|/days/day=[^/]*/summary.json$`
		if !regexp.MustCompile(want).MatchString(name) {
			t.Errorf("unexpected file %s", name)
		}
	}
	for _, name := range glob(t, out+"/failed/*/*") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var f failure
			if err := json.Unmarshal([]byte(line), &f); err != nil || f.Error == "" {
				t.Errorf("line %q: %v", line, err)
			}
			r.failed = append(r.failed, strings.TrimPrefix(f.Path, tree+"/"))
		}
	}
	slices.Sort(r.failed)

	for _, table := range []string{mainlineTable, trialsTable} {
		for _, name := range glob(t, out+"/"+table+"/*/*") {
			for _, row := range readPart[measurementColumns](t, name) {
				day := strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "day=")
				row.File = strings.TrimPrefix(row.File, tree+"/")
				at := resultRow{table: table, day: day, measurementColumns: row}
				r.rows = append(r.rows, at)
			}
		}
	}
	r.joinTraces(t, out)
	slices.SortStableFunc(r.rows, func(a, b resultRow) int {
		return cmp.Or(strings.Compare(a.table, b.table), strings.Compare(a.day, b.day), strings.Compare(a.trace, b.trace))
	})
	return r
}

// joinTraces sets the trace of each row. A day has each of its traces once.
func (r *result) joinTraces(t *testing.T, out string) {
	t.Helper()
	type place struct {
		day string
		key key
	}
	traces := make(map[place]traceColumns)
	for _, name := range glob(t, out+"/traces/*/*") {
		day := strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "day=")
		for _, row := range readPart[traceColumns](t, name) {
			at := place{day, row.Key}
			if _, ok := traces[at]; ok || row.Key != keyOf(row.Trace) || params(row.Params).ID() != row.Trace {
				t.Errorf("%s: twice, or not the trace of its key and params: %+v", name, row)
			}
			traces[at] = row
		}
	}
	used := make(map[place]bool)
	for i := range r.rows {
		row := &r.rows[i]
		at := place{row.day, row.Key}
		used[at] = true
		row.trace, row.params = traces[at].Trace, params(traces[at].Params)
	}
	if len(used) != len(traces) {
		t.Errorf("%d traces of rows, table has %d", len(used), len(traces))
	}
	r.traces = len(traces)
}

// readPart reads a Parquet file. It must be sorted by key.
func readPart[T any](t *testing.T, name string) []T {
	t.Helper()
	rows, err := parquet.ReadFile[T](name)
	if err != nil {
		t.Fatal(err)
	}
	sorted := slices.IsSortedFunc(rows, func(a, b T) int {
		keyA, keyB := reflect.ValueOf(a).Field(0).Interface().(key), reflect.ValueOf(b).Field(0).Interface().(key)
		return bytes.Compare(keyA[:], keyB[:])
	})
	if !sorted || len(rows) == 0 {
		t.Errorf("%s: %d rows, sorted %v", name, len(rows), sorted)
	}
	return rows
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (r result) lines() []string {
	var lines []string
	for _, row := range r.rows {
		line := fmt.Sprintf("%s %s %s %s#%d = %v %s", row.table, row.day, row.trace, row.Commit, row.N, row.Value, row.File)
		if row.Issue != "" || row.Patchset != "" {
			line += " " + row.Issue + "/" + row.Patchset
		}
		lines = append(lines, line)
	}
	return lines
}

// latest returns the rows of the newest file of each place, as the query in README does.
func (r result) latest() (latest []resultRow) {
	type place struct{ trace, commit, issue, patchset, file string }
	placeOf := func(row resultRow) place {
		p := place{row.trace, row.Commit, row.Issue, row.Patchset, ""}
		if row.Commit == "" {
			p.file = row.File
		}
		return p
	}
	age := func(row resultRow) string {
		if row.Hour == nil {
			return "\x00" + row.File
		}
		return row.Hour.UTC().Format(time.RFC3339) + "\x00" + row.File
	}
	newest := make(map[place]string)
	for _, row := range r.rows {
		newest[placeOf(row)] = max(newest[placeOf(row)], age(row))
	}
	for _, row := range r.rows {
		if newest[placeOf(row)] == age(row) {
			latest = append(latest, row)
		}
	}
	return latest
}
