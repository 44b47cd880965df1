package store

import (
	"context"
	"database/sql"
	"slices"

	"perfdata/series"
	"perfdata/traceid"
)

// Ask answers a question with the rows that it asks for, in the order of the traces and then of
// the commits: see [series.Answer]. The order of the commits, and the newest run at each, are
// those of the store. It makes *Store a [series.Source].
func (s *Store) Ask(ctx context.Context, q *series.Question, to *series.Answer) error {
	err := s.view(ctx, func(tx *sql.Tx) error {
		v := s.newViewer(ctx, tx)
		list, err := v.commitList(q.Trial)
		if err != nil {
			return err
		}
		v.list = list
		v.selectWhere(to.SetCommits(list.answer()))

		var failure error
		err = v.yieldAll(traceQueries(q, to), func(m *Measurement) bool {
			to.Begin(m.run)
			failure = to.Add(&m.Record, m.place)
			return failure == nil
		})
		if err == nil {
			err = failure
		}
		return err
	})
	return wrap(err, "measurements")
}

// answer returns the commits for an answer, with the runs of those without a name.
func (l *commitList) answer() ([]series.Commit, []string, series.Order) {
	commits, runs := make([]series.Commit, len(l.commits)), make([]string, len(l.commits))
	for i := range l.commits {
		c := &l.commits[i]
		commits[i] = series.Commit{
			Hash: c.Name, Parents: c.Listed.Parents, Time: c.Time, Author: c.Listed.Author, Subject: c.Listed.Subject,
		}
		if c.Name == "" {
			commits[i].Time = c.Hour
		}
		runs[i] = c.Run
	}
	return commits, runs, l.order
}

// selectWhere selects the commits that a function wants.
func (v *viewer) selectWhere(wanted func(i int) bool) {
	v.blocks = v.list.blocksOf(0, len(v.list.commits), wanted)
	for i := range v.list.commits {
		if !wanted(i) {
			v.selected = wanted
			return
		}
	}
}

// traceQueries returns the queries of a question that are about the params of traces alone. The
// answer itself compares the others, which are about attrs that it promotes, or params that are
// not part of the identity.
func traceQueries(q *series.Question, to *series.Answer) []*traceid.Query {
	isOther := func(term traceid.Term) bool {
		return slices.Contains([]string{"commit", "commit-time", "date"}, term.Key()) ||
			slices.Contains(to.Promote, term.Key())
	}
	var queries []*traceid.Query
	for _, query := range q.Queries {
		if !slices.ContainsFunc(query.Terms(), isOther) {
			queries = append(queries, query)
		}
	}
	return queries
}
