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

		v.list, v.maxRows = list, to.MaxValues
		commits, runs := make([]series.Commit, len(list.commits)), make([]string, len(list.commits))
		for i := range commits {
			c := &list.commits[i]
			commits[i], runs[i] = c.Listed, c.Run
			commits[i].Hash, commits[i].Time = c.Name, c.Time
			if c.Name == "" { // it has its run
				commits[i].Time = c.Hour
			}
		}
		v.selectWhere(to.SetCommits(commits, runs, list.order))

		// The answer itself compares the queries that are not about the params of traces alone, but about
		// attrs that it promotes, or params that are not part of the identity.
		isOther := func(term traceid.Term) bool {
			return slices.Contains([]string{"commit", "commit-time", "date"}, term.Key()) ||
				slices.Contains(to.Promote, term.Key())
		}
		queries := slices.DeleteFunc(slices.Clone(q.Queries), func(query *traceid.Query) bool {
			return slices.ContainsFunc(query.Terms(), isOther)
		})
		return v.yieldAll(queries, func(m *Measurement) error {
			to.Begin(m.run)
			return to.Add(&m.Record, m.place)
		})
	})
	return wrap(err, "measurements")
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
	if errors.Is(err, sql.ErrNoRows) || err == nil && match(name, row.hash.String, next.String) != 1 {
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
