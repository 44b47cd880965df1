package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	seriesChange "perfdata/series/change"
)

// findings finds what changed in the series of a page: marks for each, and findings.
//
// Changes of several series in the same direction whose intervals overlap are one finding. With many
// series, some seem to change by chance: a change is a finding only if the expected share of such
// ones among all findings is at most alpha (Benjamini and Hochberg).
func (r *reporter) findings(page *report.Page, all []*series.Series) {
	judged, _ := series.Judged(all, nil)
	isJudged := make(map[*series.Series]bool, len(judged))
	for _, s := range judged {
		isJudged[s] = true
	}

	var finder seriesChange.Finder
	var found []foundChange
	var values []float64
	tests := 0
	for i, s := range all {
		if !isJudged[s] {
			continue
		}
		tests++
		to := &page.Series[i]
		values = values[:0]
		for _, p := range to.Points {
			values = append(values, p.Value)
		}
		for _, p := range finder.Find(values) {
			m := markOf(p, to.Points)
			to.Marks = append(to.Marks, m)
			if p.Kind != seriesChange.Outlier && math.Abs(p.Ratio-1) >= r.threshold {
				found = append(found, foundChange{Mark: m, series: i, p: p.P, ratio: p.Ratio, verdict: verdictOf(p, to.Better)})
			}
		}
	}

	page.Findings = findingsOf(significant(found, max(tests, len(found)), r.alpha))
	if len(page.Findings) == 0 && tests > 0 {
		page.Notes = append(page.Notes, "no change of more than "+strconv.FormatFloat(100*r.threshold, 'g', 3, 64)+"% was found")
	}
}

// A foundChange is a change of a series.
type foundChange struct {
	report.Mark
	series   int
	p, ratio float64
	verdict  report.Verdict
}

// size returns how large the change is, on a scale on which doubling and halving are equal. A change
// from or to zero is the largest.
func (f *foundChange) size() float64 {
	const most = 10
	if size := math.Abs(math.Log(f.ratio)); size < most {
		return size
	}
	return most
}

// markOf returns a point of the Finder as a mark.
func markOf(p seriesChange.Point, points []report.Point) report.Mark {
	m := report.Mark{
		Commit: points[p.Index].Commit, Lo: points[p.Lo].Commit, Hi: points[min(p.Hi, len(points)-1)].Commit,
		Before: p.Before, After: p.After,
	}
	switch p.Kind {
	case seriesChange.Trend:
		m.Kind = report.Trend
		m.Hi = points[max(p.Hi-1, p.Index)].Commit // the trend ends before Hi
	case seriesChange.Outlier:
		m.Kind = report.Outlier
	}
	return m
}

// verdictOf returns the verdict of a change.
func verdictOf(p seriesChange.Point, better format.Direction) report.Verdict {
	switch {
	case better == format.Unknown:
		return report.Changed
	case (p.After > p.Before) == (better == format.Lower):
		return report.Worse
	}
	return report.Better
}

// significant returns the changes that are significant, of the given number of tests.
func significant(found []foundChange, tests int, alpha float64) []foundChange {
	slices.SortStableFunc(found, func(a, b foundChange) int { return cmp.Compare(a.p, b.p) })
	for n := len(found); n > 0; n-- {
		if found[n-1].p*float64(tests) <= alpha*float64(n) {
			return found[:n]
		}
	}
	return nil
}

// verdictOrder is the order of findings.
var verdictOrder = []report.Verdict{report.Worse, report.Changed, report.Better}

// findingsOf returns changes as findings, the worst first: by the size of all their changes.
func findingsOf(found []foundChange) []report.Finding {
	slices.SortStableFunc(found, func(a, b foundChange) int {
		return cmp.Or(slices.Index(verdictOrder, a.verdict)-slices.Index(verdictOrder, b.verdict),
			int(a.Kind-b.Kind), a.Hi-b.Hi, a.series-b.series)
	})
	var groups [][]foundChange
	for len(found) > 0 {
		n, first := 1, &found[0] // the others end after it
		for n < len(found) && found[n].verdict == first.verdict && found[n].Kind == first.Kind && found[n].Lo <= first.Hi {
			n++
		}
		slices.SortStableFunc(found[:n], func(a, b foundChange) int { return cmp.Compare(b.size(), a.size()) })
		groups = append(groups, found[:n])
		found = found[n:]
	}

	total := func(g []foundChange) (sum float64) {
		for i := range g {
			sum += g[i].size()
		}
		return sum
	}
	slices.SortStableFunc(groups, func(a, b []foundChange) int {
		return cmp.Or(slices.Index(verdictOrder, a[0].verdict)-slices.Index(verdictOrder, b[0].verdict), cmp.Compare(total(b), total(a)))
	})
	var all []report.Finding
	for _, g := range groups {
		f := report.Finding{Verdict: g[0].verdict, Mark: g[0].Mark}
		for i := range g {
			if !slices.Contains(f.Series, g[i].series) {
				f.Series = append(f.Series, g[i].series)
			}
		}
		all = append(all, f)
	}
	return all
}
