package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest"
	"perfdata/series"
	"perfdata/traceid"
)

// exported returns the rows of an Export by day, as exportRow makes them, and checks their order.
func exported(t *testing.T, s *Store) (rows map[string][]string, states map[string]string) {
	t.Helper()
	rows, states = make(map[string][]string), make(map[string]string)
	err := s.Export(t.Context(), func(e *Export) error {
		traces := make(map[int64]ExportedTrace)
		err := e.Traces(func(trace *ExportedTrace) error {
			if _, ok := traces[trace.TraceID]; ok {
				t.Errorf("two traces have the ID %d", trace.TraceID)
			}
			traces[trace.TraceID] = *trace
			return nil
		})
		if err != nil {
			return err
		}
		var all, odd []int
		for i, day := range e.Days {
			states[day.Name] = day.State
			all = append(all, i)
			if i%2 == 1 {
				odd = append(odd, i)
			}
		}
		read := func(days []int) (map[string][]string, error) {
			found := make(map[string][]string)
			err := e.Rows(days, func(day int, r *ExportedRow) error {
				trace, ok := traces[r.TraceID]
				if !ok {
					t.Errorf("no trace has the ID %d", r.TraceID)
				}
				at := UnknownDay
				if r.CommitTime != nil {
					at = r.CommitTime.UTC().Format(time.DateOnly)
				}
				if at != e.Days[day].Name {
					t.Errorf("a commit of %s on %s", at, e.Days[day].Name)
				}
				name := e.Days[day].Name
				params := traceid.Merge(traceid.FromMap(trace.Params), traceid.FromMap(r.Params))
				found[name] = append(found[name], fmt.Sprintf("%s %s#%d %v %q %v %v %v %v %s",
					trace.Trace, r.Commit, r.N, r.Value, r.Unit, r.Better, params, traceid.FromMap(r.Attrs),
					traceid.FromMap(r.Links), r.File))
				return nil
			})
			return found, err
		}
		if rows, err = read(all); err != nil {
			return err
		}
		some, err := read(odd)
		for _, i := range odd {
			if diff := cmp.Diff(rows[e.Days[i].Name], some[e.Days[i].Name]); diff != "" {
				t.Errorf("alone, a day has other rows (-with all +alone):\n%s", diff)
			}
		}
		if len(some) != len(odd) {
			t.Errorf("%d days: want %d", len(some), len(odd))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, states
}

// measured returns the rows that Measurements has.
func measured(t *testing.T, s *Store) (rows []string) {
	for m, err := range s.Measurements(t.Context(), nil, Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		r := &m.Record
		rows = append(rows, fmt.Sprintf("%s %s#%d %v %q %v %v %v %v %s", m.Trace, m.Point.Commit, m.Point.N, r.Value, r.Unit,
			r.Better, r.Params, r.Attrs, r.Links, m.File))
	}
	slices.Sort(rows)
	return rows
}

// An Export has what Measurements has, of files of every format.
func TestExport(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		if _, err := s.Ingest(t.Context(), filesIn(os.DirFS("../testdata")), IngestOptions{AllowNoCommit: true}); err != nil {
			t.Fatal(err)
		}
		days, _ := exported(t, s)
		var got []string
		for _, rows := range days {
			got = append(got, rows...)
		}
		slices.Sort(got)
		if diff := cmp.Diff(measured(t, s), got); diff != "" {
			t.Errorf("(-measurements +export):\n%s", diff)
		}
		if len(days) < 3 || len(days[UnknownDay]) == 0 {
			t.Errorf("%d days", len(days))
		}
	})
}

// The state of a day changes if its rows do, and else stays the same, whatever happens to other
// days. So does that of the traces.
func TestExportStates(t *testing.T) {
	at := func(day int) string {
		return fmt.Sprintf(`"git_hash":"c%d","key":{"commit-time":"2026-11-0%dT23:59:59Z"}`, day, day)
	}
	first := tree{
		"2026/11/01/00/a.json": skia(at(1), "x=1", "y=2"),
		"2026/11/02/00/b.json": skia(at(2), "x=3", "y=4"),
		"2026/11/03/00/c.json": skia(at(3), "x=5", "y=6"),
		"d.json":               skia(`"git_hash":"d"`, "x=7", "y=8"),
	}
	const d1, d2, d3 = "2026-11-01", "2026-11-02", "2026-11-03"
	remove := func(sel Selection) func(t *testing.T, s *Store) {
		return func(t *testing.T, s *Store) {
			if _, err := s.Delete(t.Context(), sel); err != nil {
				t.Fatal(err)
			}
		}
	}
	add := func(path, text string) func(t *testing.T, s *Store) {
		return func(t *testing.T, s *Store) { putAll(t, s, tree{path: text}) }
	}
	inRun := func(run string, files tree) func(t *testing.T, s *Store) {
		return func(t *testing.T, s *Store) {
			walk := ingest.Walk(files.fs(), ".", ingest.WalkOptions{})
			if _, err := s.Ingest(t.Context(), walk, IngestOptions{Run: run}); err != nil {
				t.Fatal(err)
			}
		}
	}
	query, err := traceid.ParseQuery("test=x")
	if err != nil {
		t.Fatal(err)
	}

	// Each step changes the database as the previous steps left it.
	steps := []struct {
		name    string
		do      func(t *testing.T, s *Store)
		changed []string
		traces  bool // changed
	}{
		{"nothing", func(*testing.T, *Store) {}, nil, false},
		{"a file again", add("2026/11/01/00/a.json", first["2026/11/01/00/a.json"]), nil, false},
		{"a trial", add("t.json", skia(at(2)+`,"changelist":"1","patchset":"2"`, "t=9")), nil, false},
		{"a newer file of a day", add("2026/11/03/05/b.json", skia(at(2), "x=33")), []string{d2}, false},
		{"an older one, which is hidden", add("2026/11/01/05/b.json", skia(at(2), "x=34")), nil, false},
		{"a new trace", add("2026/11/04/00/z.json", skia(at(1), "z=9")), []string{d1}, true},
		{"another spelling", add("2026/11/05/00/z.json", skia(at(3), "z é=9", "x=50")), []string{d3}, true},
		{"a run", inRun("r", tree{"2026/10/01/00/r.json": skia(at(1), "x=-1")}), nil, false},
		{"the run is newer by a file of another day", inRun("r", tree{"2026/12/01/00/r.json": skia(at(3), "x=-3")}),
			[]string{d1, d3}, false},
		{"a list", func(t *testing.T, s *Store) {
			setList(t, s, "d 2026-11-02T00:00:00Z")
		}, []string{d2, UnknownDay}, false},
		{"the list is longer", func(t *testing.T, s *Store) {
			setList(t, s, "d 2026-11-02T00:00:00Z", "e 2026-11-03T00:00:00Z")
		}, nil, false},
		{"a measurement is deleted", remove(Selection{Paths: []string{"2026/11/02/00/b.json"}, Query: query}), nil, false},
		{"and the one that had hidden it", remove(Selection{Paths: []string{"2026/11/03/05/b.json"}}), []string{d2}, false},
		{"a trace is deleted", remove(Selection{Paths: []string{"2026/11/04/00/z.json"}}), []string{d1}, true},
		{"vacuum", func(t *testing.T, s *Store) {
			if _, err := s.Vacuum(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, nil, false},
		{"a day is deleted", remove(Selection{Commit: "c3"}), []string{d3}, true},
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, first)
		identity, traces := "", ""
		look := func() {
			err := s.Export(t.Context(), func(e *Export) error {
				identity, traces = e.ID, e.TracesState
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		rows, states := exported(t, s)
		for _, step := range steps {
			look()
			id, before := identity, traces
			step.do(t, s)
			newRows, newStates := exported(t, s)
			var changed []string
			for _, day := range []string{d1, d2, d3, UnknownDay} {
				if cmp.Equal(rows[day], newRows[day]) {
					continue
				}
				changed = append(changed, day)
				if states[day] == newStates[day] {
					t.Errorf("%s: %s has the same state", step.name, day)
				}
			}
			if diff := cmp.Diff(step.changed, changed); diff != "" {
				t.Errorf("%s: days (-want +got):\n%s", step.name, diff)
			}
			if step.changed == nil && !strings.Contains(step.name, "hidden") && !strings.Contains(step.name, "deleted") &&
				step.name != "a run" && !cmp.Equal(states, newStates) {
				t.Errorf("%s: the states changed: %s", step.name, cmp.Diff(states, newStates))
			}
			look()
			if changed := before != traces; changed != step.traces || id != identity {
				t.Errorf("%s: the traces changed: %v; identity %s, then %s", step.name, changed, id, identity)
			}
			rows, states = newRows, newStates
		}
	})
}

// setList gives the store a list of commits, each written as hash and time.
func setList(t *testing.T, s *Store, commits ...string) {
	t.Helper()
	var list []series.Commit
	for _, c := range commits {
		hash, text, _ := strings.Cut(c, " ")
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, series.Commit{Hash: hash, Time: at})
	}
	if _, err := s.SetCommits(t.Context(), "", list); err != nil {
		t.Fatal(err)
	}
}

// An Export has what a list says of commits, and tells those of the list from the others.
func TestExportCommits(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{"a": skia(at("7cd9"), "x=1"), "b": skia(at("e"), "x=2")})
		listed := series.Commit{
			Hash: "7cd9055e", Parents: []string{"1", "2"}, Time: time.Unix(1785405600, 0).UTC(), Author: "Ann", Subject: "faster",
		}
		if _, err := s.SetCommits(t.Context(), "main", []series.Commit{{Hash: "1"}, listed}); err != nil {
			t.Fatal(err)
		}

		want := []ExportedCommit{
			{
				Commit: "7cd9", Position: 0, CommitTime: &listed.Time, Listed: true, Hash: "7cd9055e", Parents: "1 2", Author: "Ann",
				Subject: "faster", Repository: "main",
			},
			{Commit: "e", Position: 1},
		}
		err := s.Export(t.Context(), func(e *Export) error {
			if diff := cmp.Diff(want, e.Commits); diff != "" {
				t.Errorf("commits (-want +got):\n%s", diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
