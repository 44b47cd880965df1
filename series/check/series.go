package check

import (
	"slices"

	"perfdata/series"
	"perfdata/series/judgment"
)

// Series judges the series of an answer that have values of both sides, by their own direction and
// whether they are exact, and returns the judgments, the worst first. It also returns a series of
// each benchmark with several statistics of which none is judged: see [series.Judged]. The commits
// are the commits of the answer.
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
		rows = append(rows, &judgment.Judgment{Series: s, Accepted: reason})
	}

	for i, r := range c.Judge(inputs) {
		j, history := rows[i], inputs[i].History
		r.Series = j.Series
		if r.Verdict.IsDifferent() {
			r.Accepted = j.Accepted
			if r.Level < len(history) {
				r.Since = commits[history[r.Level].Commit].Hash
			}
		}
		*j = r.Judgment
	}
	slices.SortStableFunc(rows, judgment.Compare)
	return rows, undecided
}
