package store

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/internal/testing/quick"
	"perfdata/series"
)

// row returns a measurement with its place, as a text.
func row(rec *format.Record, trace, commit string, n int, value float64, file string) string {
	return fmt.Sprintf("%s %s %s#%d %s %v %q %v %v %v %v %s:%d", rec.TraceID(), trace, commit, n, rec.Commit, value, rec.Unit,
		rec.Better, rec.Params, rec.Attrs, rec.Links, file, rec.Offset)
}

// rowsOf returns the rows of a file. Recoverable errors are left out, as Ingest does.
func rowsOf(t *testing.T, fsys fs.FS, name string) (rows []string) {
	f, err := perfdata.OpenFS(fsys, name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var placer series.Placer
	for rec, err := range f.Records() {
		if err != nil {
			continue
		}
		at, err := placer.Place(rec)
		if err != nil {
			continue
		}
		c := rec.Clone()
		c.Commit = at.Commit
		rows = append(rows, row(c, string(at.Trace), at.Commit, at.N, rec.Value, name))
	}
	return rows
}

// storedRows returns the rows of a store.
func storedRows(t *testing.T, s *Store, r Range) []string {
	return rowsOfAll(t, s.Measurements(t.Context(), nil, r))
}

func rowsOfAll(t *testing.T, all iter.Seq2[*Measurement, error]) (rows []string) {
	for m, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		if m.Record.Value != m.Point.Value && m.Record.Value == m.Record.Value {
			t.Errorf("value %v, in the point %v", m.Record.Value, m.Point.Value)
		}
		rows = append(rows, row(&m.Record, m.Trace, m.Point.Commit, m.Point.N, m.Point.Value, m.File))
	}
	return rows
}

// filesIn returns the files of testdata except seeds of fuzzing. In quick tests, it is each fourth file of a folder
// that has the same extension.
func filesIn(fsys fs.FS) iter.Seq2[ingest.File, error] {
	return func(yield func(ingest.File, error) bool) {
		kinds := make(map[string]int)
		for f, err := range ingest.Walk(fsys, ".", ingest.WalkOptions{Order: ingest.ByPath}) {
			kind := path.Dir(f.Path) + path.Ext(f.Path)
			isLeftOut := strings.HasPrefix(f.Path, "fuzz/") || kinds[kind]%quick.Of(1, 4) > 0
			if kinds[kind]++; !isLeftOut && !yield(f, err) {
				return
			}
		}
	}
}

// A store has everything that a file says about its measurements, in every format.
func TestMeasurements(t *testing.T) {
	fsys := os.DirFS("../testdata")
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		total := make(map[string]int) // by format
		for f, err := range filesIn(fsys) {
			if err != nil {
				t.Fatal(err)
			}
			var report ingest.Report
			one := func(yield func(ingest.File, error) bool) { yield(f, nil) }
			options := IngestOptions{AllowNoCommit: true}
			options.Report = func(r ingest.Report) { report = r }
			if _, err := s.Ingest(t.Context(), one, options); err != nil {
				t.Fatal(err)
			}
			if report.Err != nil {
				continue
			}

			want := rowsOf(t, fsys, f.Path)
			header := trialOf(t, fsys, f.Path)
			got := storedRows(t, s, Range{Trial: header})
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", f.Path, diff)
			}
			total[report.Format] += len(got)
			deletePath(t, s, f.Path)
		}
		for _, f := range perfdata.Formats() {
			if total[f.Name] == 0 && f.NewWriter != nil {
				t.Errorf("no measurement of %s", f.Name)
			}
		}
	})
}

// trialOf returns the trial of a file.
func trialOf(t *testing.T, fsys fs.FS, name string) Trial {
	f, err := perfdata.OpenFS(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := f.FileHeader()
	if err != nil {
		t.Fatal(err)
	}
	return Trial{Issue: h.Issue, Patchset: h.Patchset}
}

// The unit, direction, attrs and links of a point come from its file, even where files differ.
func TestMeasurementsOfFiles(t *testing.T) {
	file := func(unit, host string, values ...string) string {
		text := "Unit widgets better=" + unit + "\nhost: " + host + "\n"
		for _, v := range values {
			text += "BenchmarkX 1 " + v + " widgets\n"
		}
		return text
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		put(t, s, tree{
			"2026/01/02/03/a.txt": "commit: c1\n" + file("lower", "h", "1", "2"),
			"2026/01/02/04/b.txt": "commit: c2\n" + file("higher", "h", "3"),
		}, ingest.RunOptions{})
		var got []string
		for m, err := range s.Measurements(t.Context(), nil, Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s#%d %v %s %s %v %s", m.Record.TraceID(), m.Point.Commit, m.Point.N, m.Record.Value,
				m.Record.Unit, m.Record.Better, m.Record.Attrs, path.Base(m.File)))
		}
		want := []string{
			",commit=c1,host=h,name=X,unit=widgets, c1#1 1 widgets lower [{better lower} {iterations 1}] a.txt",
			",commit=c1,host=h,name=X,unit=widgets, c1#2 2 widgets lower [{better lower} {iterations 1}] a.txt",
			",commit=c2,host=h,name=X,unit=widgets, c2#1 3 widgets higher [{better higher} {iterations 1}] b.txt",
		}
		check(t, "measurements", want, got)
		for one, err := range s.Query(t.Context(), nil, Range{}) {
			if err != nil || one.Unit != "widgets" || one.Better != format.Higher {
				t.Errorf("%+v, %v", one, err)
			}
		}

		// An iteration may end at any step, and a commit may be unknown.
		for range s.Measurements(t.Context(), nil, Range{}) {
			break
		}
		for _, err := range s.Measurements(t.Context(), nil, Range{First: "c3"}) {
			if !errors.Is(err, ErrUnknownCommit) {
				t.Errorf("error %v", err)
			}
		}
	})
}

// A series has all repetitions, also those that its file had numbered by a param.
func TestAskRepetitions(t *testing.T) {
	s := open(t, path.Join(t.TempDir(), "a.db"))
	putRun(t, s, "", "a.keyval", "\nx{perf}=1\n\nx{perf}=2\n")
	a := series.Answer{Charset: s.Charset()}
	if err := a.Ask(t.Context(), series.Old, &series.Question{}, s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range a.Series() {
		got = append(got, fmt.Sprint(one.Trace, one.AppendSide(nil, series.Old)))
	}
	check(t, "series", []string{",key=x,[1 2]"}, got)
}

// Annotations share rows. A file has more of them than a row, the cache or a chunk of records has,
// and some repeat annotations of earlier lines.
func TestRowGroups(t *testing.T) {
	const lines = recordsAtOnce + 100
	var b strings.Builder
	b.WriteString("commit: c1\n")
	for i := range lines {
		n := i
		if i%5 == 4 {
			n = i / 2
		}
		fmt.Fprintf(&b, "BenchmarkX/i=%d %d 2.5 ns/op\n", i, 1+n)
	}
	fsys := tree{"a.txt": b.String()}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, fsys)
		want, got := rowsOf(t, fsys.fs(), "a.txt"), storedRows(t, s, Range{})
		slices.Sort(want)
		slices.Sort(got)
		check(t, "number of measurements", lines, len(got))
		if !slices.Equal(want, got) {
			t.Errorf("measurements (-want +got):\n%.2000s", cmp.Diff(want, got))
		}
	})
}
