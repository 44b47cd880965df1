package change_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/traceid"
)

// Series are in the order of their traces, and of several statistics, one is judged.
func TestSearch(t *testing.T) {
	commits := make([]series.Commit, 20)
	stepped := make([]series.Sample, len(commits))
	for i := range commits {
		commits[i].Hash = fmt.Sprintf("c%02d", i)
		stepped[i] = series.Sample{Commit: i, Values: []float64{100 + float64(i%3) + float64(i/10)*50}}
	}
	for _, test := range []struct {
		name   string
		method func(medians []float64) []change.Point
		want   string
	}{
		{"finder", nil, "[,name=A, ,name=B,stat=median,] c10 [,name=A, ,name=B,stat=median,] 2 in reach, 0 short"},
		{"another method", func(medians []float64) []change.Point {
			return []change.Point{{Index: 5, Lo: 5, Hi: 5, Before: 1, After: 2, Ratio: 2, P: 1e-9}}
		}, "[,name=A, ,name=B,stat=median,] c05 [,name=A, ,name=B,stat=median,] 2 in reach, 0 short"},
	} {
		t.Run(test.name, func(t *testing.T) {
			search := change.Search{Method: test.method}
			for _, params := range []traceid.Params{
				traceid.Of("name", "B", "stat", "max"), traceid.Of("name", "B", "stat", "median"), traceid.Of("name", "A"),
			} {
				search.Add(&series.Series{Trace: params.ID(), Identity: params, Better: format.Lower}, stepped)
			}
			r := search.Result(commits, 0.05, 0.05)
			var traces []string
			for _, s := range r.Series {
				traces = append(traces, s.Trace)
			}
			got := fmt.Sprint(traces)
			for _, f := range r.Findings {
				got += fmt.Sprintf(" %s [", r.Commits[f.At])
				for i, c := range f.Changes {
					got += fmt.Sprint([]string{"", " "}[min(i, 1)], traces[c.Series])
				}
				got += "]"
			}
			got += fmt.Sprintf(" %d in reach, %d short", r.Reach.Series, r.Reach.Short)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
