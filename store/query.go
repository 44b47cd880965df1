package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A Range selects measurements by their commits. The zero Range selects all of the mainline.
type Range struct {
	// First and Last are commits, both included, in the order of [Store.Commits]. Each may be
	// empty. If the trial, or the mainline, has no such commit, the error is [ErrUnknownCommit].
	First, Last string

	// From and Until are a range of hours of commits, with From and without Until. Each may be
	// zero.
	From, Until time.Time

	// Trial is the change under review whose measurements are selected. The zero Trial selects the
	// mainline.
	Trial Trial
}

// A Series is the values of a trace.
type Series struct {
	ID     string         // the canonical trace ID
	Params traceid.Params // verbatim, as the newest file of the series spells them
	Unit   string         // as that file spells it; empty if it names none
	Better format.Direction
	Points []Point      // in the order of the commits, and then by N
	Order  series.Order // of all commits of the trial: see [Store.Commits]
}

// A Point is a measurement of a Series.
type Point struct {
	Commit string
	N      int // numbers the repetitions at the commit, usually from 1
	Value  float64

	// Run is the name of the run, if it names no commit, and empty otherwise.
	Run string

	// Hour is the earliest hour of the files of the commit, or the run. It may be zero.
	Hour time.Time
}

// seriesAtOnce is the number of Series that a query holds in memory.
const seriesAtOnce = 64

// Query iterates over the traces that a query selects and that have values in the range, by
// canonical ID. Keys and values are compared in their canonical form, in the charset of the store: see
// [traceid.Query]. A nil
// query selects all traces.
//
// If several runs have measurements of a trace at a commit, the newest run is used: see the package
// comment.
//
// A step with an error is the last. The series all belong to one state of the database. A Series
// belongs to the caller. A query holds 64 of them, and the IDs of all traces that it selects.
func (s *Store) Query(ctx context.Context, q *traceid.Query, r Range) iter.Seq2[*Series, error] {
	return func(yield func(*Series, error) bool) {
		err := s.view(ctx, func(tx *sql.Tx) error {
			v := s.newViewer(ctx, tx)
			return v.query(q, r, func(one *Series) bool { return yield(one, nil) })
		})
		if err != nil {
			yield(nil, wrap(err, "query"))
		}
	}
}

// A viewer reads one state of the database.
type viewer struct {
	ctx     context.Context
	tx      *sql.Tx
	db      database
	charset *traceid.Charset
	commits []commitRow     // that are selected, in order
	order   series.Order    // of all commits
	index   map[int64]int   // of commits, by ID
	blocks  []int64         // that have them
	runs    map[int64]runOf // of the sources that were compared

	spellings map[int64]spelled // of the current series
	sets      sets              // the same
	paths     map[int64]string  // of sources
}

func (s *Store) newViewer(ctx context.Context, tx *sql.Tx) *viewer {
	return &viewer{ctx: ctx, tx: tx, db: s.db, charset: s.charset, index: make(map[int64]int), runs: make(map[int64]runOf),
		paths: make(map[int64]string)}
}

// query yields series until yield returns false.
func (v *viewer) query(q *traceid.Query, r Range, yield func(*Series) bool) error {
	if err := v.selectCommits(r); err != nil {
		return err
	}
	traces, err := v.traces(q)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(traces, seriesAtOnce) {
		rows, err := v.measurements(chunk, false)
		if err != nil {
			return err
		}
		series, err := v.series(rows)
		if err != nil {
			return err
		}
		for _, one := range series {
			if !yield(one) {
				return nil
			}
		}
	}
	return nil
}

// selectCommits sets the commits of a range.
func (v *viewer) selectCommits(r Range) error {
	commits, order, err := loadCommits(v.ctx, v.tx, r.Trial)
	if err != nil {
		return err
	}
	v.order = order

	first, last := 0, len(commits)-1
	for _, end := range []struct {
		name string
		at   *int
	}{{r.First, &first}, {r.Last, &last}} {
		if end.name == "" {
			continue
		}
		*end.at = slices.IndexFunc(commits, func(c commitRow) bool { return c.Name == end.name })
		if *end.at < 0 {
			return &inputError{fmt.Sprintf("commit %q is not in the store", end.name), ErrUnknownCommit}
		}
	}

	for i := first; i <= last; i++ {
		c := commits[i]
		if (r.From.IsZero() || !c.Hour.Before(r.From)) && (r.Until.IsZero() || c.Hour.Before(r.Until)) {
			v.selectCommit(c)
		}
	}
	slices.Sort(v.blocks)
	v.blocks = slices.Compact(v.blocks)
	return nil
}

// selectCommit adds a commit to those that are selected.
func (v *viewer) selectCommit(c commitRow) {
	v.index[c.id] = len(v.commits)
	v.commits = append(v.commits, c)
	v.blocks = append(v.blocks, c.id/commitsPerBlock)
}

// A traceRow is a trace in the database.
type traceRow struct {
	id   int64
	name string
}

// traces returns the traces that a query selects, by name.
func (v *viewer) traces(q *traceid.Query) ([]traceRow, error) {
	if q == nil {
		q = new(traceid.Query)
	}
	q = v.charset.Query(q)
	if err := v.db.preferIndexes(v.ctx, v.tx, true); err != nil {
		return nil, err
	}
	filters, found, err := v.filters(q)
	if err != nil || !found {
		return nil, err
	}

	query := "SELECT t.id, t.name FROM traces t"
	if len(filters) > 0 {
		query = "SELECT t.id, t.name FROM trace_params p JOIN traces t ON t.id = p.trace_id WHERE p.param_id IN " +
			list(filters[0])
		for _, ids := range filters[1:] {
			query += " AND EXISTS (SELECT 1 FROM trace_params x WHERE x.param_id IN " + list(ids) + " AND x.trace_id = p.trace_id)"
		}
	}
	// PostgreSQL would read all traces to join them with a few.
	if len(filters) == 1 {
		ids, err := v.someTraces(filters[0])
		if err != nil {
			return nil, err
		}
		if len(ids) <= maxNamesRead {
			query = "SELECT t.id, t.name FROM traces t WHERE t.id IN " + list(append(ids, 0)) // no trace has the ID 0
		}
	}
	if err := v.db.preferIndexes(v.ctx, v.tx, false); err != nil {
		return nil, err
	}
	rows, err := v.tx.QueryContext(v.ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var traces []traceRow
	for rows.Next() {
		var t traceRow
		if err := rows.Scan(&t.id, &t.name); err != nil {
			return nil, err
		}

		selected, err := q.MatchID(t.name)
		if err != nil {
			return nil, err
		}
		if selected {
			traces = append(traces, t)
		}
	}
	slices.SortFunc(traces, func(a, b traceRow) int { return strings.Compare(a.name, b.name) })
	return traces, rows.Err()
}

// maxParamList is the number of params up to which a term is used as an index.
const maxParamList = 1000

// someTraces returns the IDs of the traces that have one of the params, or some of them if there are
// more than maxNamesRead.
func (v *viewer) someTraces(params []int64) (ids []int64, err error) {
	rows, err := v.tx.QueryContext(v.ctx,
		"SELECT trace_id FROM trace_params WHERE param_id IN "+list(params)+" LIMIT $1", maxNamesRead+1)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// filters returns the terms of a query that narrow the search, each as the params that meet it: a
// trace that the query selects has one param of each. The first is the one that the fewest traces
// meet. It returns false if the query cannot select any trace.
func (v *viewer) filters(q *traceid.Query) (filters [][]int64, found bool, err error) {
	for _, term := range q.Terms() {
		if !term.Required() {
			continue
		}
		ids, err := v.paramsOf(&term)
		if err != nil {
			return nil, false, err
		}
		if len(ids) == 0 {
			return nil, false, nil
		}
		if len(ids) <= maxParamList {
			filters = append(filters, ids)
		}
	}
	if len(filters) < 2 {
		return filters, true, nil
	}

	fewest, n, err := v.fewestTraces(filters)
	if err != nil {
		return nil, false, err
	}
	filters[0], filters[fewest] = filters[fewest], filters[0]
	if n <= maxNamesRead {
		filters = filters[:1]
	}
	return filters, true, nil
}

// maxNamesRead is the number of traces up to which their names are read and matched, instead of
// looking up the other terms of the query first.
const maxNamesRead = 256

// fewestTraces returns the index of the filter that the fewest traces meet, and their number. It
// counts all filters up to a limit, and raises that until it is above the smallest: so it reads
// little of the params that most traces have. A filter with few traces is as good as the smallest.
func (v *viewer) fewestTraces(filters [][]int64) (index int, n int64, err error) {
	for limit := int64(maxNamesRead + 1); ; limit *= 16 {
		n = limit
		for i, ids := range filters {
			var count int64
			err := v.tx.QueryRowContext(v.ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM trace_params WHERE param_id IN "+
				list(ids)+" LIMIT $1) AS counted", n).Scan(&count)
			if err != nil {
				return 0, 0, err
			}
			if count <= maxNamesRead {
				return i, count, nil
			}
			if count < n {
				index, n = i, count
			}
		}
		if n < limit {
			return index, n, nil
		}
	}
}

// paramsOf returns the IDs of the params that meet a term.
func (v *viewer) paramsOf(term *traceid.Term) ([]int64, error) {
	query, args := "SELECT id, value FROM params WHERE key = $1", []any{term.Key()}
	if values, ok := term.Values(); ok && len(values) <= maxParamList {
		numbers := make([]string, len(values))
		args = make([]any, len(values))
		for i, value := range values {
			hash := hashed(term.Key() + "=" + value).hash
			numbers[i], args[i] = fmt.Sprintf("$%d", i+1), hash[:]
		}
		query = "SELECT id, value FROM params WHERE hash IN (" + strings.Join(numbers, ", ") + ")"
	}
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var ids []int64
	for rows.Next() {
		var id int64
		var value string
		if err := rows.Scan(&id, &value); err != nil {
			return nil, err
		}
		selected, err := term.Match(value)
		if err != nil {
			return nil, err
		}
		if selected {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

// list returns IDs as a list in SQL.
func list(ids []int64) string {
	b := []byte{'('}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ')'))
}

// A measurement is a row of the database.
type measurement struct {
	source, spelling int64
	commit           int   // index of viewer.commits
	n                int64 // of the Point
	stored           int64 // the number in its file
	value            float64

	*extras // nil unless they were asked for
}

// A traceRows is a trace with its rows, sorted by commit, and then by source and number. It has some.
type traceRows struct {
	traceRow
	rows []measurement
}

// series returns the series of traces.
func (v *viewer) series(traces []traceRows) ([]*Series, error) {
	newest := make([]int64, len(traces))
	for i, t := range traces {
		var err error
		if newest[i], err = v.newestSpelling(t.rows); err != nil {
			return nil, err
		}
	}
	v.spellings = make(map[int64]spelled)
	if err := v.loadSpellings(slices.Clone(newest)); err != nil {
		return nil, err
	}

	all := make([]*Series, len(traces))
	for i, t := range traces {
		as := v.spellings[newest[i]]
		one := &Series{ID: t.name, Params: as.params, Unit: as.unit, Better: as.better, Order: v.order}
		if one.Params == nil {
			var err error
			if one.Params, err = traceid.Parse(t.name); err != nil {
				return nil, err
			}
		}
		one.Points = make([]Point, len(t.rows))
		for i := range t.rows {
			one.Points[i] = v.point(&t.rows[i])
		}
		all[i] = one
	}
	return all, nil
}

// point returns the point of a row.
func (v *viewer) point(m *measurement) Point {
	c := &v.commits[m.commit]
	return Point{Commit: c.Name, N: int(m.n), Value: m.value, Run: c.Run, Hour: c.Hour}
}

// measurements returns the rows of the newest runs of traces at the selected commits. It leaves out
// traces without any.
func (v *viewer) measurements(traces []traceRow, withExtras bool) ([]traceRows, error) {
	byTrace, err := v.allMeasurements(traces, withExtras)
	if err != nil {
		return nil, err
	}
	var all []traceRows
	for _, t := range traces {
		rows, err := v.winners(byTrace[t.id])
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			all = append(all, traceRows{t, rows})
		}
	}
	return all, nil
}

// allMeasurements returns the rows of each trace at the selected commits, sorted by commit, source and
// number, also the ones that lose.
func (v *viewer) allMeasurements(traces []traceRow, withExtras bool) (map[int64][]measurement, error) {
	if len(v.commits) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(traces))
	for i, t := range traces {
		ids[i] = t.id
	}
	columns, from := "m.trace_id, m.commit_id, m.source_id, m.n, m.value, m.spelling_id", "measurements m"
	if withExtras {
		columns, from = columns+", m.byte_offset, "+detailsColumns, from+joinDetails
	}
	rows, err := v.tx.QueryContext(v.ctx, "SELECT "+columns+" FROM "+from+
		" WHERE m.block IN "+list(v.blocks)+" AND m.trace_id IN "+list(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	byTrace := make(map[int64][]measurement)
	var details detailsRow
	for rows.Next() {
		var m measurement
		var trace, commit int64
		var value sql.NullFloat64
		dest := []any{&trace, &commit, &m.source, &m.stored, &value, &m.spelling}
		if withExtras {
			m.extras = new(extras)
			dest = append(append(dest, &m.offset), details.columns()...)
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		if withExtras {
			m.details = details.texts()
		}
		if i, selected := v.index[commit]; selected {
			m.commit, m.n, m.value = i, m.stored, scanFloat(value)
			byTrace[trace] = append(byTrace[trace], m)
		}
	}

	// Usually, they are in order already.
	for _, rows := range byTrace {
		slices.SortFunc(rows, func(a, b measurement) int {
			return cmp.Or(a.commit-b.commit, cmp.Compare(a.source, b.source), cmp.Compare(a.stored, b.stored))
		})
	}
	return byTrace, rows.Err()
}
