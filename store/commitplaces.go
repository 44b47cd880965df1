package store

import (
	"cmp"
	"database/sql"
	"slices"
)

// A commitPlace is what the database has of a commit that decides its place in the order: its
// first source, and its time.
type commitPlace struct {
	commit int64
	firstSource
	time sql.NullInt64 // in seconds since 1970: the earliest that a source gives it
}

// improve takes over what another source says of the commit, and reports whether that changes the
// place.
func (p *commitPlace) improve(other commitPlace) (changed bool) {
	if cmp.Or(p.age.compare(other.age), cmp.Compare(p.position, other.position)) > 0 {
		p.firstSource, changed = other.firstSource, true
	}
	if other.time.Valid && (!p.time.Valid || other.time.Int64 < p.time.Int64) {
		p.time, changed = other.time, true
	}
	return changed
}

// seconds returns the time as an argument of a statement.
func (p *commitPlace) seconds() any {
	if !p.time.Valid {
		return nil
	}
	return p.time.Int64
}

// order returns the order of the commits of the file, as indexes: the order in the file, or for a
// history, the order of the runs. A commit for which only the second suite of a history has results
// is placed between the commits that were run before and after it.
func (c *commit) order() []int {
	order := make([]int, len(c.commits))
	for i := range order {
		order[i] = i
	}
	hasRuns := !slices.ContainsFunc(c.commits, func(one batchCommit) bool { return one.run == 0 })
	if isHistory(c.src.Format) && hasRuns {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.commits[i].run, c.commits[j].run) })
	}
	return order
}

// addCommits finds or adds the commits of the file, and sets their places. New ones have them from
// the beginning: to update each of the 989 commits of a history took 15 ms of CPU time in SQLite, of
// 67 for all of it.
func (c *commit) addCommits() error {
	c.places = make([]commitPlace, len(c.commits))
	names := make([]name, len(c.commits))
	trial := c.trial()
	for position, i := range c.order() {
		one, run := &c.commits[i], ""
		if one.name == "" {
			run = c.batch.run() // it stands for the commit of measurements that have none
		}
		at := commitPlace{firstSource: firstSource{age{c.hour, c.src.Path}, int64(position + 1)}, time: one.time}
		c.places[i] = at
		names[i] = name{commitHash(one.name, trial, run), []any{
			one.name, trial.Issue, trial.Patchset, run, at.hour, at.path, at.position, at.seconds(),
		}}
	}
	ids, err := c.intern(c.ctx, commitsTable, names)
	if err != nil {
		return err
	}

	known := make(map[int64]commitPlace)
	var args []any
	for i, one := range ids {
		c.places[i].commit = one.id
		if one.new {
			c.commitsChanged = true
			continue
		}
		known[one.id] = c.places[i]
		args = append(args, one.id)
	}
	return c.improvePlaces(args, known)
}

// improvePlaces changes the places of commits that the file improves. They are the IDs, and by ID
// their places in the file.
func (c *commit) improvePlaces(ids []any, places map[int64]commitPlace) error {
	var values []any
	const query = "SELECT id, hour, path, position, time FROM commits WHERE id {in}"
	err := c.with(c.ctx, query, newTable("", "id bigint"), ids, func(rows *sql.Rows) error {
		var at commitPlace
		err := rows.Scan(&at.commit, &at.hour, &at.path, &at.position, &at.time)
		if at.improve(places[at.commit]) {
			values = append(values, at.commit, at.hour, at.path, at.position, at.seconds())
		}
		return err
	})
	if err != nil {
		return err
	}
	c.commitsChanged = c.commitsChanged || len(values) > 0
	return c.with(c.ctx, `
		UPDATE commits SET hour = n.hour, path = n.path, position = n.position, time = n.time
		FROM {rows} WHERE commits.id = n.id AND commits.id {in}`, placesTable, values, nil)
}

var placesTable = newTable("", "id bigint", "hour text", "path text", "position bigint", "time bigint")

var sourceCommitsTable = newTable("source_commits",
	"commit_id bigint", "source_id bigint", "position bigint", "time bigint", "parts bigint")

// writeCommits writes which commits the file has, once its row groups are written.
func (c *commit) writeCommits() error {
	slices.SortFunc(c.places, func(a, b commitPlace) int { return cmp.Compare(a.commit, b.commit) })
	row, i := make([]any, len(sourceCommitsTable.columns)), 0
	return c.insert(c.ctx, sourceCommitsTable, func() []any {
		if i == len(c.places) {
			return nil
		}
		at := &c.places[i]
		i++
		row[0], row[1], row[2], row[3], row[4] = at.commit, c.source, at.position, at.seconds(), c.rowGroups[at.commit]
		return row
	})
}
