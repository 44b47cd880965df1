package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/store"
	"perfdata/traceid"
)

// This file gives the same answers as the tool's commands changes and compare, in JSON.

// maxCompared is the largest number of values that a comparison holds in memory.
const maxCompared = 1_000_000

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

// A changeSearch finds the points of series, of which it remembers nothing else.
type changeSearch struct {
	commits []store.Commit
	ranks   map[[2]string]int // of commits, by name and run
	finder  change.Finder

	traces []string
	found  []change.Found // of each trace
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
func (s *service) changes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q, limits, _, err := parseSeries(query)
	var options compare.Options
	if err == nil {
		options, err = parseOptions(query)
	}
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}
	var search changeSearch
	var order series.Order
	if search.commits, order, err = s.db.Commits(r.Context(), limits.Trial); err == nil {
		err = search.run(r.Context(), s.db, q, limits)
	}
	if err != nil {
		s.refuse(w, err)
		return
	}

	findings, all := change.Findings(search.found, options.Alpha, options.Threshold)
	enc := search.encoder(all)
	out := s.stream(w, `{"series":[`)
	for i := range search.found {
		if len(search.found[i].Points) > 0 && !out.add(enc.Series(i)) {
			return
		}
	}
	out.end(`],"findings":[`)
	out.n = 0
	for i := range findings {
		if !out.add(enc.Finding(&findings[i])) {
			return
		}
	}
	out.end(fmt.Sprintf(`],"more":%t,`, search.more) + orderFields(order) + "}\n")
	out.flush()
}

// run finds the points of the series that a query selects, one after the other.
func (c *changeSearch) run(ctx context.Context, db *store.Store, q *traceid.Query, limits store.Range) error {
	c.ranks = make(map[[2]string]int, len(c.commits))
	for rank, commit := range c.commits {
		c.ranks[[2]string{commit.Name, commit.Run}] = rank
	}
	var placer series.Placer
	var all series.Collector // of series without values
	var described []*series.Series
	for one, err := range db.Query(ctx, q, limits) {
		if err != nil {
			return err
		}
		if c.more = len(c.found) == maxSeries; c.more {
			break
		}
		values, at := c.medians(one.Points)
		found := change.Found{Params: slices.Clone(one.Params)}
		place, err := placer.Place(&format.Record{Params: one.Params, Unit: one.Unit, Better: one.Better})
		if err != nil {
			return err
		}
		found.Better, _ = place.Better()
		described = append(described, all.AddSeries(place))
		if points := c.finder.Find(values); len(points) > 0 {
			found.Points, found.Commits = slices.Clone(points), at
		}
		c.traces, c.found = append(c.traces, one.ID), append(c.found, found)
	}

	// The minimum, mean and maximum of a benchmark are not three findings.
	isOther := make(map[*series.Series]bool)
	_, others := series.Judged(all.Series(), nil)
	for _, s := range others {
		isOther[s] = true
	}
	for i, s := range described {
		if isOther[s] {
			c.found[i].Points = nil
		}
	}
	return nil
}

// medians returns the median of the values at each commit, and the places of the commits.
func (c *changeSearch) medians(points []store.Point) (medians []float64, at []int) {
	var repetitions []float64
	for i, p := range points {
		repetitions = append(repetitions, p.Value)
		if i+1 < len(points) && points[i+1].Commit == p.Commit && points[i+1].Run == p.Run {
			continue
		}
		medians = append(medians, series.Median(repetitions))
		at = append(at, c.ranks[[2]string{p.Commit, p.Run}])
		repetitions = repetitions[:0]
	}
	return medians, at
}

// encoder returns an Encoder of the changes.
func (c *changeSearch) encoder(all []change.Change) *change.Encoder {
	commits := make([]string, len(c.commits))
	for i := range c.commits {
		commits[i] = c.commits[i].Name
	}
	return change.NewEncoder(c.found, all, c.traces, commits)
}

// compare answers with a comparison of the values at two commits, the worst first:
//
//	{"series": [SERIES, ...], "onlyOld": 0, "onlyNew": 2}
//
// In the URL, old and new are the commits, q is a query of package traceid, and threshold and alpha say
// what is a difference. The verdicts are those of package series/compare.
func (s *service) compare(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q, err := traceid.ParseQuery(query.Get("q"))
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

	answer := series.Answer{}
	answer.MaxValues = maxCompared
	question := &series.Question{Queries: []*traceid.Query{q}, Commits: []string{query.Get("old"), query.Get("new")}}
	err = answer.Ask(r.Context(), series.Old, question, s.db)
	if err == nil {
		err = checkNamed(&answer, question)
	}
	switch {
	case errors.Is(err, format.ErrLimit):
		detail := fmt.Sprintf("q: the commits have more than %d values: want a query that selects less", maxCompared)
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
