package main

import (
	"cmp"
	"math"
	"slices"

	"perfdata/report"
	"perfdata/series"
)

// page makes the page of what was read.
func (r *reporter) page(listed []series.Commit) (*report.Page, error) {
	numbers, order := r.timeline.Sort(listed)
	page := &report.Page{CommitURL: r.commitURL}
	if len(numbers) > 1 {
		text := r.order
		if text == "" || r.commits != "" {
			text = order.String()
		}
		page.Notes = append(page.Notes, text)
	}
	ranks := make([]int, len(numbers)) // of the commits, by their numbers
	for rank, n := range numbers {
		ranks[n] = rank
		page.Commits = append(page.Commits, r.timeline.Commit(n, listed))
	}

	for i := range r.unjudged {
		page.Problems = append(page.Problems, r.unjudged[i].String())
	}
	if r.left > 0 {
		page.Problems = append(page.Problems, plural(r.left, "other")+", which are not listed")
	}

	var values []ranked
	all := r.collector.Series()
	for _, s := range all {
		better, _, err := r.direction(s)
		if err != nil {
			return nil, err
		}
		values = values[:0]
		for number, v := range s.Values() {
			values = append(values, ranked{ranks[number], v})
		}
		page.Series = append(page.Series, report.Series{
			Params: s.Identity, Unit: s.Unit, Better: better, Points: pointsOf(values),
		})
	}
	r.findings(page, all)
	return page, nil
}

// A ranked is a value with the rank of its commit.
type ranked struct {
	rank  int
	value float64
}

// pointsOf returns a point for each commit: the median of its values. Those that are not finite are
// shown only where all are.
func pointsOf(values []ranked) []report.Point {
	slices.SortStableFunc(values, func(a, b ranked) int { return a.rank - b.rank })
	commits := 0
	for i := range values {
		if i == 0 || values[i].rank != values[i-1].rank {
			commits++
		}
	}

	points := make([]report.Point, 0, commits)
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n].rank == values[0].rank {
			n++
		}
		points = append(points, pointOf(values[:n]))
		values = values[n:]
	}
	return points
}

// pointOf returns the point of the values of a commit, which it sorts.
func pointOf(values []ranked) report.Point {
	p := report.Point{Commit: values[0].rank, N: 1, Value: values[0].value}
	finite := 0
	for _, v := range values {
		if !math.IsNaN(v.value) && !math.IsInf(v.value, 0) {
			values[finite] = v
			finite++
		}
	}
	if finite == 0 {
		return p
	}

	values = values[:finite]
	slices.SortFunc(values, func(a, b ranked) int { return cmp.Compare(a.value, b.value) })
	p.N, p.Min, p.Max = finite, values[0].value, values[finite-1].value
	p.Value = values[finite/2].value
	if finite%2 == 0 {
		p.Value = values[finite/2-1].value/2 + values[finite/2].value/2
	}
	return p
}
