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

// A fileCommit is a commit of the file that is stored.
type fileCommit struct {
	id int64
	batchCommit
}

// addCommits finds or adds the next commits of the file. New ones get the place that they have in
// the file if these are its last commits, so that most need no update at the end. To update each
// of the 989 commits of a history took 15 ms of CPU time in SQLite, of 67 for all of it.
func (c *commit) addCommits(commits []batchCommit) error {
	first := len(c.commits)
	for _, one := range commits {
		c.commits = append(c.commits, fileCommit{batchCommit: one})
	}
	positions := make([]int, len(commits))
	for n, i := range c.order(first) {
		positions[i-first] = n
	}
	place := func(i int) commitPlace { return c.placeIn(first+positions[i], commits[i].time) }
	ids, err := c.internCommits(c.ctx, commits, c.trial(), c.batch.run(), place)
	if err != nil {
		return err
	}
	for i, one := range ids {
		c.commits[first+i].id = one.id
		if _, ok := c.added[one.id]; one.new && !ok {
			at := place(i)
			at.commit = one.id
			c.added[one.id] = at
		}
	}
	return nil
}

// placeIn returns the place of a commit that is the n-th of the file, from 0.
func (c *commit) placeIn(n int, time sql.NullInt64) commitPlace {
	return commitPlace{firstSource: firstSource{age{c.hour, c.src.Path}, int64(n + 1)}, time: time}
}

var sourceCommitsTable = newTable("source_commits",
	"commit_id bigint", "source_id bigint", "position bigint", "time bigint", "parts bigint")

// writeCommits writes which commits the file has.
func (c *commit) writeCommits() error {
	// The same commit may have several numbers: the first is its position in the file.
	places := make([]commitPlace, 0, len(c.commits))
	seen := make(map[int64]bool, len(c.commits))
	for n, i := range c.order(0) {
		if one := &c.commits[i]; !seen[one.id] {
			seen[one.id] = true
			at := c.placeIn(n, one.time)
			at.commit = one.id
			places = append(places, at)
		}
	}

	slices.SortFunc(places, func(a, b commitPlace) int { return cmp.Compare(a.commit, b.commit) })
	if err := c.updatePlaces(places); err != nil {
		return err
	}
	row := make([]any, len(sourceCommitsTable.columns))
	return c.insert(c.ctx, sourceCommitsTable, func() []any {
		if len(places) == 0 {
			return nil
		}
		at := &places[0]
		row[0], row[1], row[2], row[3], row[4] = at.commit, c.source, at.position, at.seconds(), c.rowGroups[at.commit]
		places = places[1:]
		return row
	})
}

// updatePlaces changes the places of commits of the file that it improves, or has added with
// another place.
func (c *commit) updatePlaces(places []commitPlace) error {
	ofFile := make(map[int64]commitPlace, len(places)-len(c.added))
	var known []any
	var changed []commitPlace
	for _, at := range places {
		added, ok := c.added[at.commit]
		switch {
		case !ok:
			known = append(known, at.commit)
			ofFile[at.commit] = at
		case added != at:
			changed = append(changed, at)
		}
	}

	const query = "SELECT id, hour, path, position, time FROM commits WHERE id {in}"
	err := c.with(c.ctx, query, newTable("", "id bigint"), known,
		func(rows *sql.Rows) error {
			var at commitPlace
			err := rows.Scan(&at.commit, &at.hour, &at.path, &at.position, &at.time)
			if at.improve(ofFile[at.commit]) {
				changed = append(changed, at)
			}
			return err
		})
	if err != nil {
		return err
	}

	c.commitsChanged = c.commitsChanged || len(changed)+len(c.added) > 0
	var values []any
	for _, p := range changed {
		values = append(values, p.commit, p.hour, p.path, p.position, p.seconds())
	}
	return c.with(c.ctx, `
		UPDATE commits SET hour = n.hour, path = n.path, position = n.position, time = n.time
		FROM {rows} WHERE commits.id = n.id AND commits.id {in}`, placesTable, values, nil)
}

// order returns the order of the commits of the file from one on, as numbers in the batch from 0:
// the order in the file, or for a history, the order of the runs. A commit for which only the
// second suite of a history has results is placed between the commits that were run before and
// after it.
func (c *commit) order(first int) []int {
	order := make([]int, len(c.commits)-first)
	noRun := false
	for i := range order {
		order[i] = first + i
		noRun = noRun || c.commits[first+i].run == 0
	}
	if isHistory(c.src.Format) && !noRun {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.commits[i].run, c.commits[j].run) })
	}
	return order
}

var placesTable = newTable("", "id bigint", "hour text", "path text", "position bigint", "time bigint")
