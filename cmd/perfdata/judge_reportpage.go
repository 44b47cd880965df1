package main

import (
	"fmt"
	"slices"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/judgment"
	"perfdata/store"
)

// page makes the page of the series that were read. The two sets of a comparison are one sequence
// of commits in the charts, so a page looks the same with and without a comparison.
func (r *reporter) page(all []*series.Series) (*report.Page, error) {
	page := &report.Page{CommitURL: r.commitURL, Commits: report.CommitsOf(&r.answer)}
	// Unlike the other forms of judgments, a page is read without the output of the command, so it
	// has the faults of files, too.
	page.Problems = r.skips.Lines(true, true)
	var err error
	if page.Posted, err = r.readPosted(r.postedFile); err != nil {
		return nil, err
	}
	if page.Accepted, err = readAccepted(r.knownFile); err != nil {
		return nil, err
	}
	// Changes are looked for in the history: the trial has one commit, and its judgment is the
	// table.
	history := all
	if r.trial != (store.Trial{}) { // series of the trial alone are shown after the others
		isOld := func(s *series.Series) bool { return s.Has(series.Old) }
		ofTrial := slices.DeleteFunc(slices.Clone(all), isOld)
		history = slices.DeleteFunc(slices.Clone(all), func(s *series.Series) bool { return !isOld(s) })
		all = slices.Concat(history, ofTrial)
	} else if r.compares {
		page.Commits = append(page.Commits, r.answer.NewCommits...)
	}

	// A chart is only as good as the order of its commits, so the page says where it is from.
	if len(r.answer.Commits) > 1 || r.trial != (store.Trial{}) && len(page.Commits) > 1 {
		page.Notes = append(page.Notes, r.answer.Order.String())
	}
	if r.compares {
		page.Notes = append(page.Notes, fmt.Sprintf("the commits of %s come after those of %s", r.names[1], r.names[0]))
	}

	for _, s := range history {
		page.Series = append(page.Series, report.Line{
			Params: s.Identity, Unit: s.Unit, Better: s.Better, Exact: s.Exact, Points: r.points(s),
		})
	}
	if r.compares {
		r.compare(page, all)
	}
	r.findings(page, history)
	if !r.compares && (len(history) < len(all) || r.trial != (store.Trial{})) {
		return page, r.judgeTrial(page, all, len(history))
	}
	return page, nil
}

// points returns a point for each commit of a series.
func (r *reporter) points(s *series.Series) []report.Point {
	points := report.AppendPoints(nil, s.Samples(series.Old), 0)
	if !r.compares {
		return points
	}
	return report.AppendPoints(points, s.Samples(series.New), len(r.answer.Commits))
}

// compare adds the comparison of the two sets to a page of all series.
func (r *reporter) compare(page *report.Page, all []*series.Series) {
	options := compare.Options{Threshold: r.threshold, Alpha: r.alpha, Confidence: 0.95}
	found := compare.NewComparer(options).Compare(all, compare.Rule{})
	page.Comparison = &report.Comparison{Old: r.names[0], New: r.names[1]}
	r.addJudgments(page, all, found.Rows)
	w := judging.Judgments{Rows: found.Rows, Sides: r.names}
	for _, line := range judging.Shown(w.Levels()) {
		page.Notes = append(page.Notes, judging.SinceStep+": "+line)
	}
	for i, only := range [][]*series.Series{found.OnlyOld, found.OnlyNew} {
		if n := len(only); n > 0 {
			page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", n, r.names[i]))
		}
	}
}

// addJudgments adds judgments to the table of a page of all series. A series that cannot be judged
// has a line with the reason in place of a row.
func (r *reporter) addJudgments(page *report.Page, all []*series.Series, rows []*judgment.Judgment) {
	index := make(map[*series.Series]int, len(all))
	for i, s := range all {
		index[s] = i
	}
	for _, j := range rows {
		if j.Reason != "" {
			page.Problems = append(page.Problems, j.Series.Trace+": "+j.Reason)
			continue
		}
		page.Comparison.Rows = append(page.Comparison.Rows, report.Row{Line: index[j.Series], Judgment: j})
	}
}

// judgeTrial adds the values of the trial to a page of all series, of which the first n have a
// history, after the last commit, and what the command check says of them.
func (r *reporter) judgeTrial(page *report.Page, all []*series.Series, n int) error {
	name := "trial " + r.trial.Issue + "/" + r.trial.Patchset
	page.Comparison = &report.Comparison{Old: "history", New: name}
	c := &checking{judge: r.judge, knownFile: r.knownFile}
	if err := c.readKnown(); err != nil {
		return err
	}
	rows, err := c.judgeSeries(all)
	if err != nil {
		return err
	}
	r.addJudgments(page, all, rows)

	at := len(page.Commits)
	page.Commits = append(page.Commits, series.Commit{Hash: name})
	for i, s := range all {
		if i >= n {
			page.Series = append(page.Series, report.Line{Params: s.Identity, Unit: s.Unit, Better: s.Better})
		}
		if values := s.AppendSide(nil, series.New); len(values) > 0 {
			page.Series[i].Points = append(page.Series[i].Points, report.PointOf(at, values))
		}
	}
	if only := len(all) - n; only > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", only, name))
	}
	return nil
}

// findings finds what changed in the series of a page. Of benchmarks with several statistics, one
// is judged, as in the other commands; the others would be the same findings again.
func (r *reporter) findings(page *report.Page, all []*series.Series) {
	judged, _ := series.Judged(all, nil)
	isJudged := make(map[*series.Series]bool, len(judged))
	for _, s := range judged {
		isJudged[s] = true
	}
	page.FindChanges(func(i int) bool { return isJudged[all[i]] }, r.alpha, r.threshold)
}
