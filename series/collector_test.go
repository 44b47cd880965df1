package series_test

import (
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

// collect collects records. The column of each is its param column.
func collect(t *testing.T, records ...string) []*series.Series {
	t.Helper()
	var c series.Collector
	placer := series.Placer{NotIdentity: []string{"column"}}
	for i, text := range records {
		rec := record(text)
		rec.Value = float64(i)
		at, err := placer.Place(rec)
		if err != nil {
			t.Fatal(err)
		}
		column, _ := rec.Params.Get("column")
		if err := c.Add(at, len(column)); err != nil {
			t.Fatal(err)
		}
	}
	return c.Series()
}

func TestCollector(t *testing.T) {
	all := collect(t, "a=1", "a=2 column=x", "a=1 column=x", "a=2", "a=1")
	var got []string
	for _, s := range all {
		text := fmt.Sprint(s.Trace, s.Len(), s.AppendSide(nil, 0), s.AppendSide(nil, 1), s.Has(2))
		for column, value := range s.Values() {
			text += fmt.Sprintf(" %d:%g", column, value)
		}
		got = append(got, text)
	}
	want := []string{",a=1,3 [0 4] [2] false 0:0 1:2 0:4", ",a=2,2 [3] [1] false 1:1 0:3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCollectorLimit(t *testing.T) {
	c := series.Collector{MaxValues: 1}
	var placer series.Placer
	at, err := placer.Place(record("a=1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add(at, 0); err != nil {
		t.Fatal(err)
	}
	if c.Len() != 1 {
		t.Errorf("%d series, want 1", c.Len())
	}
	if err := c.Add(at, 0); !errors.Is(err, format.ErrLimit) {
		t.Errorf("error %v, want %v", err, format.ErrLimit)
	}
}

// What a series knows of all its points.
func TestCollectorAttrs(t *testing.T) {
	const file = `Unit B/op assume=exact
Unit frames better=higher
BenchmarkA 1 5 ns/op 3 B/op 4 frames
`
	var c series.Collector
	var placer series.Placer
	r := benchfmt.NewReader(strings.NewReader(file))
	hosts := []string{"x", "y"}
	for range 2 {
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			rec = rec.Clone()
			rec.Attrs = traceid.Merge(rec.Attrs, traceid.Of("host", hosts[0]))
			at, err := placer.Place(rec)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Add(at, 0); err != nil {
				t.Fatal(err)
			}
		}
		hosts = hosts[1:]
		r = benchfmt.NewReader(strings.NewReader(strings.Replace(file, " 3 B/op", "", 1)))
	}
	var got []string
	for _, s := range c.Series() {
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
