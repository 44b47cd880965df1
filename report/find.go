package report

import (
	"cmp"
	"math"
	"slices"

	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/change"
	"perfdata/series/posted"
)

// PointOf returns the point of the values at a commit: their median, the least and the greatest.
// Values that are not finite count only if all are of that kind. There must be one at least.
// PointOf sorts the values.
func PointOf(commit int, values []float64) Point {
	p := Point{Commit: commit, N: 1, Value: values[0], Variance: math.NaN()}
	values = slices.DeleteFunc(values, func(v float64) bool { return special(v) != 0 })
	n := len(values)
	if n == 0 {
		return p
	}

	p.N = n
	p.Value, p.Variance = change.Summary(values)
	p.Min, p.Max = values[0], values[n-1]
	return p
}

// FindChanges sets the marks of the series, and the findings of the page, as package series/change
// finds them: the changes of several series that one commit may have caused, all for the worse or
// all for the better, are one finding. Findings are of changes that exceed the threshold, which is
// 0.05 for 5%, and whose q is at most alpha. The first are those for the worse.
//
// Of benchmarks with several statistics, it looks at the one that [series.Judged] returns: the
// others would be the same findings again. It adds a note if nothing was found, or would have
// been, unless the page has a comparison, which may say otherwise.
func (p *Page) FindChanges(alpha, threshold float64) {
	p.Threshold = threshold
	var all []*series.Series
	index := make(map[*series.Series]int)
	for i := range p.Series {
		if line := &p.Series[i]; len(line.Points) > 0 {
			s := &series.Series{
				Trace: line.Params.ID(), Identity: line.Params, Unit: line.Unit, Better: line.Better, Exact: line.Exact,
			}
			all, index[s] = append(all, s), i
		}
	}

	var search change.Search
	judged, _ := series.Judged(all, nil)
	for _, s := range judged {
		var commits []int
		var medians, variances []float64
		for _, at := range p.Series[index[s]].Points {
			commits, medians = append(commits, at.Commit), append(medians, at.Value)
			variances = append(variances, at.Variance)
		}
		search.AddMedians(s, commits, medians, variances)
	}

	result := search.Result(p.Commits, alpha, threshold)
	for i, s := range result.Series {
		line := &p.Series[index[s]]
		line.Marks = nil
		for _, found := range result.All[i].Points {
			line.Marks = append(line.Marks, markOf(&result.All[i], found))
		}
	}

	named := posted.Of(result)
	posted.Assign(named, p.Posted, result.Commits)
	p.Findings = nil
	for i := range named {
		f := p.finding(&result.Findings[i], result, index)
		f.ID, f.Reason = named[i].ID, p.accepted(&f)
		p.Findings = append(p.Findings, f)
	}

	slices.SortStableFunc(p.Findings, func(a, b Finding) int {
		isAccepted := func(f Finding) int { return min(len(f.Reason), 1) }
		return cmp.Or(isAccepted(a)-isAccepted(b), cmp.Compare(b.Verdict, a.Verdict))
	})
	if note := result.Reach.Note(len(p.Findings), threshold); note != "" && p.Comparison == nil {
		p.Notes = append(p.Notes, note)
	}
}

// markOf returns a point of a Finder as a mark.
func markOf(s *change.Found, found change.Point) Mark {
	m := Mark{Kind: found.Kind, Before: found.Before, After: found.After}
	m.Commit, m.Lo, m.Hi = s.Places(found)
	return m
}

// finding returns a finding of package change. Its levels come from the first series.
func (p *Page) finding(found *change.Finding, result *change.Result, index map[*series.Series]int) Finding {
	first := found.Changes[0]
	s := &result.All[first.Series]
	f := Finding{
		Verdict: found.Verdict(), Params: found.Params, Ratio: found.Ratio,
		Mark: markOf(s, s.Points[first.Point]),
	}
	if found.Least < 1 && found.Greatest > 1 {
		f.Ratio = 0 // values rose and fell: a median of both says nothing
	}
	f.Commit, f.Lo, f.Hi = found.At, found.Lo, found.Hi

	seen := make(map[int]bool, len(found.Changes))
	for _, c := range found.Changes {
		if !seen[c.Series] {
			seen[c.Series] = true
			f.Series = append(f.Series, index[result.Series[c.Series]])
		}
	}
	return f
}

// accepted returns why a finding is accepted: one of its commits is accepted for each of its
// series. Otherwise it returns "".
func (p *Page) accepted(f *Finding) (reason string) {
	// A commit is searched among all, so the lines about other commits are left out before the
	// series are compared.
	within := slices.DeleteFunc(slices.Clone(p.Accepted), func(c accepted.Change) bool {
		at, n := series.FindCommit(p.Commits, c.Commit)
		return n != 1 || at < f.Lo || at > f.Hi
	})
	for _, i := range f.Series {
		s := &p.Series[i]
		found := slices.IndexFunc(within, func(c accepted.Change) bool {
			// An expression that is too costly for the text matches nothing.
			ok, _ := series.Selects(p.Charset, c.Query, s.Params, s.Unit)
			return ok
		})
		if found < 0 {
			return ""
		}
		reason = cmp.Or(within[found].Reason, "no reason is given")
	}
	return reason
}

// CommitsOf returns the commits of an answer. The subject of one without a name is its run.
func CommitsOf(a *series.Answer) []series.Commit {
	commits := append([]series.Commit(nil), a.Commits...)
	for i := range commits {
		if c := &commits[i]; c.Hash == "" && a.Runs[i] != "" {
			c.Subject = "run " + a.Runs[i]
		}
	}
	return commits
}

// LineOf returns the values of the Old side of a series, as a page draws them.
func LineOf(s *series.Series) Line {
	return Line{
		Params: s.Identity, Unit: s.Unit, Better: s.Better, Exact: s.Exact,
		Points: AppendPoints(nil, s.Samples(series.Old), 0),
	}
}

// AppendPoints appends a point for each commit of samples, which follow one another. The index of
// a commit in Page.Commits is its place plus the first index.
func AppendPoints(dst []Point, samples []series.Sample, first int) []Point {
	var values []float64
	for i, sample := range samples {
		values = append(values, sample.Values...)
		if i+1 == len(samples) || samples[i+1].Commit != sample.Commit {
			dst = append(dst, PointOf(first+sample.Commit, values))
			values = values[:0]
		}
	}
	return dst
}
