package store

import (
	"context"
	"database/sql"
	"math"
	"slices"
)

// Versions before packs had a row for each measurement. The step of the schema renames their
// table, so that older programs that still have the database open cannot store anything that
// would be missed. Open then moves the rows into packs, some traces of a block in each
// transaction: a process that is killed leaves the database as it was between two of them, and
// the next Open goes on. Several processes may do so.

// unpackedStamp is the name of a stamp that exists as long as the table does.
const unpackedStamp = "unpacked"

// dropUnpacked drops the table if it has no rows.
func dropUnpacked(ctx context.Context, t *transaction) error {
	var n int
	if err := t.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM unpacked LIMIT 1) u").Scan(&n); err != nil || n > 0 {
		return err
	}
	if _, err := t.ExecContext(ctx, "DROP TABLE unpacked"); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, "DELETE FROM stamps WHERE name = $1", unpackedStamp)
	return err
}

// repack moves all rows of an older version into packs.
func (s *Store) repack(ctx context.Context) error {
	from := place{math.MinInt64, 0}
	for {
		done := false
		err := s.write(ctx, func(t *transaction) (err error) {
			done, err = s.repackSome(ctx, t, &from)
			return err
		})
		if err != nil || done {
			return err
		}
	}
}

// A place is where the rows of some traces of a block begin.
type place struct{ block, trace int64 }

// repackedAtOnce is the number of traces whose rows are moved in a transaction.
const repackedAtOnce = 64 * groupSize

// repackSome moves rows, and reports whether there are no more. It looks for them from a place
// on, and sets the next place.
func (s *Store) repackSome(ctx context.Context, t *transaction, from *place) (done bool, err error) {
	if err := t.lockNames(ctx); err != nil {
		return false, err
	}
	var unpacked int
	row := t.QueryRowContext(ctx, "SELECT COUNT(*) FROM stamps WHERE name = $1", unpackedStamp)
	if err := row.Scan(&unpacked); err != nil || unpacked == 0 {
		return true, err
	}

	var first place
	err = t.QueryRowContext(ctx, `
		SELECT block, trace_id FROM unpacked WHERE (block, trace_id) >= ($1, $2) ORDER BY block, trace_id LIMIT 1`,
		from.block, from.trace).Scan(&first.block, &first.trace)
	switch {
	case err == sql.ErrNoRows && *from == place{math.MinInt64, 0}:
		return false, dropUnpacked(ctx, t)
	case err == sql.ErrNoRows:
		*from = place{math.MinInt64, 0} // look for all
		return false, nil
	case err != nil:
		return false, err
	}
	first.trace -= first.trace % repackedAtOnce
	if err := s.repackTraces(ctx, t, first); err != nil {
		return false, err
	}
	_, err = t.exec(ctx, "DELETE FROM unpacked WHERE block = $1 AND trace_id >= $2 AND trace_id < $3",
		first.block, first.trace, first.trace+repackedAtOnce)
	*from = place{first.block, first.trace + repackedAtOnce}
	return false, err
}

// repackTraces packs the rows of the traces from a place on.
func (s *Store) repackTraces(ctx context.Context, t *transaction, from place) error {
	var pending []packedRow // the last group may not be complete
	parts := int64(0)
	block := func(int64) int64 { return from.block }

	err := s.db.eachChunk(ctx, t.Tx, `
		SELECT trace_id, commit_id, source_id, n, value, spelling_id, details_id, byte_offset
		FROM unpacked WHERE block = $1 AND trace_id >= $2 AND trace_id < $3
		ORDER BY trace_id`, []any{from.block, from.trace, from.trace + repackedAtOnce}, chunks{
		size: func() int { return recordsAtOnce },
		scan: func(rows *sql.Rows) error {
			r := packedRow{packed: packed{value: math.NaN()}} // NULL: SQLite has none
			var value sql.NullFloat64
			var offset sql.NullInt64
			err := rows.Scan(&r.trace, &r.commit, &r.source, &r.n, &value, &r.spelling, &r.details, &offset)
			if value.Valid {
				r.value = value.Float64
			}
			r.offset, r.hasOffset = offset.Int64, offset.Valid
			pending = append(pending, r)
			return err
		},
		done: func() (more bool, err error) {
			if len(pending) == 0 {
				return true, nil
			}
			last := memberOf(pending[len(pending)-1].trace).group
			n := slices.IndexFunc(pending, func(r packedRow) bool { return memberOf(r.trace).group == last })
			err = t.insertPacks(ctx, pending[:n], &parts, block)
			pending = slices.Delete(pending, 0, n)
			return true, err
		},
	})

	if err != nil {
		return err
	}
	return t.insertPacks(ctx, pending, &parts, block)
}
