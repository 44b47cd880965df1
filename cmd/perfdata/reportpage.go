package main

import (
	"fmt"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/compare"
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
	switch {
	case r.compares:
		return page, r.compare(page, all)
	case r.trialValues.Len() > 0:
		return page, r.judgeTrial(page, all)
	}
	return page, nil
}

// compare adds the comparison of the two sets to a page of all series.
func (r *reporter) compare(page *report.Page, all []*series.Series) error {
	var failure error
	keep := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	rule := compare.Rule{Better: func(s *series.Series) (format.Direction, bool) {
		better, byUnit, err := r.direction(s)
		keep(err)
		return better, byUnit
	}}
	options := compare.Options{Threshold: r.threshold, Alpha: r.alpha, Confidence: 0.95}
	found := compare.NewComparer(options).Compare(r.sides.Series(), rule)
	if failure != nil {
		return failure
	}

	index := make(map[string]int, len(all)) // of the series, by trace
	for i, s := range all {
		index[s.Trace] = i
	}
	c := &report.Comparison{Old: r.names[0], New: r.names[1]}
	if c.Old == c.New {
		c.Old, c.New = "old", "new"
	}
	side := func(s compare.Summary) report.Sample {
		return report.Sample{N: s.N, Median: s.Median, Lo: s.Lo, Hi: s.Hi}
	}
	for _, row := range found.Rows {
		if row.Reason != "" {
			page.Problems = append(page.Problems, row.Series.Trace+": "+row.Reason)
			continue
		}
		c.Rows = append(c.Rows, report.Row{
			Series: index[row.Series.Trace], Verdict: report.Verdict(row.VerdictText()), Old: side(row.Old), New: side(row.New),
			Ratio: row.Ratio, Lo: row.Lo, Hi: row.Hi, P: row.P, Q: row.Q,
		})
	}
	page.Comparison = c
	for _, only := range []struct {
		series []*series.Series
		name   string
	}{{found.OnlyOld, c.Old}, {found.OnlyNew, c.New}} {
		if n := len(only.series); n > 0 {
			page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", n, only.name))
		}
	}
	return nil
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
		threshold := strconv.FormatFloat(100*r.threshold, 'g', 3, 64)
		page.Notes = append(page.Notes, "no change of more than "+threshold+"% was found")
	}
}
