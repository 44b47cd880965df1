package check

import (
	"math"
	"slices"

	"perfdata/series"
	"perfdata/series/judgment"
)

// Series judges the series of an answer that have values of both sides, by their own direction and whether they
// are exact, and returns the judgments, the worst first. It also returns a series of each benchmark with several
// statistics of which none is judged: see [series.Judged]. The commits are those of the answer.
//
// Accept returns the place of the first commit of a series whose values count, and why a change of its new values
// is accepted, or an empty text.
func (c *Checker) Series(
	all []*series.Series, commits []series.Commit, accept func(*series.Series) (first int, reason string),
) (rows []*judgment.Judgment, undecided []*series.Series) {
	isInBoth := func(s *series.Series) bool { return len(s.Samples(series.Old)) > 0 && s.Has(series.New) }
	judged, undecided := series.Judged(all, isInBoth)
	var inputs []Input
	for _, s := range judged {
		if !isInBoth(s) {
			continue
		}
		first, reason := accept(s)
		history := slices.DeleteFunc(s.Samples(series.Old), func(s series.Sample) bool { return s.Commit < first })
		inputs = append(inputs, Input{History: history, New: s.Samples(series.New), Better: s.Better, Exact: s.Exact})
		rows = append(rows, &judgment.Judgment{
			Series: s, Better: s.Better, ByUnit: s.ByUnit, Exact: s.Exact, Accepted: reason,
		})
	}
	for i, result := range c.Judge(inputs) {
		result.fill(rows[i], &inputs[i], commits)
	}
	slices.SortStableFunc(rows, judgment.Compare)
	return rows, undecided
}

// fill makes the result of an input a judgment.
func (r *Result) fill(j *judgment.Judgment, in *Input, commits []series.Commit) {
	nan := math.NaN()
	j.Old = judgment.Summary{N: r.N, Median: r.Before, Lo: r.Lo, Hi: r.Hi}
	j.New = judgment.Summary{Median: r.After, Lo: nan, Hi: nan}
	for _, sample := range in.New {
		j.New.N += len(sample.Values)
	}
	j.Ratio, j.P, j.Q, j.Verdict, j.Suspect, j.Known = r.Ratio, r.P, r.Q, r.Verdict, r.Suspect, r.Known
	j.Estimate, j.Lo, j.Hi = nan, nan, nan // no pairs are compared
	j.Needed, j.NeededRuns, j.Reason = r.Needed, r.NeededRuns, r.Reason
	if !j.Verdict.IsDifferent() {
		j.Accepted = ""
	} else if r.Since < len(in.History) {
		j.Since = commits[in.History[r.Since].Commit].Hash
	}
}
