package series_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// collect collects records. The side of each is the length of its param column.
func collect(t *testing.T, records ...string) []*series.Series {
	t.Helper()
	a := series.Answer{NotIdentity: []string{"column"}}
	for i, text := range records {
		rec := record(text)
		rec.Value = float64(i)
		column, _ := rec.Params.Get("column")
		ask(t, &a, len(column), rec)
	}
	return a.Series()
}

// ask adds records to a side.
func ask(t *testing.T, a *series.Answer, side int, records ...*format.Record) {
	t.Helper()
	all := func(yield func(*format.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
	if err := a.Ask(context.Background(), side, &series.Question{}, &series.Records{All: all}); err != nil {
		t.Fatal(err)
	}
}

func TestSeries(t *testing.T) {
	all := collect(t, "a=1", "a=2 column=x", "a=1 column=x", "a=2", "a=1")
	var got []string
	for _, s := range all {
		got = append(got, fmt.Sprint(s.Trace, s.Len(), s.AppendSide(nil, 0), s.AppendSide(nil, 1), s.Has(2)))
	}
	want := []string{",a=1,3 [0 4] [2] false", ",a=2,2 [3] [1] false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A series of many values, which are kept in several pieces, has all of them in their order.
func TestManyValues(t *testing.T) {
	const n = 10_000
	var a series.Answer
	rec, want := record("a=b"), []float64{}
	for i := range n {
		rec.Value = float64(i)
		ask(t, &a, series.Old, rec)
		want = append(want, rec.Value)
	}
	if diff := cmp.Diff(want, a.Series()[0].AppendSide(nil, series.Old)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLimit(t *testing.T) {
	a := series.Answer{MaxValues: 1}
	ask(t, &a, series.Old, record("a=1"))
	if a.Len() != 1 {
		t.Errorf("%d series, want 1", a.Len())
	}
	all := func(yield func(*format.Record, error) bool) { yield(record("a=1"), nil) }
	err := a.Ask(context.Background(), series.Old, &series.Question{}, &series.Records{All: all})
	if !errors.Is(err, format.ErrLimit) {
		t.Errorf("error %v, want %v", err, format.ErrLimit)
	}
}

// What a series knows of all its points.
func TestSeriesAttrs(t *testing.T) {
	const file = `Unit B/op assume=exact
Unit frames better=higher
BenchmarkA 1 5 ns/op 3 B/op 4 frames
`
	var a series.Answer
	for i, text := range []string{file, strings.Replace(file, " 3 B/op", "", 1)} {
		for rec, err := range benchfmt.NewReader(strings.NewReader(text)).Records() {
			if err != nil {
				t.Fatal(err)
			}
			rec = rec.Clone()
			rec.Attrs = traceid.Merge(rec.Attrs, traceid.Of("host", []string{"x", "y"}[i]))
			ask(t, &a, series.Old, rec)
		}
	}
	var got []string
	for _, s := range a.Series() {
		got = append(got, fmt.Sprintf("%s %s %t exact %t machines %t", s.Unit, s.Better, s.ByUnit, s.Exact, s.Machines))
	}
	want := []string{
		"ns/op lower true exact false machines true",
		"B/op lower true exact true machines false",
		"frames higher false exact false machines true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJudged(t *testing.T) {
	for _, test := range []struct {
		name    string
		records string
		want    string
	}{
		{"no statistic", "a=1|a=2", ",a=1, ,a=2,"},
		{"single values", "a=1 stat=median|a=1|a=1 stat=mean", ",a=1,"},
		{"median", "a=1 stat=mean|a=1 stat=median|a=1 stat=min", ",a=1,stat=median,"},
		{"mean", "a=1 stat=mean|a=1 stat=p99|a=2 stat=mean", ",a=1,stat=mean, ,a=2,stat=mean,"},
		{"the only one", "a=1 stat=p99|a=2", ",a=1,stat=p99, ,a=2,"},
		{"none", "a=1 stat=p99|a=1 stat=min|a=2", ",a=2,"},
		{"the one in both sets", "a=1 stat=median|a=1 stat=mean|a=1 stat=mean column=x", ",a=1,stat=mean,"},
		{"in neither", "a=1 stat=median|a=1 stat=mean column=x", ",a=1,stat=median,"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := collect(t, strings.Split(test.records, "|")...)
			both := func(s *series.Series) bool { return s.Has(0) && s.Has(1) }
			judged, undecided := series.Judged(all, both)
			var got []string
			for _, s := range judged {
				got = append(got, s.Trace)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := map[string]int{"none": 1}[test.name]; len(undecided) != want {
				t.Errorf("%d undecided, want %d", len(undecided), want)
			}
		})
	}
}
