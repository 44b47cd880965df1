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

// changes answers with the series that changed, and what commits may have caused:
//
//	{"series": [{"trace": ",...,", "points": [POINT, ...]}, ...], "findings": [FINDING, ...], "more": false,
//	 "short": 0, "needed": 0, "order": "list", "guess": false, "orderText": "order of commits: by ..."}
//
// Short counts the series whose history is too short for findings, and needed is the number of
// commits that the shortest one lacks. More says that the query selects more than maxSeries series,
// or one with too many values, and that it, the one before it, or others were not looked at.
// In the URL, q is a query of package traceid, first and last are commits, and threshold and alpha
// apply to the findings.
func (s *Service) changes(w *response, r *http.Request) error {
	params := paramsOf(r)
	q, options := params.question(), params.options()
	if params.err != nil {
		return params.err
	}

	// The search keeps no values, so that the number of series bounds its memory.
	var search change.Search
	n, more := 0, false
	answer := series.Answer{Charset: s.db.Charset(), MaxValues: int(s.budget.reports.Limit / valueMemory)}
	err := answer.Each(r.Context(), q, s.db, func(one *series.Series) error {
		if more = n == maxSeries; more {
			return errEnough
		}
		n++
		search.Add(one, one.Samples(series.Old))
		return nil
	})
	if more = more || errors.Is(err, format.ErrLimit); err == nil || more {
		err = checkBounds(&answer, q)
	}
	if err != nil {
		return err
	}

	found := search.Result(answer.Commits, options.Alpha, options.Threshold)
	named := posted.Of(found)
	// No earlier findings are kept, so the ids depend on the findings alone, and stay.
	posted.Assign(named, nil, found.Commits)
	out := newStream(w, `{"series":[`)
	for i := range found.All {
		if len(found.All[i].Points) == 0 {
			continue
		}
		out.add(found.SeriesJSON(i))
	}

	out.next(`],"findings":[`)
	for _, f := range named {
		out.add(f)
	}
	counts := fmt.Sprintf(`],"more":%t,"short":%d,"needed":%d,`, more, found.Reach.Short, found.Reach.Needed)
	return out.finish(counts + orderFields(answer.Order) + "}\n")
}

// compare answers with a comparison of the values at two commits, the worst first:
//
//	{"series": [SERIES, ...], "onlyOld": 0, "onlyNew": 2}
//
// In the URL, old and new are the commits, q is a query of package traceid, and threshold and
// alpha decide which changes are differences. The verdicts come from package series/compare.
func (s *Service) compare(w *response, r *http.Request) error {
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
	// A comparison takes 400 bytes for each value, garbage included: 800,000 values of 400,000 series took 330 MB.
	answer.MaxValues = int(s.budget.reports.Limit / 400)
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
	// Rows that are equally bad keep this order, so that a question has one answer.
	slices.SortFunc(all, func(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) })

	report := compare.NewComparer(options).Compare(all, compare.Rule{})
	out := newStream(w, `{"series":[`)
	for _, row := range report.Rows {
		out.add(row)
	}
	return out.finish(fmt.Sprintf("],\"onlyOld\":%d,\"onlyNew\":%d}\n", len(report.OnlyOld), len(report.OnlyNew)))
}

// checkNamed returns an error unless each commit of a question is one commit of the store. Without
// it, a misspelled commit would look like one at which nothing got slower.
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

// checkBounds returns an error unless the first and the last commit of a question are commits of
// the store. It sorts the commits of the answer.
func checkBounds(answer *series.Answer, q *series.Question) error {
	if n := answer.Sort(); n != 1 {
		return fmt.Errorf("first %.500q, last %.500q: %w", q.First, q.Until, store.ErrUnknownCommit)
	}
	return nil
}
