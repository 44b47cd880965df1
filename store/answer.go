package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"perfdata/series"
	"perfdata/traceid"
)

// Ask answers a question with the rows that it asks for, in the order of the traces and then of
// the commits: see [series.Answer]. The store decides the order of the commits and which run at
// each is the newest. It makes *Store a [series.Source].
func (s *Store) Ask(ctx context.Context, q *series.Question, to *series.Answer) error {
	err := s.read(ctx, func(v *viewer) error {
		list, err := v.commitList(q.Trial)
		for _, name := range []string{q.First, q.Until} {
			if err == nil {
				list, err = v.withListed(list, name)
			}
		}
		if err != nil {
			return err
		}
		v.list = list
		v.selectWhere(to.SetCommits(list.answer()))

		return v.yieldAll(traceQueries(q, to), func(m *Measurement) error {
			to.Begin(m.run)
			return to.Add(&m.Record, m.place)
		})
	})
	return wrap(err, "measurements")
}

// answer returns the commits for an answer. Commits without a name have their runs.
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

// withListed returns the commits with the one that a name, or the beginning of a hash, means in the
// list of a repository, if it has no measurement: the base of a change under review may have none,
// and nevertheless says which commits are before it. The list that it was given does not change.
func (v *viewer) withListed(list *commitList, name string) (*commitList, error) {
	isNamed := func(c commitRow) bool { return c.Name == name || abbreviates(name, c.Name) }
	if name == "" || list.order.By != "list" || slices.ContainsFunc(list.commits, isNamed) {
		return list, nil
	}

	const query = `
		SELECT repository, position, hash, parents, time, author, subject,
			(SELECT MIN(n.hash) FROM listed_commits n WHERE n.hash > l.hash)
		FROM listed_commits l WHERE hash = (SELECT MIN(f.hash) FROM listed_commits f WHERE f.hash >= $1)
		ORDER BY repository LIMIT 1`

	var c commitRow
	var row listedRow
	var next sql.NullString
	dest := append(append([]any{&c.Repository, &c.listed}, row.columns()...), &next)
	err := v.tx.QueryRowContext(v.ctx, query, name).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) || err == nil && match(name, row.hash.String, next.String) != matched {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	c.Listed = row.commit()
	c.Name, c.Time = c.Listed.Hash, c.Listed.Time

	at := 0
	for i, other := range list.commits {
		if other.Repository == c.Repository && other.listed > 0 && other.listed <= c.listed {
			at = i + 1
		}
	}
	c.block = list.commits[max(at-1, 0)].block // one that exists: the commit has no rows to look for
	return newCommitList(slices.Insert(slices.Clone(list.commits), at, c), list.order), nil
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
