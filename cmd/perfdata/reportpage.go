package main

import (
	"slices"
	"strconv"

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

	all := r.collector.Series()
	for _, s := range all {
		better, _, err := r.direction(s)
		if err != nil {
			return nil, err
		}
		page.Series = append(page.Series, report.Series{
			Params: s.Identity, Unit: s.Unit, Better: better, Points: pointsOf(s, ranks),
		})
	}
	r.findings(page, all)
	return page, nil
}

// pointsOf returns a point for each commit of a series, by the ranks of the commits.
func pointsOf(s *series.Series, ranks []int) []report.Point {
	type ranked struct {
		rank  int
		value float64
	}
	var all []ranked
	commits := 0
	for number, v := range s.Values() {
		all = append(all, ranked{ranks[number], v})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return a.rank - b.rank })
	for i := range all {
		if i == 0 || all[i].rank != all[i-1].rank {
			commits++
		}
	}

	points := make([]report.Point, 0, commits)
	var values []float64
	for i, v := range all {
		values = append(values, v.value)
		if i+1 == len(all) || all[i+1].rank != v.rank {
			points = append(points, report.PointOf(v.rank, values))
			values = values[:0]
		}
	}
	return points
}

// findings finds what changed in the series of a page.
func (r *reporter) findings(page *report.Page, all []*series.Series) {
	judged, _ := series.Judged(all, nil)
	isJudged := make(map[*series.Series]bool, len(judged))
	for _, s := range judged {
		isJudged[s] = true
	}
	n := page.FindChanges(func(i int) bool { return isJudged[all[i]] }, r.alpha, r.threshold)
	if len(page.Findings) == 0 && n > 0 {
		page.Notes = append(page.Notes, "no change of more than "+strconv.FormatFloat(100*r.threshold, 'g', 3, 64)+"% was found")
	}
}
