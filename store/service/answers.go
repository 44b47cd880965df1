package service

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/series/posted"
	"perfdata/store"
	"perfdata/traceid"
)

// This file gives the same answers as the tool's commands changes and compare, in JSON.

// comparedMemory is what a comparison takes for each value, garbage included: 800,000 values of 400,000 series
// took 330 MB.
const comparedMemory = 400

// maxCompared is the largest number of values that a comparison holds in memory.
func (b *budget) maxCompared() int { return int(b.reports.Limit / comparedMemory) }

// A changeSearch finds the points of series, of which it keeps no values.
type changeSearch struct {
	finder change.Finder
	series []*series.Series
	found  []change.Found // of each series
	short  []int          // how many commits each of them lacks: see change.Finder
	more   bool           // there are too many
}

// changes answers with the series that changed, and what commits may have caused:
//
//	{"series": [{"trace": ",...,", "points": [POINT, ...]}, ...], "findings": [FINDING, ...], "more": false,
//	 "order": "list", "guess": false, "orderText": "order of commits: by ..."}
//
// More says that the query selects more than maxSeries series, and the others were not looked at. In
// the URL, q is a query of package traceid, first and last are commits, and threshold and alpha are
// those of the findings.
func (s *Service) changes(w http.ResponseWriter, r *http.Request) error {
	params := paramsOf(r)
	q, options := params.question(), params.options()
	if params.err != nil {
		return params.err
	}
	var search changeSearch
	answer := series.Answer{Charset: s.db.Charset()}
	err := answer.Each(r.Context(), q, s.db, search.find)
	if err == nil || errors.Is(err, errEnough) {
		err = checkBounds(&answer, q)
	}
	if err != nil {
		return err
	}
	search.judgedOnly()

	var reach change.Reach
	for _, needed := range search.short {
		reach.Add(needed)
	}
	findings, all := change.Findings(search.found, options.Alpha, options.Threshold)
	traces, commits := search.names(answer.Commits)
	enc := change.NewEncoder(search.found, all, traces, commits)
	named := posted.Of(findings, traces, commits)
	posted.Assign(named, nil, commits)
	out := newStream(w, `{"series":[`)
	for i := range search.found {
		if len(search.found[i].Points) == 0 {
			continue
		}
		if err := out.add(enc.Series(i)); err != nil {
			return err
		}
	}
	out.end(`],"findings":[`)
	out.n = 0
	for i := range findings {
		if err := out.add(named[i].Encode(enc.Finding(&findings[i]))); err != nil {
			return err
		}
	}
	counts := fmt.Sprintf(`],"more":%t,"short":%d,"needed":%d,`, search.more, reach.Short, reach.Needed)
	return out.finish(counts + orderFields(answer.Order) + "}\n")
}

// find finds the points of a series.
func (c *changeSearch) find(s *series.Series) error {
	if c.more = len(c.found) == maxSeries; c.more {
		return errEnough
	}
	samples := s.Samples(series.Old)
	c.finder.Exact = s.Exact
	found := change.Found{Params: s.Identity, Better: s.Better}
	if points := c.finder.FindSamples(samples); len(points) > 0 {
		found.Points = slices.Clone(points)
		found.Commits, _ = series.Medians(samples)
	}
	c.short = append(c.short, c.finder.Shortage())
	c.series, c.found = append(c.series, s), append(c.found, found)
	return nil
}

// judgedOnly forgets the points of other statistics: the minimum, mean and maximum of a benchmark are not
// three findings.
func (c *changeSearch) judgedOnly() {
	judged, _ := series.Judged(c.series, nil) // in the order of all
	for i, s := range c.series {
		if len(judged) > 0 && judged[0] == s {
			judged = judged[1:]
		} else {
			c.found[i].Points = nil
		}
	}
}

// names returns the trace IDs of the series, and the names of commits.
func (c *changeSearch) names(commits []series.Commit) (traces, names []string) {
	for _, s := range c.series {
		traces = append(traces, s.Trace)
	}
	for i := range commits {
		names = append(names, commits[i].Hash)
	}
	return traces, names
}

// compare answers with a comparison of the values at two commits, the worst first:
//
//	{"series": [SERIES, ...], "onlyOld": 0, "onlyNew": 2}
//
// In the URL, old and new are the commits, q is a query of package traceid, and threshold and alpha say
// what is a difference. The verdicts are those of package series/compare.
func (s *Service) compare(w http.ResponseWriter, r *http.Request) error {
	params := paramsOf(r)
	commits := []string{params.Get("old"), params.Get("new")}
	question := &series.Question{Queries: []*traceid.Query{params.query()}, Commits: commits}
	options := params.options()
	switch {
	case params.err != nil:
		return params.err
	case slices.Contains(commits, ""):
		return badRequest(errors.New("want two commits, as old=COMMIT&new=COMMIT"))
	}

	answer := series.Answer{Charset: s.db.Charset()}
	answer.MaxValues = s.budget.maxCompared()
	err := answer.Ask(r.Context(), series.Old, question, s.db)
	if err == nil {
		err = checkNamed(&answer, question)
	}
	switch {
	case errors.Is(err, format.ErrLimit):
		const text = "q: the commits have more than %d values: want a query that selects less"
		return badRequest(fmt.Errorf(text, answer.MaxValues))
	case err != nil:
		return err
	}
	all := answer.Series()
	slices.SortFunc(all, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })

	report := compare.NewComparer(options).Compare(all, compare.Rule{})
	out := newStream(w, `{"series":[`)
	for _, row := range report.Rows {
		if err := out.add(row); err != nil {
			return err
		}
	}
	return out.finish(fmt.Sprintf("],\"onlyOld\":%d,\"onlyNew\":%d}\n", len(report.OnlyOld), len(report.OnlyNew)))
}

// checkNamed returns an error unless each commit of a question is one commit of the store.
func checkNamed(answer *series.Answer, q *series.Question) error {
	found, _ := answer.Named()
	for i, names := range found {
		switch {
		case len(names) == 0:
			return fmt.Errorf("commit %.500q: %w", q.Commits[i], store.ErrUnknownCommit)
		case len(names) > 1:
			return fmt.Errorf("commit %.500q is the beginning of several: %w", q.Commits[i], store.ErrUnknownCommit)
		}
	}
	return nil
}

// checkBounds returns an error unless the first and the last commit of a question are commits of the store.
// It sorts the commits of the answer.
func checkBounds(answer *series.Answer, q *series.Question) error {
	if n := answer.Sort(); n != 1 {
		return fmt.Errorf("first %.500q, last %.500q: %w", q.First, q.Until, store.ErrUnknownCommit)
	}
	return nil
}
