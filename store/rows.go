package store

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
)

// measurements returns the rows of the newest runs of traces at the selected commits. It leaves out
// traces without any. It sets how many traces may be read next.
func (v *viewer) measurements(traces []traceRow, withExtras bool) ([]traceRows, error) {
	byTrace := make(map[int64][]measurement, len(traces))
	read := v.allMeasurements
	if v.newest {
		read = v.newestMeasurements
	}
	if err := read(traces, withExtras, byTrace); err != nil {
		return nil, err
	}

	all, points := make([]traceRows, 0, len(byTrace)), 0
	for _, t := range traces {
		points += len(byTrace[t.id])
		rows, err := v.winners(byTrace[t.id])
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			all = append(all, traceRows{t, rows})
		}
	}
	v.setAtOnce(len(traces), points)
	return all, nil
}

// The numbers of traces that are read at once. Many, because a query for each few traces costs more
// than their values. Few, because all points of a chunk are in memory: with maxPoints, up to 10 MB.
const (
	firstTraces = 32
	maxAtOnce   = 1024
	maxPoints   = 50_000
)

// setAtOnce sets the size of the next chunk, after one of some traces and points.
func (v *viewer) setAtOnce(traces, points int) {
	v.atOnce = min(maxPoints*traces/max(points, 1), 2*v.atOnce, maxAtOnce)
	v.atOnce = max(v.atOnce, 1)
}

// allMeasurements adds the rows of each trace at the selected commits, sorted by commit, source and
// number, also the ones that lose.
func (v *viewer) allMeasurements(traces []traceRow, withExtras bool, byTrace map[int64][]measurement) error {
	return v.readMeasurements(traces, v.blocks, withExtras, byTrace)
}

// newestMeasurements is allMeasurements at the newest commit of each trace only. Usually, the newest
// block has most of them, so it reads that first, and then more blocks each time.
func (v *viewer) newestMeasurements(traces []traceRow, withExtras bool, byTrace map[int64][]measurement) error {
	left, blocks := slices.Clone(traces), v.blocks
	for n := 1; len(blocks) > 0 && len(left) > 0; n *= 4 {
		n = min(n, len(blocks))
		if err := v.readMeasurements(left, blocks[:n], withExtras, byTrace); err != nil {
			return err
		}
		blocks = blocks[n:]
		left = slices.DeleteFunc(left, func(t traceRow) bool {
			rows := byTrace[t.id]
			return len(rows) > 0 && (len(blocks) == 0 || rows[len(rows)-1].commit > blocks[0].last)
		})
	}
	for id, rows := range byTrace {
		last := rows[len(rows)-1].commit
		from := slices.IndexFunc(rows, func(m measurement) bool { return m.commit == last })
		byTrace[id] = rows[from:]
	}
	return nil
}

// readMeasurements adds the rows of traces in some blocks.
func (v *viewer) readMeasurements(
	traces []traceRow, blocks []rankedBlock, withExtras bool, byTrace map[int64][]measurement,
) error {
	if len(blocks) == 0 {
		return nil
	}
	query, args := v.selectMeasurements(traces, blocks, withExtras)
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	s := newRowScanner(v, withExtras)
	for rows.Next() {
		trace, m, err := s.scan(rows)
		if err != nil {
			return err
		}
		if m != nil {
			byTrace[trace] = append(byTrace[trace], *m)
		}
	}
	for _, rows := range byTrace {
		slices.SortFunc(rows, compareMeasurements) // usually, they are in order already
	}
	return rows.Err()
}

// selectMeasurements returns a query for the rows of traces in some blocks, and its arguments.
func (v *viewer) selectMeasurements(traces []traceRow, blocks []rankedBlock, withExtras bool) (string, []any) {
	ids := make([]int64, len(traces))
	for i, t := range traces {
		ids[i] = t.id
	}
	slices.Sort(ids)
	var args []any
	columns, from := measurementColumns, "measurements m"
	if withExtras {
		columns, from = columns+", m.byte_offset, "+detailsColumns, from+joinDetails
	}
	return "SELECT " + columns + " FROM " + from + " WHERE " + v.db.in("m.block", blockIDs(blocks), &args) + " AND " +
		v.db.in("m.trace_id", ids, &args), args
}

// blockIDs returns the IDs of blocks, sorted.
func blockIDs(blocks []rankedBlock) []int64 {
	ids := make([]int64, len(blocks))
	for i, b := range blocks {
		ids[i] = b.id
	}
	slices.Sort(ids)
	return ids
}

func compareMeasurements(a, b measurement) int {
	return cmp.Or(a.commit-b.commit, cmp.Compare(a.source, b.source), cmp.Compare(a.stored, b.stored))
}

// measurementColumns are the columns that a rowScanner reads.
const measurementColumns = "m.trace_id, m.commit_id, m.source_id, m.n, m.value, m.spelling_id"

// A rowScanner reads rows with the measurementColumns, and those of the extras. More columns may
// follow. Rows are scanned as any, because database/sql converts other types by reflection: a question
// for 30,000 values takes a fifth more time.
type rowScanner struct {
	v          *viewer
	withExtras bool
	columns    [6]any
	m          measurement
	offset     sql.NullInt64
	details    detailsRow
	dest       []any
}

func newRowScanner(v *viewer, withExtras bool, more ...any) *rowScanner {
	s := &rowScanner{v: v, withExtras: withExtras}
	for i := range s.columns {
		s.dest = append(s.dest, &s.columns[i])
	}
	if withExtras {
		s.dest = append(append(s.dest, &s.offset), s.details.columns()...)
	}
	s.dest = append(s.dest, more...)
	return s
}

// scan reads a row. The measurement is nil if its commit is not selected. The next call overwrites it.
func (s *rowScanner) scan(rows *sql.Rows) (trace int64, m *measurement, err error) {
	if err := rows.Scan(s.dest...); err != nil {
		return 0, nil, err
	}
	var ids [5]int64
	for i, column := range []int{0, 1, 2, 3, 5} {
		ids[i], _ = s.columns[column].(int64)
	}
	i, ok := s.v.list.index[ids[1]]
	if !ok || s.v.selected != nil && !s.v.selected(i) {
		return ids[0], nil, nil
	}
	value, ok := s.columns[4].(float64)
	if !ok {
		value = math.NaN() // NULL: SQLite has none
	}
	s.m = measurement{commit: i, source: ids[2], stored: ids[3], n: ids[3], value: value, spelling: ids[4]}
	if s.withExtras {
		s.m.extras = &extras{s.offset, s.details.texts()}
	}
	return ids[0], &s.m, nil
}
