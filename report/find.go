package report

import (
	"slices"

	"perfdata/series/change"
)

// PointOf returns the point of the values at a commit: their median, the least and the greatest. Values
// that are not finite count only if all are of that kind. There must be one at least. PointOf sorts the
// values.
func PointOf(commit int, values []float64) Point {
	p := Point{Commit: commit, N: 1, Value: values[0]}
	values = slices.DeleteFunc(values, func(v float64) bool { return special(v) != 0 })
	n := len(values)
	if n == 0 {
		return p
	}

	slices.Sort(values)
	p.N, p.Min, p.Max, p.Value = n, values[0], values[n-1], values[n/2]
	if n%2 == 0 {
		p.Value = values[n/2-1]/2 + values[n/2]/2
	}
	return p
}

// FindChanges sets the marks of the series, and the findings of the page, as package series/change finds
// them: the changes of several series that one commit may have caused are one finding. Findings are of
// changes that exceed the threshold, which is 0.05 for 5%, and whose q is at most alpha. The first are
// those in which something got worse.
//
// It looks at the series for which isJudged returns true, such as those that [series.Judged] returns,
// or at all if isJudged is nil. It returns their number.
func (p *Page) FindChanges(isJudged func(series int) bool, alpha, threshold float64) int {
	var finder change.Finder
	var judged []change.Series
	var numbers []int // of the judged series
	var values []float64
	for i := range p.Series {
		if isJudged != nil && !isJudged(i) {
			continue
		}
		s := &p.Series[i]
		values = values[:0]
		for _, at := range s.Points {
			values = append(values, at.Value)
		}
		one := change.Series{Params: s.Params, Better: s.Better}
		if points := finder.Find(values); len(points) > 0 {
			one.Points = slices.Clone(points)
			for _, at := range s.Points {
				one.Commits = append(one.Commits, at.Commit)
			}
		}
		s.Marks = nil
		for _, found := range one.Points {
			s.Marks = append(s.Marks, markOf(found, s.Points))
		}
		judged, numbers = append(judged, one), append(numbers, i)
	}

	findings, _ := change.Findings(judged, alpha, threshold)
	p.Findings = nil
	for i := range findings {
		p.Findings = append(p.Findings, p.finding(&findings[i], judged, numbers))
	}
	slices.SortStableFunc(p.Findings, func(a, b Finding) int {
		return slices.Index(verdictOrder, a.Verdict) - slices.Index(verdictOrder, b.Verdict)
	})
	return len(judged)
}

// verdictOrder is the order of findings.
var verdictOrder = []Verdict{Worse, Changed, Better}

// markOf returns a point of a Finder as a mark.
func markOf(found change.Point, points []Point) Mark {
	m := Mark{
		Commit: points[found.Index].Commit, Lo: points[found.Lo].Commit, Hi: points[min(found.Hi, len(points)-1)].Commit,
		Before: found.Before, After: found.After,
	}
	switch found.Kind {
	case change.Step:
		if found.Lo > 0 {
			m.Lo = points[found.Lo-1].Commit + 1 // each commit without a value may be the cause
		}
	case change.Trend:
		m.Kind = Trend
		m.Hi = points[max(found.Hi-1, found.Index)].Commit // the trend ends before Hi
	case change.Outlier:
		m.Kind = Outlier
	}
	return m
}

// finding returns a finding of package change. Its mark is that of the series that changed most, with
// the commits at which the changes of all of them may be.
func (p *Page) finding(found *change.Finding, judged []change.Series, numbers []int) Finding {
	first := found.Changes[0]
	s := &p.Series[numbers[first.Series]]
	f := Finding{
		Verdict: Changed, Params: found.Params, Ratio: found.Ratio, Worse: found.Worse, Better: found.Better,
		Mark: markOf(judged[first.Series].Points[first.Point], s.Points),
	}
	if f.Kind == Step {
		f.Lo, f.Hi = found.Lo, min(found.Hi, len(p.Commits)-1)
		if f.Commit < f.Lo || f.Commit > f.Hi {
			f.Commit = found.At
		}
	}

	switch {
	case found.Worse > 0:
		f.Verdict = Worse
	case found.Better > 0:
		f.Verdict = Better
	}

	seen := make(map[int]bool, len(found.Changes))
	for _, c := range found.Changes {
		if n := numbers[c.Series]; !seen[n] {
			seen[n] = true
			f.Series = append(f.Series, n)
		}
	}
	return f
}
