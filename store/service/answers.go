package service

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/hint"
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

// parseOptions returns what is a difference, by threshold and alpha in a URL.
func parseOptions(query url.Values) (compare.Options, error) {
	options := compare.DefaultOptions()
	values := []*float64{&options.Threshold, &options.Alpha}
	for i, name := range []string{"threshold", "alpha"} {
		text, value := query.Get(name), values[i]
		if text == "" {
			continue
		}
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share < 1) || name == "alpha" && share == 0 {
			return options, fmt.Errorf("%s: want a share such as 0.05", name)
		}
		*value = share
	}
	return options, nil
}

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
func (s *Service) changes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q, err := parseQuestion(query)
	var options compare.Options
	if err == nil {
		options, err = parseOptions(query)
	}
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}
	var search changeSearch
	answer := series.Answer{Charset: s.db.Charset()}
	if err = answer.Each(r.Context(), q, s.db, search.find); err == nil || errors.Is(err, errEnough) {
		err = checkBounds(&answer, q)
	}
	if err != nil {
		s.refuse(w, err)
		return
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
	out := s.stream(w, `{"series":[`)
	for i := range search.found {
		if len(search.found[i].Points) > 0 && !out.add(enc.Series(i)) {
			return
		}
	}
	out.end(`],"findings":[`)
	out.n = 0
	for i := range findings {
		if !out.add(named[i].Encode(enc.Finding(&findings[i]))) {
			return
		}
	}
	out.end(fmt.Sprintf(`],"more":%t,"short":%d,"needed":%d,`, search.more, reach.Short, reach.Needed) + orderFields(answer.Order) + "}\n")
	out.flush()
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
func (s *Service) compare(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q, err := hint.ParseQuery(query.Get("q"))
	if err != nil {
		err = fmt.Errorf("q: %w", err)
	}
	var options compare.Options
	if err == nil {
		options, err = parseOptions(query)
	}
	if err == nil && (query.Get("old") == "" || query.Get("new") == "") {
		err = errors.New("want two commits, as old=COMMIT&new=COMMIT")
	}
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}

	answer := series.Answer{Charset: s.db.Charset()}
	answer.MaxValues = s.budget.maxCompared()
	question := &series.Question{Queries: []*traceid.Query{q}, Commits: []string{query.Get("old"), query.Get("new")}}
	err = answer.Ask(r.Context(), series.Old, question, s.db)
	if err == nil {
		err = checkNamed(&answer, question)
	}
	switch {
	case errors.Is(err, format.ErrLimit):
		detail := fmt.Sprintf("q: the commits have more than %d values: want a query that selects less", answer.MaxValues)
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: detail})
		return
	case err != nil:
		s.refuse(w, err)
		return
	}
	all := answer.Series()
	slices.SortFunc(all, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })

	report := compare.NewComparer(options).Compare(all, compare.Rule{})
	out := s.stream(w, `{"series":[`)
	for _, row := range report.Rows {
		if !out.add(row) {
			return
		}
	}
	out.end(fmt.Sprintf("],\"onlyOld\":%d,\"onlyNew\":%d}\n", len(report.OnlyOld), len(report.OnlyNew)))
	out.flush()
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
