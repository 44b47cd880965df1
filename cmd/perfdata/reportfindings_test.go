package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/report"
	seriesChange "perfdata/series/change"
)

// Changes at the same commits are one finding, and those that chance explains are none.
func TestFindingsOf(t *testing.T) {
	at := func(series, lo, hi int, ratio float64, v report.Verdict, kind report.Kind) foundChange {
		return foundChange{Mark: report.Mark{Kind: kind, Commit: lo, Lo: lo, Hi: hi}, series: series, ratio: ratio, verdict: v}
	}
	for _, test := range []struct {
		name  string
		found []foundChange
		want  []string
	}{
		{"none", nil, nil},
		{"one cause", []foundChange{
			at(0, 5, 6, 1.1, report.Worse, report.Step), at(1, 6, 8, 1.3, report.Worse, report.Step), at(2, 4, 6, 1.2, report.Worse, report.Step),
		}, []string{"worse [1 2 0] 6"}},
		{"two causes", []foundChange{
			at(0, 5, 6, 1.1, report.Worse, report.Step), at(0, 7, 8, 1.3, report.Worse, report.Step),
		}, []string{"worse [0] 7", "worse [0] 5"}},
		{"two directions, and a trend", []foundChange{
			at(0, 5, 6, 1.1, report.Better, report.Step), at(1, 5, 6, 1.1, report.Worse, report.Step),
			at(2, 5, 6, 1.1, report.Changed, report.Step), at(3, 5, 6, 1.05, report.Worse, report.Trend),
		}, []string{"worse [1] 5", "worse [3] 5", "changed [2] 5", "better [0] 5"}},
		{"from and to zero", []foundChange{
			at(0, 1, 1, math.Inf(1), report.Worse, report.Step), at(1, 5, 5, 0, report.Worse, report.Step), at(2, 8, 8, 3, report.Worse, report.Step),
		}, []string{"worse [0] 1", "worse [1] 5", "worse [2] 8"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range findingsOf(test.found) {
				got = append(got, fmt.Sprint(f.Verdict, " ", f.Series, " ", f.Commit))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSignificant(t *testing.T) {
	of := func(all ...float64) []foundChange {
		var found []foundChange
		for _, p := range all {
			found = append(found, foundChange{p: p})
		}
		return found
	}
	for _, test := range []struct {
		found []foundChange
		tests int
		want  int
	}{
		{nil, 10, 0},
		{of(0.02), 1, 1},
		{of(0.02), 10, 0},
		{of(0.02, 0.001), 10, 1},
		{of(0.02, 0.02, 0.02, 0.02, 0.02), 10, 5},
	} {
		if got := len(significant(test.found, test.tests, 0.05)); got != test.want {
			t.Errorf("%v of %d tests: %d, want %d", test.found, test.tests, got, test.want)
		}
	}
}

// Places are those of commits, and verdicts depend on the direction.
func TestMarkOf(t *testing.T) {
	points := []report.Point{{Commit: 1}, {Commit: 3}, {Commit: 7}, {Commit: 8}}
	for _, test := range []struct {
		point seriesChange.Point
		want  report.Mark
	}{
		{seriesChange.Point{Index: 2, Lo: 1, Hi: 3}, report.Mark{Commit: 7, Lo: 3, Hi: 8}},
		{seriesChange.Point{Kind: seriesChange.Trend, Index: 2, Lo: 0, Hi: 4}, report.Mark{Kind: report.Trend, Commit: 7, Lo: 1, Hi: 8}},
		{seriesChange.Point{Kind: seriesChange.Outlier, Index: 1, Lo: 1, Hi: 1}, report.Mark{Kind: report.Outlier, Commit: 3, Lo: 3, Hi: 3}},
	} {
		if diff := cmp.Diff(test.want, markOf(test.point, points)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.point, diff)
		}
	}

	up := seriesChange.Point{Before: 1, After: 2}
	var got []string
	for _, better := range []format.Direction{format.Unknown, format.Lower, format.Higher} {
		got = append(got, string(verdictOf(up, better)))
	}
	if got := strings.Join(got, " "); got != "changed worse better" {
		t.Errorf("verdicts %s", got)
	}
}
