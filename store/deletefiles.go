package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// The files, and the measurements of all of them, from which a transaction deletes. Files with hours
// near each other have commits of the same blocks, which are read once for all of them.
const (
	deletedFiles        = 64
	deletedMeasurements = 100_000
)

// batch returns the number of files for the next transaction.
func (d *deletion) batch() int {
	n, records := 0, 0
	for n < min(len(d.files), deletedFiles) && (n == 0 || records+d.files[n].records <= deletedMeasurements) {
		records += d.files[n].records
		n++
	}
	return n
}

// delete deletes files, or what is selected of them.
func (d *deletion) delete(t *transaction, files []selectedFile) (Deleted, error) {
	var deleted Deleted
	found, err := d.lockFiles(t, files)
	if err != nil || len(found) == 0 {
		return deleted, err
	}
	ids := make([]int64, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	slices.Sort(ids)

	counts := found
	if d.deletesFiles() {
		var args []any
		if _, err = t.ExecContext(d.ctx, "DELETE FROM sources WHERE "+d.db.in("id", ids, &args), args...); err == nil {
			err = d.deleteSources(d.ctx, t, ids)
		}
	} else {
		counts, err = d.deleteMeasurements(t, ids)
	}
	for _, f := range files {
		if _, ok := found[f.id]; ok && (d.deletesFiles() || counts[f.id] > 0) {
			deleted.add(f.path, counts[f.id])
		}
	}
	return deleted, err
}

// lockFiles keeps others from changing files, and returns the number of records of each that is still
// the one that was selected.
func (d *deletion) lockFiles(t *transaction, files []selectedFile) (map[int64]int, error) {
	paths := make(map[int64]string, len(files))
	var ids []int64
	for _, f := range files {
		paths[f.id], ids = f.path, append(ids, f.id)
	}

	var args []any
	query := "UPDATE sources SET faults = faults WHERE " + d.db.in("id", ids, &args) + " RETURNING id, path, records"
	var id int64
	var path string
	var records int
	found := make(map[int64]int)
	for err := range eachRow(d.ctx, t, query, args, &id, &path, &records) {
		if err != nil {
			return nil, err
		}
		if paths[id] == path { // SQLite uses the ID of a deleted file for another
			found[id] = records
		}
	}
	return found, nil
}

// A sourceCommit is a commit of a source.
type sourceCommit struct{ commit, source int64 }

// A sourcePlaces is where the measurements of sources are.
type sourcePlaces struct {
	commits []sourceCommit // by commit
	blocks  []int64        // sorted
}

// places returns where the measurements of sources are.
func (s *Store) places(ctx context.Context, tx *sql.Tx, sources []int64) (p sourcePlaces, err error) {
	var args []any
	query := `
		SELECT sc.commit_id, sc.source_id, c.issue, c.patchset
		FROM source_commits sc JOIN commits c ON c.id = sc.commit_id
		WHERE ` + s.db.in("sc.source_id", sources, &args) + ` ORDER BY sc.commit_id`
	var at sourceCommit
	var trial Trial
	for err := range eachRow(ctx, tx, query, args, &at.commit, &at.source, &trial.Issue, &trial.Patchset) {
		if err != nil {
			return p, err
		}
		p.commits = append(p.commits, at)
		p.blocks = append(p.blocks, blockOf(at.commit, trial))
	}
	slices.Sort(p.blocks)
	p.blocks = slices.Compact(p.blocks)
	return p, nil
}

// deleteSources deletes all that belongs to sources, except their rows. It reads the blocks of their
// commits.
func (s *Store) deleteSources(ctx context.Context, t *transaction, sources []int64) error {
	t.deleted = true
	p, err := s.places(ctx, t.Tx, sources)
	if err != nil {
		return err
	}
	if len(p.blocks) > 0 {
		var args []any
		where := s.db.in("block", p.blocks, &args) + " AND " + s.db.in("source_id", sources, &args)
		if _, err := t.ExecContext(ctx, "DELETE FROM row_groups WHERE "+where, args...); err != nil {
			return err
		}
	}
	for _, table := range []string{"annotations", "source_commits"} {
		var args []any
		_, err := t.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+s.db.in("source_id", sources, &args), args...)
		if err != nil {
			return err
		}
	}
	return t.resetCommits(ctx, p.commits)
}

// resetCommits resets commits after some of their sources were deleted. They are sorted.
func (t *transaction) resetCommits(ctx context.Context, commits []sourceCommit) error {
	for i, at := range commits {
		if i > 0 && commits[i-1].commit == at.commit {
			continue
		}
		if err := t.resetCommit(ctx, at.commit); err != nil {
			return err
		}
	}
	return nil
}

// A partialDelete deletes some measurements of sources.
type partialDelete struct {
	*deletion
	t           *transaction
	deleted     map[int64]int            // by source
	left        map[sourceCommit]bool    // that have measurements
	annotations map[int64]map[int64]bool // numbers of annotations that are used, by source
}

// deleteMeasurements deletes the selected measurements of sources, and returns their numbers by source.
func (d *deletion) deleteMeasurements(t *transaction, sources []int64) (map[int64]int, error) {
	p, err := d.places(d.ctx, t.Tx, sources)
	if err != nil || len(p.blocks) == 0 {
		return nil, err
	}
	pd := &partialDelete{deletion: d, t: t, deleted: make(map[int64]int), left: make(map[sourceCommit]bool),
		annotations: make(map[int64]map[int64]bool)}
	if err := pd.deleteFromRowGroups(sources, p.blocks); err != nil || len(pd.deleted) == 0 {
		return nil, err
	}
	t.deleted = true

	var empty []sourceCommit
	for _, at := range p.commits {
		if pd.deleted[at.source] > 0 && !pd.left[at] {
			empty = append(empty, at)
			_, err := t.exec(d.ctx, "DELETE FROM source_commits WHERE commit_id = $1 AND source_id = $2", at.commit, at.source)
			if err != nil {
				return nil, err
			}
		}
	}
	for _, id := range sources {
		if pd.deleted[id] == 0 {
			continue
		}
		_, err := t.exec(d.ctx, "UPDATE sources SET records = records - $1 WHERE id = $2", pd.deleted[id], id)
		if err != nil {
			return nil, err
		}
		if err := pd.deleteAnnotations(id); err != nil {
			return nil, err
		}
	}
	return pd.deleted, t.resetCommits(d.ctx, empty)
}

// deleteFromRowGroups deletes measurements of row groups. It reads all row groups of the sources, because they show what remains.
func (pd *partialDelete) deleteFromRowGroups(sources, blocks []int64) error {
	var args []any
	query := "SELECT block, trace_group, commit_id, source_id, part, traces, data FROM row_groups WHERE " +
		pd.db.in("block", blocks, &args) + " AND " + pd.db.in("source_id", sources, &args)
	var rows []rowGroup
	return pd.db.eachChunk(pd.ctx, pd.t.Tx, query, args, chunks{
		size: func() int { return maxAtOnce },
		scan: func(from *sql.Rows) error {
			var r rowGroup
			var traces int64
			err := from.Scan(&r.block, &r.group, &r.commit, &r.source, &r.part, &traces, &r.data)
			r.traces = uint64(traces)
			rows = append(rows, r)
			return err
		},
		// SQLite may return a row that was changed once more. Then nothing of it is selected.
		done: func() (more bool, err error) {
			for i := range rows {
				if err := pd.deleteFrom(&rows[i]); err != nil {
					return false, err
				}
			}
			rows = rows[:0]
			return true, nil
		},
	})
}

// deleteFrom deletes the selected measurements of a row group.
func (pd *partialDelete) deleteFrom(r *rowGroup) error {
	wanted := pd.selects(r.commit, r.group)
	var p rowGroupWriter
	n := 0
	err := r.decode(^uint64(0), func(m *entry) {
		if memberOf(m.trace).bit&wanted != 0 {
			n++
			return
		}
		p.add(m)
		if pd.annotations[r.source] == nil {
			pd.annotations[r.source] = make(map[int64]bool)
		}
		pd.annotations[r.source][m.annotations] = true
	})
	if err != nil {
		return err
	}

	if p.traces != 0 {
		pd.left[sourceCommit{r.commit, r.source}] = true
	}
	const where = " WHERE block = $1 AND trace_group = $2 AND commit_id = $3 AND source_id = $4 AND part = $5"
	key := []any{r.block, r.group, r.commit, r.source, r.part}
	if n == 0 {
		return nil
	}
	pd.deleted[r.source] += n
	if p.traces == 0 {
		_, err = pd.t.exec(pd.ctx, "DELETE FROM row_groups"+where, key...)
		return err
	}
	p.take(r)
	_, err = pd.t.exec(pd.ctx, "UPDATE row_groups SET traces = $6, data = $7"+where, append(key, int64(r.traces), r.data)...)
	return err
}

// deleteAnnotations deletes the annotations of a source that none of its measurements have. The lines of a
// row keep their numbers.
func (pd *partialDelete) deleteAnnotations(source int64) error {
	changed := make(map[int64]string) // texts by ID; empty for a row to delete
	used := pd.annotations[source]
	var r annotationsRow
	for err := range eachRow(pd.ctx, pd.t, selectAnnotations+" WHERE d.source_id = $1", []any{source}, r.dest()...) {
		if err != nil {
			return err
		}
		old, err := r.text()
		if err != nil {
			return err
		}
		lines := strings.SplitAfter(old, "\n")
		isUsed := false
		for i := range lines {
			if used[r.id*annotationsPerRow+int64(i)] {
				isUsed = true
			} else if lines[i] != "" {
				lines[i] = "\n"
			}
		}
		if texts := strings.Join(lines, ""); !isUsed {
			changed[r.id] = ""
		} else if texts != old {
			changed[r.id] = texts
		}
	}

	for id, texts := range changed {
		query, args := "DELETE FROM annotations WHERE source_id = $1 AND id = $2", []any{source, id}
		if texts != "" {
			query, args = "UPDATE annotations SET texts = $3 WHERE source_id = $1 AND id = $2", append(args, seal([]byte(texts), annotationsKey{source, id}.keys()))
		}
		if _, err := pd.t.exec(pd.ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}
