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
	page := &report.Page{CommitURL: r.commitURL, Commits: report.CommitsOf(&r.answer), Charset: r.charset}
	// Unlike the other forms of judgments, a page is read without the output of the command, so it
	// also has the faults of files.
	page.Problems = r.skips.Lines(true, true)
	var err error
	if page.Posted, err = r.readPosted(r.postedFile); err != nil {
		return nil, err
	}
	if page.Accepted, err = readAccepted(r.knownFile); err != nil {
		return nil, err
	}

	isTrial := r.trial != (store.Trial{})
	if r.compares {
		page.Commits = append(page.Commits, r.answer.NewCommits...)
	} else if isTrial { // the series of the trial alone are after the others, in the chart too
		ofTrial := func(s *series.Series) bool { return !s.Has(series.Old) }
		history := slices.DeleteFunc(slices.Clone(all), ofTrial)
		all = append(history, slices.DeleteFunc(slices.Clone(all), func(s *series.Series) bool { return !ofTrial(s) })...)
	}

	// A chart is only as good as the order of its commits, so the page says where it is from.
	if len(r.answer.Commits) > 1 || isTrial && len(page.Commits) > 1 {
		page.Notes = append(page.Notes, r.answer.Order.String())
	}
	if r.compares {
		page.Notes = append(page.Notes, fmt.Sprintf("the commits of %s come after those of %s", r.names[1], r.names[0]))
	}

	for _, s := range all {
		line := report.LineOf(s)
		if r.compares {
			line.Points = report.AppendPoints(line.Points, s.Samples(series.New), len(r.answer.Commits))
		}
		page.Series = append(page.Series, line)
	}
	if r.compares {
		r.compare(page, all)
	}
	// Changes are looked for in the history: the trial has one commit, and its judgment is the
	// table.
	page.FindChanges(r.options.Alpha, r.options.Threshold)
	if isTrial {
		return page, r.judgeTrial(page, all)
	}
	return page, nil
}

// compare adds the comparison of the two sets to a page of all series.
func (r *reporter) compare(page *report.Page, all []*series.Series) {
	found := compare.NewComparer(r.options).Compare(all, compare.Rule{})
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

// judgeTrial adds the values of the trial to a page of all series, after the last commit, and what
// the command check says of them.
func (r *reporter) judgeTrial(page *report.Page, all []*series.Series) error {
	name := "trial " + r.trial.Issue + "/" + r.trial.Patchset
	page.Comparison = &report.Comparison{Old: "history", New: name}
	c := &checking{judge: r.judge}
	rows, err := c.judgeSeries(all)
	if err != nil {
		return err
	}
	r.addJudgments(page, all, rows)

	at, only := len(page.Commits), 0
	page.Commits = append(page.Commits, series.Commit{Hash: name})
	for i, s := range all {
		if !s.Has(series.Old) {
			only++
		}
		if values := s.AppendSide(nil, series.New); len(values) > 0 {
			page.Series[i].Points = append(page.Series[i].Points, report.PointOf(at, values))
		}
	}
	if only > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", only, name))
	}
	return nil
}
