package store

import (
	"context"
	"database/sql"
	"iter"
	"testing"
)

// unpackedTable is the table of measurements before row groups, with a row for each.
var unpackedTable = table{"measurements",
	"block, trace_id, commit_id, source_id, n, value, spelling_id, details_id, byte_offset"}

const createUnpacked = `CREATE TABLE measurements (
	block {int} NOT NULL, trace_id {int} NOT NULL, commit_id {int} NOT NULL, source_id {int} NOT NULL, n {int} NOT NULL,
	value {float}, spelling_id {int} NOT NULL, details_id {int} NOT NULL, byte_offset {int},
	PRIMARY KEY (block, trace_id, commit_id, source_id, n)){key}`

// makeTraceParams makes the table of the params of traces before postings.
const makeTraceParams = `
	CREATE TABLE trace_params (param_id {int} NOT NULL, trace_id {int} NOT NULL, PRIMARY KEY (param_id, trace_id)){key};
	WITH RECURSIVE bits (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM bits WHERE n < 63)
	INSERT INTO trace_params SELECT param_id, 64 * CAST(trace_group AS BIGINT) + n FROM postings, bits
	WHERE traces & (CAST(1 AS BIGINT) << n) <> 0`

// makeUnpacked makes the tables of measurements and of params of traces, with every entry
// decoded.
func makeUnpacked(t *testing.T, s *Store) {
	t.Helper()
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(),
			"SELECT block, trace_group, commit_id, source_id, traces, data FROM row_groups m ORDER BY block, trace_group")
		if err != nil {
			return err
		}
		defer rows.Close()
		var values []any
		for row := range unpackedRows(t, rows) {
			values = append(values, row...)
		}
		return s.write(context.WithoutCancel(t.Context()), func(tx *transaction) error {
			for _, query := range []string{createUnpacked, makeTraceParams} {
				if _, err := tx.ExecContext(t.Context(), s.db.types().Replace(query)); err != nil {
					return err
				}
			}
			return tx.insert(t.Context(), unpackedTable, values)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unpackedRows iterates over the rows of the unpackedTable.
func unpackedRows(t *testing.T, rows *sql.Rows) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for rows.Next() {
			var r rowGroup
			var traces int64
			if err := rows.Scan(&r.block, &r.group, &r.commit, &r.source, &traces, &r.data); err != nil {
				t.Error(err)
				return
			}
			more := true
			r.traces = uint64(traces)
			err := r.decode(^uint64(0), func(m *entry) {
				more = more && yield([]any{r.block, m.trace, r.commit, r.source, m.n, m.value, m.spelling, m.annotations, m.offset})
			})
			if err != nil {
				t.Error(err)
			}
			if err != nil || !more {
				return
			}
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
	}
}
