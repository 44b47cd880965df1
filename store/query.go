package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
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

	// Newest selects, of each trace, only the measurements at the last of the commits at which it
	// has some.
	Newest bool

	// Limit is the number of traces, at most; 0 means all. To ask for few of many traces takes
	// less time than to leave an iteration over all.
	Limit int

	// MaxPoints is the number of points of a trace, at most, unless Newest is set; 0 means any. If there
	// are more, those of older runs included, the cause of the error is [format.ErrLimit].
	MaxPoints int

	// Trace is the canonical ID of a trace, and selects no other. If the trace has no value in the
	// range, the error is [ErrUnknownTrace]. It may be empty.
	Trace string

	// Trial is the change under review whose measurements are selected. The zero Trial selects the
	// mainline.
	Trial Trial
}

// A Trace is a trace with its values.
type Trace struct {
	ID     string         // the canonical trace ID
	Params traceid.Params // verbatim, as the newest file of the series spells them
	Unit   string         // as that file spells it; empty if it names none
	Better format.Direction
	Points []Point      // in the order of the commits, and then by N
	Order  series.Order // of all commits of the trial: see [Store.Commits]
}

// A Point is a measurement of a Trace.
type Point struct {
	Commit string
	N      int // numbers the repetitions at the commit, usually from 1
	Value  float64

	// Run is the name of the run, if it names no commit, and empty otherwise.
	Run string

	// Hour is the earliest hour of the files of the commit, or the run. It may be zero.
	Hour time.Time
}

// Query iterates over the traces that a query selects and that have values in the range, by
// canonical ID. Keys and values are compared in their canonical form, in the charset of the store:
// see [traceid.Query]. A nil query selects all traces.
//
// If several runs have measurements of a trace at a commit, the newest run is used: see the
// package comment.
//
// A step with an error is the last. The series all belong to one state of the database. A Trace
// belongs to the caller. A query holds some of them in memory, however many it selects.
func (s *Store) Query(ctx context.Context, q *traceid.Query, r Range) iter.Seq2[*Trace, error] {
	return iterate(ctx, s, "query", func(v *viewer, yield func(*Trace) error) error {
		if err := v.selectCommits(r); err != nil {
			return err
		}
		search, err := v.newSearch(q)
		if err != nil || search == nil {
			return err
		}
		return v.eachRows(search, func(rows []traceRows) error {
			return v.eachSeries(rows, func(one *Trace) error { return cmp.Or(yield(one), v.countTrace()) })
		})
	})
}

// iterate iterates over what a function yields of one state of the database. The error of yield
// ends the iteration, without a step. A step with another error, which has the name of the
// operation, is the last.
func iterate[T any](
	ctx context.Context, s *Store, what string, read func(v *viewer, yield func(T) error) error,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := s.read(ctx, func(v *viewer) error {
			return read(v, func(one T) error {
				if !yield(one, nil) {
					return errEnough
				}
				return nil
			})
		})
		if err != nil {
			var none T
			yield(none, wrap(err, what))
		}
	}
}

// A viewer reads one state of the database.
type viewer struct {
	ctx     context.Context
	tx      *sql.Tx
	db      database
	charset *traceid.Charset
	caches

	list     *commitList
	selected func(i int) bool // of the commits of the list; nil for all
	blocks   []rankedBlock    // that have them, newest first
	newest   bool             // Range.Newest
	limit    int              // Range.Limit
	maxRows  int              // Range.MaxPoints
	trace    string           // Range.Trace
	yielded  int              // traces
	atOnce   int              // traces of the next chunk
	maxScan  int              // Store.maxScan

	hasAllFiles bool // no source is missing
	withLosers  bool // older runs are read as well

	runs      map[int64]runOf   // of sources
	spellings map[int64]spelled // of the current series
	parsed    annotationSets    // of the current traces
}

// The caches belong to the Store.
type caches struct {
	commits *cache[int64, Trial, *commitList]
	params  *cache[int64, int64, bool] // by ID, the params of which a value was seen in the mainline
	values  *cache[paramState, string, []paramRow]
}

// read calls f with a viewer. The error of f may be errEnough.
func (s *Store) read(ctx context.Context, f func(v *viewer) error) error {
	return s.view(ctx, func(tx *sql.Tx) error {
		if err := f(s.newViewer(ctx, tx)); err != errEnough {
			return err
		}
		return nil
	})
}

// errEnough ends a question whose caller wants no more. errTooMany says that traces have too many rows
// to be read at once.
var errEnough, errTooMany = errors.New("enough"), fmt.Errorf("too many rows: %w", format.ErrLimit)

func (s *Store) newViewer(ctx context.Context, tx *sql.Tx) *viewer {
	return &viewer{ctx: ctx, tx: tx, db: s.db, charset: s.charset, caches: s.caches,
		atOnce: firstTraces, maxScan: s.maxScan, runs: make(map[int64]runOf)}
}

// each is eachRow of the viewer.
func (v *viewer) each(query string, args, dest []any, do func() error) error {
	return eachRow(v.ctx, v.tx, query, args, dest, do)
}

// countTrace counts a trace that was yielded, and ends the question when the limit is reached.
func (v *viewer) countTrace() error {
	if v.yielded++; v.yielded == v.limit {
		return errEnough
	}
	return nil
}

// selectCommits sets the commits of a range.
func (v *viewer) selectCommits(r Range) error {
	list, err := v.commitList(r.Trial)
	if err != nil {
		return err
	}
	v.list, v.newest, v.limit, v.maxRows, v.trace = list, r.Newest, r.Limit, r.MaxPoints, r.Trace

	ends := [...]int{0, len(list.commits) - 1}
	for i, name := range []string{r.First, r.Last} {
		if name == "" {
			continue
		}
		ends[i] = slices.IndexFunc(list.commits, func(c commitRow) bool { return c.Name == name })
		if ends[i] < 0 {
			return &inputError{fmt.Sprintf("commit %q is not in the store", name), ErrUnknownCommit}
		}
	}

	v.selectWhere(func(i int) bool {
		hour := list.commits[i].Hour
		return ends[0] <= i && i <= ends[1] &&
			(r.From.IsZero() || !hour.Before(r.From)) && (r.Until.IsZero() || hour.Before(r.Until))
	})
	return nil
}

// A measurement is an entry of a row group, which a question has selected. Its number is that of
// the Point.
type measurement struct {
	entry
	source int64
	commit int   // index of viewer.list.commits
	stored int64 // the number in its file
}

// A traceRows is a trace with its rows, sorted by commit, and then by source and number. It has
// some.
type traceRows struct {
	traceRow
	rows []measurement
}

// eachSeries yields the series of traces.
func (v *viewer) eachSeries(traces []traceRows, yield func(*Trace) error) (err error) {
	newest := make([]int64, len(traces))
	for i, t := range traces {
		if newest[i], err = v.newestSpelling(t.rows); err != nil {
			return err
		}
	}
	v.spellings = make(map[int64]spelled)
	if err := v.loadSpellings(slices.Clone(newest)); err != nil {
		return err
	}

	for i, t := range traces {
		as := v.spellings[newest[i]]
		one := &Trace{ID: t.name, Params: as.params, Unit: as.unit, Better: as.better, Order: v.list.order}
		if one.Params == nil {
			if one.Params, err = traceid.Parse(t.name); err != nil {
				return err
			}
		}
		one.Points = make([]Point, len(t.rows))
		for i := range t.rows {
			one.Points[i] = v.point(&t.rows[i])
		}

		if err := yield(one); err != nil {
			return err
		}
	}
	return nil
}

// point returns the point of a row.
func (v *viewer) point(m *measurement) Point {
	c := &v.list.commits[m.commit]
	return Point{Commit: c.Name, N: int(m.n), Value: m.value, Run: c.Run, Hour: c.Hour}
}
