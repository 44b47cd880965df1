package store

import (
	"context"
	"database/sql"
	"errors"
	"math/bits"
	"slices"
)

// Names are swept, not counted: what uses them is found by reading all row groups in one state of
// the database, while others write, and then the rest is deleted in a transaction, which first
// adds the names of the files that were stored since.
//
// Others may have the IDs of names: caches of Stores, and files that are being read. So a sweep
// changes the stamp of names, and a commit that sees a stamp other than that of its IDs looks them
// up: see commit.checkNames. For that, the ID of a name is never used for another, and the newest
// name of a table is never deleted, because SQLite gives a new row the ID after it.

// Vacuumed is what [Store.Vacuum] deleted: rows that no measurement uses.
type Vacuumed struct {
	Traces, Params, Spellings, Commits int
}

// Vacuum deletes the traces, params, spellings and commits that have no measurements, as after
// [Store.Delete], and frees the space of deleted rows: SQLite returns it to the system;
// PostgreSQL keeps it for the tables, and returns it to the system by VACUUM FULL.
//
// It reads all measurements. Others may read and write meanwhile; with SQLite, they cannot write
// while the file is written again, which takes the space of the database a second time. A file
// that is being stored by another Store, and has a trace that was deleted, fails with
// [ErrUnavailable], and can be stored again at once. If Vacuum fails, or the process is killed,
// the database is as good as before, and the next Vacuum goes on.
func (s *Store) Vacuum(ctx context.Context) (done Vacuumed, err error) {
	for err = errStale; errors.Is(err, errStale); {
		var used *sweptNames
		if used, err = s.readUsed(ctx); err == nil {
			err = s.write(ctx, func(t *transaction) error { return s.deleteUnused(ctx, t, used, &done) })
		}
	}
	s.names.forget(noStamp)
	if err == nil {
		err = cause(ctx, s.db.vacuum(ctx))
	}
	return done, wrap(err, "vacuum")
}

// errStale says that the IDs of names are no longer valid in the database: the sweep begins again.
var errStale = errors.New("something was deleted during the sweep")

// A sweptNames is the names that measurements use.
type sweptNames struct {
	traces    traceSet
	spellings idSet
	sources   idSet // whose measurements were read
	deletions int64 // the stamp
}

// readUsed returns what all measurements use.
func (s *Store) readUsed(ctx context.Context) (*sweptNames, error) {
	used := &sweptNames{traces: make(traceSet), spellings: make(idSet), sources: make(idSet)}
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		if used.deletions, err = readStamp(ctx, tx, deletionsStamp); err != nil {
			return err
		}
		if _, err := used.addSources(ctx, tx); err != nil {
			return err
		}
		return eachRowGroup(ctx, tx, true, "1 = 1", nil, used.add)
	})
	return used, err
}

// addSources adds the stored sources, and returns the sources that it lacked.
func (n *sweptNames) addSources(ctx context.Context, q querier) (added []int64, err error) {
	stored, err := column[int64](ctx, q, "SELECT id FROM sources WHERE sha256 IS NOT NULL")
	for _, id := range stored {
		if !n.sources[id] {
			added, n.sources[id] = append(added, id), true
		}
	}
	return added, err
}

// add adds what a row group uses.
func (n *sweptNames) add(r *rowGroup) error {
	n.traces[r.group] |= r.traces
	last := int64(0)
	return r.decode(^uint64(0), func(m *entry) {
		if m.spelling != last {
			last = m.spelling
			n.spellings[last] = true
		}
	})
}

// updateUsed adds what files use that were stored since.
func (s *Store) updateUsed(ctx context.Context, t *transaction, used *sweptNames) error {
	stamp, err := readStamp(ctx, t, deletionsStamp)
	if err == nil && stamp != used.deletions {
		err = errStale // SQLite uses the ID of a deleted source for another
	}
	if err != nil {
		return err
	}
	added, err := used.addSources(ctx, t)
	if err != nil || len(added) == 0 {
		return err
	}
	p, err := s.places(ctx, t, added)
	if err != nil {
		return err
	}
	where, args := p.where(s.db)
	return eachRowGroup(ctx, t, false, where, args, used.add)
}

// deleteUnused deletes the names that are not used. Nobody remembers the IDs of commits.
func (s *Store) deleteUnused(ctx context.Context, t *transaction, used *sweptNames, done *Vacuumed) error {
	if err := s.updateUsed(ctx, t, used); err != nil {
		return err
	}
	traces, err := t.unused(ctx, "traces", used.traces.has)
	if err != nil {
		return err
	}
	spellings, err := t.unused(ctx, "spellings", func(id int64) bool { return used.spellings[id] })
	if err != nil {
		return err
	}
	t.namesDeleted = len(traces)+len(spellings) > 0
	t.deleted = t.namesDeleted // the numbers of traces that params have are remembered

	if err := t.deletePostings(ctx, traces); err != nil {
		return err
	}
	if done.Traces, err = t.deleteIn(ctx, "traces", "id", traces); err != nil {
		return err
	}
	if done.Spellings, err = t.deleteIn(ctx, "spellings", "id", spellings); err != nil {
		return err
	}
	const noTraces = "traces = 0 AND id < (SELECT MAX(id) FROM params)"
	if done.Params, err = t.deleteCounted(ctx, "params", noTraces); err != nil {
		return err
	}
	done.Commits, err = t.deleteCounted(ctx, "commits", "hour = $1", noSource)
	return err
}

// unused returns the names of a table that are not used, except for its newest.
func (t *transaction) unused(ctx context.Context, table string, isUsed func(id int64) bool) ([]int64, error) {
	query := "SELECT id FROM " + table + " WHERE id < (SELECT MAX(id) FROM " + table + ") ORDER BY id"
	ids, err := column[int64](ctx, t, query)
	return slices.DeleteFunc(ids, isUsed), err
}

// deletePostings deletes traces from the postings of their params. It reads all postings instead of
// the names of the traces, which may be damaged.
func (t *transaction) deletePostings(ctx context.Context, traces []int64) error {
	if len(traces) == 0 {
		return nil
	}
	deleted := make(traceSet)
	for _, id := range traces {
		deleted.add(id)
	}

	var changed []any
	fewer := make(map[int64]int64) // traces of params
	var param, group, of int64
	const query = "SELECT param_id, trace_group, traces FROM postings"
	err := eachRow(ctx, t, query, nil, []any{&param, &group, &of}, func() error {
		if gone := uint64(of) & deleted[group]; gone != 0 {
			fewer[param] -= int64(bits.OnesCount64(gone))
			changed = append(changed, param, group, of&^int64(gone))
		}
		return nil
	})
	if err != nil {
		return err
	}

	var counts []any
	for param, n := range fewer {
		counts = append(counts, param, n)
	}
	const update = `UPDATE postings SET traces = n.traces FROM {rows}
		WHERE postings.param_id = n.param_id AND postings.trace_group = n.trace_group AND postings.param_id {in}`
	if err := t.with(ctx, update, postingsTable.columns, changed, nil, nil); err != nil {
		return err
	}
	if err := t.addToParams(ctx, counts); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, "DELETE FROM postings WHERE traces = 0")
	return err
}

// deleteIn deletes the rows of a table with some IDs in a column, and returns their number.
func (t *transaction) deleteIn(ctx context.Context, table, column string, ids []int64) (deleted int, err error) {
	where, args := t.db.in(column, ids)
	return t.deleteCounted(ctx, table, where, args...)
}

// deleteCounted deletes rows of a table, and returns their number.
func (t *transaction) deleteCounted(ctx context.Context, table, where string, args ...any) (int, error) {
	deleted, err := t.exec(ctx, "DELETE FROM "+table+" WHERE "+where, args...)
	t.countRows(table, -deleted)
	return int(deleted), err
}
