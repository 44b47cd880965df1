package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/store"
	"perfdata/traceid"
)

// The answers of this file are those of the tool's commands changes and compare, in JSON.

// A bound is a number that may be infinite or NaN, which is null in JSON.
type bound float64

func (b bound) MarshalJSON() ([]byte, error) {
	if f := float64(b); f-f != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(b), 'g', -1, 64), nil
}

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

// A foundPoint is a point of a series at which it changed. Index, lo and hi count the commits at which
// the series has values.
type foundPoint struct {
	Index  int    `json:"index"`
	Commit string `json:"commit"`
	Kind   string `json:"kind"`
	Lo     int    `json:"lo"`
	Hi     int    `json:"hi"`
	Before bound  `json:"before"`
	After  bound  `json:"after"`
	Ratio  bound  `json:"ratio"`
	P      bound  `json:"p"`
	Q      bound  `json:"q"`
}

type foundSeries struct {
	Trace  string       `json:"trace"`
	Points []foundPoint `json:"points"`
}

type foundCause struct {
	Kind   string            `json:"kind"`
	Commit string            `json:"commit"`
	First  string            `json:"first"`
	Last   string            `json:"last"`
	Params map[string]string `json:"params"`
	Ratio  bound             `json:"ratio"`
	Worse  int               `json:"worse"`
	Better int               `json:"better"`
	Traces []string          `json:"traces"`
}

// A changeSearch finds the points of series, of which it remembers nothing else.
type changeSearch struct {
	commits []store.Commit
	ranks   map[[2]string]int // of commits, by name and run
	finder  change.Finder

	traces []string
	found  []change.Series // of each trace
	more   bool            // there are too many
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
	out := s.stream(w, `{"series":[`)
	for _, one := range search.answer(all) {
		if !out.add(one) {
			return
		}
	}
	out.end(`],"findings":[`)
	out.n = 0
	for _, f := range findings {
		if !out.add(search.cause(f)) {
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
		found := change.Series{Params: slices.Clone(one.Params)}
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
		slices.Sort(repetitions)
		n := len(repetitions)
		medians = append(medians, repetitions[(n-1)/2]/2+repetitions[n/2]/2)
		at = append(at, c.ranks[[2]string{p.Commit, p.Run}])
		repetitions = repetitions[:0]
	}
	return medians, at
}

// answer returns the series that have points. The changes are those of all.
func (c *changeSearch) answer(all []change.Change) []foundSeries {
	q := make(map[[2]int]float64, len(all))
	for _, x := range all {
		q[[2]int{x.Series, x.Point}] = x.Q
	}
	var out []foundSeries
	for i, f := range c.found {
		one := foundSeries{Trace: c.traces[i]}
		for j, p := range f.Points {
			point := foundPoint{
				p.Index, c.commits[f.Commits[p.Index]].Name, p.Kind.String(), p.Lo, p.Hi,
				bound(p.Before), bound(p.After), bound(p.Ratio), bound(p.P), 1,
			}
			if share, ok := q[[2]int{i, j}]; ok {
				point.Q = bound(share)
			}
			one.Points = append(one.Points, point)
		}
		if len(one.Points) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// cause returns a finding.
func (c *changeSearch) cause(f change.Finding) foundCause {
	name := func(place int) string { return c.commits[min(max(place, 0), len(c.commits)-1)].Name }
	out := foundCause{
		Kind: f.Kind.String(), Commit: name(f.At), First: name(f.Lo), Last: name(f.Hi),
		Params: pairs(f.Params), Ratio: bound(f.Ratio), Worse: f.Worse, Better: f.Better,
	}
	for _, x := range f.Changes {
		out.Traces = append(out.Traces, c.traces[x.Series])
	}
	return out
}

type comparedSide struct {
	N      int   `json:"n"`
	Median bound `json:"median"`
	Lo     bound `json:"lo"`
	Hi     bound `json:"hi"`
}

type comparedSeries struct {
	Trace   string            `json:"trace"`
	Params  map[string]string `json:"params"`
	Unit    string            `json:"unit"`
	Better  string            `json:"better"`
	Old     comparedSide      `json:"old"`
	New     comparedSide      `json:"new"`
	Ratio   bound             `json:"ratio"`
	Lo      bound             `json:"lo"`
	Hi      bound             `json:"hi"`
	P       bound             `json:"p"`
	Q       bound             `json:"q"`
	Verdict string            `json:"verdict"`
	Needed  int               `json:"needed,omitempty"`
	Reason  string            `json:"reason,omitempty"`
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

	all := series.Collector{MaxValues: maxCompared}
	for column, name := range []string{"old", "new"} {
		err := collect(r.Context(), s.db, &all, column, q, query.Get(name))
		switch {
		case errors.Is(err, format.ErrLimit):
			detail := fmt.Sprintf("q: the commits have more than %d values: want a query that selects less", maxCompared)
			s.fail(w, problem{Status: http.StatusBadRequest, Detail: detail})
			return
		case err != nil:
			s.refuse(w, err)
			return
		}
	}

	report := compare.NewComparer(options).Compare(all.Series(), compare.Rule{})
	out := s.stream(w, `{"series":[`)
	for _, row := range report.Rows {
		if !out.add(newComparedSeries(row, options.Alpha)) {
			return
		}
	}
	out.end(fmt.Sprintf("],\"onlyOld\":%d,\"onlyNew\":%d}\n", len(report.OnlyOld), len(report.OnlyNew)))
	out.flush()
}

// collect adds the values at a commit.
func collect(
	ctx context.Context, db *store.Store, to *series.Collector, column int, q *traceid.Query, commit string,
) error {
	var placer series.Placer
	for m, err := range db.Measurements(ctx, q, store.Range{First: commit, Last: commit}) {
		if err != nil {
			return err
		}
		at, err := placer.Place(&m.Record)
		if err != nil {
			return err
		}
		if err := to.Add(at, column); err != nil {
			return err
		}
	}
	return nil
}

func newComparedSeries(row *compare.Row, alpha float64) comparedSeries {
	side := func(s compare.Summary) comparedSide {
		return comparedSide{s.N, bound(s.Median), bound(s.Lo), bound(s.Hi)}
	}
	out := comparedSeries{
		Trace: row.Series.Trace, Params: pairs(row.Series.Identity), Unit: row.Series.Unit, Better: row.Better.String(),
		Old: side(row.Old), New: side(row.New), Ratio: bound(row.Ratio), Lo: bound(row.Lo), Hi: bound(row.Hi),
		P: bound(row.P), Q: bound(row.Q), Verdict: row.Verdict.String(), Needed: row.Needed, Reason: row.Reason,
	}
	if row.IsSuspect(alpha) {
		out.Verdict += "?"
	}
	if math.IsInf(row.Hi, 0) {
		out.Lo = bound(math.NaN()) // 0 is no bound that was found
	}
	return out
}
