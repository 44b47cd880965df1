package store

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// delete deletes files, or the selected measurements of files.
func (d *deletion) delete(t *transaction, planned []selectedFile) (deleted Deleted, err error) {
	ids, paths := make([]int64, len(planned)), make(map[int64]string, len(planned))
	for i, f := range planned {
		ids[i], paths[f.id] = f.id, f.path
	}
	var files []selectedFile
	var sources []int64
	var f selectedFile
	counts := make(map[int64]int) // of deleted measurements
	where, args := d.db.in("id", ids)
	query := "SELECT id, path, records FROM sources WHERE " + where + " ORDER BY hour, path"
	err = eachRow(d.ctx, t, query, args, []any{&f.id, &f.path, &f.records}, func() error {
		// Of a file that was deleted meanwhile, SQLite may have given the ID to another.
		if f.path == paths[f.id] {
			files, sources, counts[f.id] = append(files, f), append(sources, f.id), f.records
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		return deleted, err
	}

	if d.deletesFiles() {
		if err = d.deleteSources(d.ctx, t, sources); err == nil {
			_, err = t.deleteIn(d.ctx, "sources", "id", sources)
		}
	} else {
		counts, err = d.deleteMeasurements(t, sources)
	}

	for _, f := range files {
		if n := counts[f.id]; n > 0 || d.deletesFiles() {
			deleted.add(f.path, n)
		}
	}
	return deleted, err
}

// A sourceCommit is a commit of a source.
type sourceCommit struct{ commit, source int64 }

// A sourcePlaces is where the measurements of sources are.
type sourcePlaces struct {
	sources []int64
	commits []sourceCommit // by commit
	blocks  []int64        // sorted
	parts   map[sourceCommit]int64
}

// places returns where the measurements of sources are.
func (s *Store) places(ctx context.Context, q querier, sources []int64) (*sourcePlaces, error) {
	p := &sourcePlaces{sources: sources, parts: make(map[sourceCommit]int64)}
	where, args := s.db.in("sc.source_id", sources)
	query := `
		SELECT sc.commit_id, sc.source_id, sc.parts, c.issue, c.patchset
		FROM source_commits sc JOIN commits c ON c.id = sc.commit_id
		WHERE ` + where + ` ORDER BY sc.commit_id`

	var at sourceCommit
	var parts int64
	var trial Trial
	dest := []any{&at.commit, &at.source, &parts, &trial.Issue, &trial.Patchset}
	err := eachRow(ctx, q, query, args, dest, func() error {
		p.commits = append(p.commits, at)
		p.blocks = append(p.blocks, blockOf(at.commit, trial))
		p.parts[at] = parts
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(p.blocks)
	p.blocks = slices.Compact(p.blocks)

	where, args = s.db.in("id", sources)
	query = "SELECT COALESCE(SUM(commits), 0) FROM sources WHERE " + where
	return p, checkNumber(ctx, q, int64(len(p.commits)), "a commit of a file", query, args...)
}

// where returns the condition for the row groups.
func (p *sourcePlaces) where(db database) (condition string, args []any) {
	ofBlocks, args := db.in("block", p.blocks)
	ofSources, args := db.in("source_id", p.sources, args...)
	return ofBlocks + " AND " + ofSources, args
}

// deleteSources deletes everything that belongs to sources, except their rows. It reads the
// blocks of their commits.
func (s *Store) deleteSources(ctx context.Context, t *transaction, sources []int64) error {
	t.deleted = true
	p, err := s.places(ctx, t, sources)
	if err != nil {
		return err
	}
	where, args := p.where(s.db)
	if _, err := t.deleteCounted(ctx, "row_groups", where, args...); err != nil {
		return err
	}
	for _, table := range []string{"annotations", "source_commits"} {
		if _, err := t.deleteIn(ctx, table, "source_id", sources); err != nil {
			return err
		}
	}
	return s.reset(ctx, t, p.blocks, p.commits)
}

// replaceSource deletes everything that a source said. The source stays in the list of files.
func (s *Store) replaceSource(ctx context.Context, t *transaction, source int64, by string) error {
	if err := s.deleteSources(ctx, t, []int64{source}); err != nil {
		return err
	}
	_, err := t.exec(ctx, `
		UPDATE sources SET run = '', records = 0, commits = 0, faults = 0, error = '', replaced_by = $1 WHERE id = $2`,
		by, source)
	return err
}

// recount counts the row groups of blocks from which some were deleted. Where a file has fewer
// than it should have, the numbers stay as they are, and so does the error: after all such files
// are deleted, they can be stored again.
func (t *transaction) recount(ctx context.Context, blocks []int64) error {
	for _, block := range blocks {
		first, last := block*commitsPerBlock, (block+1)*commitsPerBlock-1
		if block < 0 { // the trial of a commit
			first, last = -block, -block
		}

		isWhole := false
		err := t.QueryRowContext(ctx, `
			SELECT (SELECT COUNT(*) FROM row_groups WHERE block = $1 AND commit_id > 0) = (
				SELECT COALESCE(SUM(sc.parts), 0) FROM source_commits sc JOIN commits c ON c.id = sc.commit_id
				WHERE c.id BETWEEN $2 AND $3 AND (c.issue = '' AND c.patchset = '' OR c.id = $4))`,
			block, first, last, -block).Scan(&isWhole)
		if err != nil {
			return err
		}
		if !isWhole {
			continue
		}
		if _, err := t.exec(ctx, "DELETE FROM row_groups WHERE block = $1 AND commit_id = 0", block); err != nil {
			return err
		}

		var group, n int64
		const query = "SELECT trace_group, COUNT(*) FROM row_groups WHERE block = $1 GROUP BY trace_group"
		err = eachRow(ctx, t, query, []any{block}, []any{&group, &n}, func() error {
			t.countIn(counted{block: block, group: group}, n-t.counts[counted{block: block, group: group}])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reset counts the row groups of blocks from which some were deleted, and sets what commits have of
// their first sources, and their times, after some of their sources were deleted.
func (s *Store) reset(ctx context.Context, t *transaction, blocks []int64, commits []sourceCommit) error {
	if err := t.recount(ctx, blocks); err != nil {
		return err
	}
	t.commitsChanged = t.commitsChanged || len(commits) > 0
	ids := make([]int64, len(commits))
	for i, at := range commits {
		ids[i] = at.commit
	}

	// A commit without sources gets noSource, which is after all hours.
	const update = `
		UPDATE commits SET
			time = (SELECT MIN(time) FROM source_commits WHERE commit_id = commits.id),
			(hour, path, position) = (
				SELECT s.hour, s.path, sc.position
				FROM source_commits sc JOIN sources s ON s.id = sc.source_id WHERE sc.commit_id = commits.id
				UNION ALL SELECT '` + noSource + `', '', 0 ORDER BY 1, 2 LIMIT 1)
		WHERE `
	where, args := s.db.in("id", ids)
	_, err := t.ExecContext(ctx, update+where, args...)
	return err
}

// A partialDelete deletes some measurements of sources.
type partialDelete struct {
	*deletion
	t       *transaction
	deleted map[int64]int           // measurements, by source
	gone    map[sourceCommit]int64  // row groups
	used    map[annotationsKey]bool // sources with the numbers of annotations that are left
}

// deleteMeasurements deletes the selected measurements of sources, and returns their numbers by
// source.
func (d *deletion) deleteMeasurements(t *transaction, sources []int64) (map[int64]int, error) {
	p, err := d.places(d.ctx, t, sources)
	if err != nil || len(p.blocks) == 0 {
		return nil, err
	}
	pd := &partialDelete{deletion: d, t: t, deleted: make(map[int64]int), gone: make(map[sourceCommit]int64),
		used: make(map[annotationsKey]bool)}
	if err := pd.deleteFromRowGroups(p); err != nil || len(pd.deleted) == 0 {
		return nil, err
	}
	t.deleted = true

	var empty []sourceCommit
	emptied := make(map[int64]int)
	for _, at := range p.commits {
		query, args := "UPDATE source_commits SET parts = parts - $3 WHERE commit_id = $1 AND source_id = $2",
			[]any{at.commit, at.source, pd.gone[at]}
		switch pd.gone[at] {
		case 0:
			continue
		case p.parts[at]:
			empty = append(empty, at)
			emptied[at.source]++
			query, args = "DELETE FROM source_commits WHERE commit_id = $1 AND source_id = $2", args[:2]
		}
		if _, err := t.exec(d.ctx, query, args...); err != nil {
			return nil, err
		}
	}

	changed := slices.Sorted(maps.Keys(pd.deleted))
	for _, id := range changed {
		_, err := t.exec(d.ctx, "UPDATE sources SET records = records - $1, commits = commits - $2 WHERE id = $3",
			pd.deleted[id], emptied[id], id)
		if err != nil {
			return nil, err
		}
	}
	if err := pd.deleteAnnotations(changed); err != nil {
		return nil, err
	}
	return pd.deleted, d.reset(d.ctx, t, p.blocks, empty)
}

// deleteFromRowGroups deletes measurements of row groups. It reads all row groups of the sources,
// because they show what remains.
func (pd *partialDelete) deleteFromRowGroups(p *sourcePlaces) error {
	where, args := p.where(pd.db)
	query := "SELECT block, trace_group, commit_id, source_id, part, traces, data FROM row_groups WHERE " + where
	found := make(map[sourceCommit]int64)
	var rows []rowGroup
	var r rowGroup
	var traces int64
	dest := []any{&r.block, &r.group, &r.commit, &r.source, &r.part, &traces, &r.data}
	err := eachRow(pd.ctx, pd.t, query, args, dest, func() error {
		r.traces = uint64(traces)
		rows = append(rows, r)
		found[sourceCommit{r.commit, r.source}]++
		return nil
	})
	if err != nil {
		return err
	}
	if !maps.Equal(found, p.parts) {
		return errLost("a row of measurements")
	}

	for i := range rows {
		if err := pd.deleteFrom(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// deleteFrom deletes the selected measurements of a row group.
func (pd *partialDelete) deleteFrom(r *rowGroup) error {
	wanted := pd.selects(r.commit, r.group)
	var p rowGroupWriter
	n := 0
	err := r.decode(^uint64(0), func(m *entry) {
		if memberOf(m.trace).bit&wanted != 0 {
			n++
		} else {
			p.add(m)
			pd.used[annotationsKey{r.source, m.annotations}] = true
		}
	})
	if err != nil || n == 0 {
		return err
	}

	const where = " WHERE block = $1 AND trace_group = $2 AND commit_id = $3 AND source_id = $4 AND part = $5"
	key := []any{r.block, r.group, r.commit, r.source, r.part}
	pd.deleted[r.source] += n
	if p.traces == 0 {
		pd.gone[sourceCommit{r.commit, r.source}]++
		_, err = pd.t.exec(pd.ctx, "DELETE FROM row_groups"+where, key...)
		return err
	}
	p.take(r)
	key = append(key, int64(r.traces), r.data)
	_, err = pd.t.exec(pd.ctx, "UPDATE row_groups SET traces = $6, data = $7"+where, key...)
	return err
}

// deleteAnnotations deletes the annotations of sources that none of their measurements have. The
// lines of a row keep their numbers.
func (pd *partialDelete) deleteAnnotations(sources []int64) error {
	changed := make(map[annotationsKey]string)
	where, args := pd.db.in("source_id", sources)
	err := eachAnnotations(pd.ctx, pd.t, where, args, func(key annotationsKey, old string) {
		lines := strings.SplitAfter(old, "\n")
		for i := range lines {
			number := key.id*annotationsPerRow + int64(i)
			if lines[i] != "" && !pd.used[annotationsKey{key.source, number}] {
				lines[i] = "\n"
			}
		}
		if texts := strings.Join(lines, ""); texts != old {
			changed[key] = texts
		}
	})
	if err != nil {
		return err
	}

	for key, texts := range changed {
		query, args := "DELETE FROM annotations WHERE source_id = $1 AND id = $2", []any{key.source, key.id}
		if strings.Trim(texts, "\n") != "" {
			query = "UPDATE annotations SET texts = $3 WHERE source_id = $1 AND id = $2"
			args = append(args, seal([]byte(texts), key.keys()))
		}
		if _, err := pd.t.exec(pd.ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}
