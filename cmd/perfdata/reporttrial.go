package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"perfdata/report"
	"perfdata/series"
	"perfdata/series/check"
	"perfdata/series/compare"
	"perfdata/store"
)

// readTrial reads the values of the trial from the stores, if there is one.
func (r *reporter) readTrial(stores []string) error {
	if (r.trial == store.Trial{}) {
		return nil
	}
	var commits series.Timeline
	r.trialValues.MaxValues = maxReportValues
	err := r.readTrials(stores, r.trial, func(at *series.Point, info *sourceInfo) error {
		return r.trialValues.Add(at, commits.Add(at, info.number, info.isHistory))
	})
	if err == nil && r.trialValues.Len() == 0 {
		err = fmt.Errorf("--trial %s/%s: it has no values", r.trial.Issue, r.trial.Patchset)
	}
	return err
}

// judgeTrial adds the values of the trial to a page of all other series, after the last commit, and what the
// command check says of them. The changes of the history were found before.
func (r *reporter) judgeTrial(page *report.Page, all []*series.Series) error {
	name := "trial " + r.trial.Issue + "/" + r.trial.Patchset
	added := r.trialValues.Series()
	index := make(map[string]int, len(all)) // of the series, by trace
	for i, s := range all {
		index[s.Trace] = i
	}
	judged, _ := series.Judged(added, func(s *series.Series) bool { _, ok := index[s.Trace]; return ok })
	var inputs []check.Series
	var numbers []int // of the series that are judged
	for _, s := range judged {
		i, ok := index[s.Trace]
		if !ok {
			continue
		}
		exact, err := r.isExact(s)
		if err != nil {
			return err
		}
		inputs, numbers = append(inputs, check.Series{
			History: valuesOf(page.Series[i].Points), New: mediansOf(s), Better: page.Series[i].Better, Exact: exact,
		}), append(numbers, i)
	}

	checker := check.Checker{Options: compare.Options{Threshold: r.threshold, Alpha: r.alpha, Confidence: 0.95}}
	page.Comparison = &report.Comparison{Old: "history", New: name}
	for k, result := range checker.Judge(inputs) {
		r.addJudgment(page, numbers[k], len(inputs[k].New), &result)
	}
	slices.SortStableFunc(page.Comparison.Rows, func(a, b report.Row) int {
		return cmp.Or(slices.Index(trialOrder, a.Verdict)-slices.Index(trialOrder, b.Verdict),
			cmp.Compare(math.Abs(math.Log(b.Ratio)), math.Abs(math.Log(a.Ratio))))
	})
	return r.addTrial(page, added, index, name)
}

// trialOrder is the order of verdicts.
var trialOrder = []report.Verdict{
	report.Worse, report.Suspect, report.Changed, "changed?", report.Better, "better?", report.Unknown, report.Same,
}

// addJudgment adds the judgment of a series of n new values.
func (r *reporter) addJudgment(page *report.Page, series, n int, result *check.Result) {
	if result.Reason != "" {
		trace := page.Series[series].Params.ID()
		page.Problems = append(page.Problems, trace+": "+result.Reason)
		return
	}
	nan := math.NaN() // check has no interval of the ratio
	page.Comparison.Rows = append(page.Comparison.Rows, report.Row{
		Series: series, Verdict: report.Verdict(result.VerdictText()),
		Old: report.Sample{N: result.N, Median: result.Before, Lo: nan, Hi: nan},
		New: report.Sample{N: n, Median: result.After, Lo: nan, Hi: nan}, Ratio: result.Ratio, Lo: nan, Hi: nan,
		P: result.P, Q: result.Q,
	})
}

// addTrial adds the values of the trial to a page, as a commit.
func (r *reporter) addTrial(page *report.Page, added []*series.Series, index map[string]int, name string) error {
	at := len(page.Commits)
	page.Commits = append(page.Commits, series.Commit{Hash: name})

	only := 0
	for _, s := range added {
		i, ok := index[s.Trace]
		if !ok {
			only++
			better, _, err := r.direction(s)
			if err != nil {
				return err
			}
			i = len(page.Series)
			page.Series = append(page.Series, report.Series{Params: s.Identity, Unit: s.Unit, Better: better})
		}

		var values []float64
		for _, v := range s.Values() {
			values = append(values, v)
		}
		page.Series[i].Points = append(page.Series[i].Points, report.PointOf(at, values))
	}

	if only > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d series only in %s", only, name))
	}
	return nil
}

// valuesOf returns the values of points.
func valuesOf(points []report.Point) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	return values
}

// mediansOf returns the median of each column of a series, in the order of their numbers.
func mediansOf(s *series.Series) []float64 {
	byColumn := make(map[int][]float64)
	last := 0
	for column, v := range s.Values() {
		byColumn[column] = append(byColumn[column], v)
		last = max(last, column)
	}
	var medians []float64
	for column := range last + 1 {
		if values := byColumn[column]; len(values) > 0 {
			medians = append(medians, series.Median(values))
		}
	}
	return medians
}
