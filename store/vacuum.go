package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"perfdata/traceid"
)

// Names are swept, not counted: what uses them is found by reading all row groups. A sweep marks what is
// used in one state of the database, while others write, and then deletes the rest in short
// transactions. Each of these adds to the marks the names of the files that were stored since.
//
// Others may have the IDs of names: caches of Stores, and files whose names were added before their
// measurements. So a sweep changes the stamp of names, and a commit that sees another stamp than
// that of its IDs looks them up: see commit.checkNames. For that, the ID of a name is never used for
// another, and the newest name of a table is never deleted, because SQLite gives a new row the ID
// after it.

// namesStamp is the name of the stamp that changes when traces or spellings are deleted.
const namesStamp = "names"

// Vacuumed is what [Store.Vacuum] deleted: rows that no measurement uses.
type Vacuumed struct {
	Traces, Params, Spellings, Commits int
}

// Vacuum deletes the traces, params, spellings and commits that have no measurements, as after
// [Store.Delete], and gives the space of what was deleted back: to the system with SQLite, and to the
// tables with PostgreSQL, where VACUUM FULL gives it to the system.
//
// It reads all measurements. Others may read and write meanwhile; with SQLite, they cannot write while
// the file is written again, which takes the space of the database a second time. A file that
// is being stored by another Store, and has a trace that was deleted, fails with
// [ErrUnavailable], and can be stored again at once. If Vacuum fails, or the process is killed, the
// database is as good as before, and the next Vacuum goes on.
func (s *Store) Vacuum(ctx context.Context) (Vacuumed, error) {
	var done Vacuumed
	err := s.sweep(ctx, &done)
	s.names.forget(noStamp)
	if err == nil {
		err = cause(ctx, s.db.vacuum(ctx))
	}
	return done, wrap(err, "vacuum")
}

// errMarks says that marks are not those of the database any more.
var errMarks = errors.New("something was deleted during the sweep")

// sweep deletes the names that no measurement uses. It begins again if something was deleted meanwhile.
func (s *Store) sweep(ctx context.Context, done *Vacuumed) error {
	for {
		m, err := s.mark(ctx)
		if err == nil {
			err = s.sweepMarked(ctx, m, done)
		}
		if !errors.Is(err, errMarks) {
			return err
		}
	}
}

// marks are what measurements use.
type marks struct {
	traces    traceSet
	spellings idSet
	sources   idSet // whose measurements were read
	deletions int64 // the stamp
}

// mark returns what all measurements use.
func (s *Store) mark(ctx context.Context) (*marks, error) {
	m := &marks{traces: make(traceSet), spellings: make(idSet), sources: make(idSet)}
	err := s.view(ctx, func(tx *sql.Tx) error {
		var err error
		if m.deletions, err = readStamp(ctx, tx, deletionsStamp); err != nil {
			return err
		}
		if err := m.addSources(ctx, tx, nil); err != nil {
			return err
		}
		return m.add(ctx, tx, "SELECT "+rowGroupColumns+" FROM row_groups m")
	})
	return m, err
}

// addSources marks the sources that are stored. It appends those that were not marked to added, if
// that is not nil.
func (m *marks) addSources(ctx context.Context, tx *sql.Tx, added *[]int64) error {
	var id int64
	for err := range eachRow(ctx, tx, "SELECT id FROM sources WHERE sha256 IS NOT NULL", nil, &id) {
		if err != nil {
			return err
		}
		if added != nil && !m.sources[id] {
			*added = append(*added, id)
		}
		m.sources[id] = true
	}
	return nil
}

// add marks what the row groups of a query use.
func (m *marks) add(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	last := int64(0)
	var s rowGroupScanner
	for rows.Next() {
		r, err := s.scan(rows)
		if err != nil {
			return err
		}
		m.traces[r.group] |= r.traces
		err = r.decode(^uint64(0), func(p *entry) {
			if p.spelling != last {
				last = p.spelling
				m.spellings[last] = true
			}
		})
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// sweptAtOnce is the number of names that a transaction looks at.
const sweptAtOnce = 4096

// sweepMarked deletes the names that are not marked.
func (s *Store) sweepMarked(ctx context.Context, m *marks, done *Vacuumed) error {
	for _, sweep := range []func(ctx context.Context, t *transaction, m *marks, after int64) (sweptNames, error){
		s.sweepTraces, s.sweepSpellings, s.sweepCommits,
	} {
		for after := int64(0); after >= 0; {
			var swept sweptNames
			err := s.write(ctx, func(t *transaction) (err error) {
				if err := s.lockMarks(ctx, t, m); err != nil {
					return err
				}
				swept, err = sweep(ctx, t, m, after)
				return err
			})
			if err != nil {
				return err
			}
			after = swept.last
			done.Traces += swept.Traces
			done.Params += swept.Params
			done.Spellings += swept.Spellings
			done.Commits += swept.Commits
		}
	}
	return nil
}

// A sweptNames is what a transaction deleted.
type sweptNames struct {
	Vacuumed
	last int64 // ID at which the next transaction goes on; -1 if there are no more
}

// lockMarks keeps others from using names, and adds to the marks what they have used since.
func (s *Store) lockMarks(ctx context.Context, t *transaction, m *marks) error {
	if err := t.holdNames(ctx, true); err != nil {
		return err
	}
	stamp, err := readStamp(ctx, t.Tx, deletionsStamp)
	if err != nil {
		return err
	}
	if stamp != m.deletions {
		return errMarks // SQLite uses the ID of a deleted source for another
	}
	var added []int64
	if err := m.addSources(ctx, t.Tx, &added); err != nil || len(added) == 0 {
		return err
	}
	p, err := s.places(ctx, t.Tx, added)
	if err != nil || len(p.blocks) == 0 {
		return err
	}
	var args []any
	query := "SELECT " + rowGroupColumns + " FROM row_groups m WHERE " + s.db.in("block", p.blocks, &args) +
		" AND " + s.db.in("source_id", added, &args)
	return m.add(ctx, t.Tx, query, args...)
}

// unused returns the names of a table after an ID that are not used, except the newest of the table,
// and the ID up to which it has looked.
func (s *Store) unused(
	ctx context.Context, t *transaction, table string, after int64, isUsed func(id int64) bool,
) (ids []int64, last int64, err error) {
	var newest int64
	if err := t.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+table).Scan(&newest); err != nil {
		return nil, 0, err
	}

	n, query := 0, "SELECT id FROM "+table+" WHERE id > $1 ORDER BY id LIMIT $2"
	for err := range eachRow(ctx, t, query, []any{after, sweptAtOnce}, &last) {
		if err != nil {
			return nil, 0, err
		}
		n++
		if last != newest && !isUsed(last) {
			ids = append(ids, last)
		}
	}
	if n < sweptAtOnce {
		last = -1
	}
	return ids, last, nil
}

// deleteNames deletes rows of a table of names.
func (s *Store) deleteNames(ctx context.Context, t *transaction, table string, ids []int64) error {
	for some := range slices.Chunk(ids, maxAtOnce) {
		var args []any
		if _, err := t.ExecContext(ctx, "DELETE FROM "+table+" WHERE "+s.db.in("id", some, &args), args...); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) sweepSpellings(
	ctx context.Context, t *transaction, m *marks, after int64,
) (swept sweptNames, err error) {
	ids, last, err := s.unused(ctx, t, "spellings", after, func(id int64) bool { return m.spellings[id] })
	if err == nil && len(ids) > 0 {
		t.namesDeleted = true
		err = s.deleteNames(ctx, t, "spellings", ids)
	}
	return sweptNames{Vacuumed{Spellings: len(ids)}, last}, err
}

// sweepCommits deletes the commits without sources. Nobody remembers their IDs, and lists of commits leave
// them out.
func (s *Store) sweepCommits(ctx context.Context, t *transaction, _ *marks, _ int64) (swept sweptNames, err error) {
	n, err := t.exec(ctx, `
		DELETE FROM commits WHERE NOT EXISTS (SELECT 1 FROM source_commits sc WHERE sc.commit_id = commits.id)`)
	return sweptNames{Vacuumed{Commits: int(n)}, -1}, err
}

func (s *Store) sweepTraces(ctx context.Context, t *transaction, m *marks, after int64) (swept sweptNames, err error) {
	ids, last, err := s.unused(ctx, t, "traces", after, m.traces.has)
	if err != nil || len(ids) == 0 {
		return sweptNames{last: last}, err
	}
	t.namesDeleted = true
	params, err := s.sweepPostings(ctx, t, ids)
	if err == nil {
		err = s.deleteNames(ctx, t, "traces", ids)
	}
	return sweptNames{Vacuumed{Traces: len(ids), Params: params}, last}, err
}

// sweepPostings deletes traces from the postings of their params, and the params that no trace has
// any more. It returns their number.
func (s *Store) sweepPostings(ctx context.Context, t *transaction, traces []int64) (params int, err error) {
	type place struct {
		hash  [32]byte
		group int64
	}
	swept := make(map[place]uint64)
	counts := make(map[[32]byte]int64)
	v := s.newViewer(ctx, t.Tx)
	err = v.eachName(traces, func(row traceRow) error {
		params, err := traceid.Parse(row.name)
		trace := memberOf(row.id)
		for _, p := range params {
			hash := paramHash(p)
			swept[place{hash, trace.group}] |= trace.bit
			counts[hash]++
		}
		return err
	})
	if err != nil {
		return 0, err
	}

	ids := make(map[[32]byte]int64, len(counts))
	for hash := range counts {
		var id int64
		if err := t.row(ctx, []any{&id}, "SELECT id FROM params WHERE hash = $1", hash[:]); err != nil {
			return 0, fmt.Errorf("params of traces: %w", err)
		}
		ids[hash] = id
	}
	for at, bits := range swept {
		_, err := t.exec(ctx, "UPDATE postings SET traces = traces & $1 WHERE param_id = $2 AND trace_group = $3",
			int64(^bits), ids[at.hash], at.group)
		if err == nil {
			_, err = t.exec(ctx, "DELETE FROM postings WHERE param_id = $1 AND trace_group = $2 AND traces = 0",
				ids[at.hash], at.group)
		}
		if err != nil {
			return 0, err
		}
	}
	for hash, count := range counts {
		var n int64
		_, err := t.exec(ctx, "UPDATE params SET traces = traces - $1 WHERE id = $2", count, ids[hash])
		if err == nil {
			n, err = t.exec(ctx,
				"DELETE FROM params WHERE id = $1 AND traces = 0 AND id < (SELECT MAX(id) FROM params)", ids[hash])
		}
		if err != nil {
			return 0, err
		}
		params += int(n)
	}
	return params, nil
}
