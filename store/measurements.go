package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A Measurement is a measurement of a [Trace], with everything that its file says about it.
type Measurement struct {
	// Record is the record of the file. Its Commit is the commit of the Point, and its Repetition
	// is 0, or the N of the Point if the file had numbered it by a param iteration.
	Record format.Record

	Trace string // the trace ID of the series
	Point Point
	File  string       // the path of its file
	Order series.Order // of the commits: see [Store.Commits]

	place int    // of the commit among the commits of the trial
	run   string // that the file belongs to
}

// Measurements iterates over the points of the series that [Store.Query] returns, in their order,
// as measurements. It takes longer than Query.
//
// A step with an error is the last. A Measurement belongs to the iteration, with its slices: do
// not change them, and expect the next step to overwrite them. Its strings may be kept.
func (s *Store) Measurements(ctx context.Context, q *traceid.Query, r Range) iter.Seq2[*Measurement, error] {
	return iterate(ctx, s, "measurements", func(v *viewer, yield func(*Measurement) error) error {
		if err := v.selectCommits(r); err != nil {
			return err
		}
		return v.yieldAll([]*traceid.Query{q}, yield)
	})
}

// Links returns the links of a [Point], which its Commit or Run, and N, name: the links of its
// file, overlaid with its own. The id is the canonical trace ID. Without such a point, it returns
// none. If the trace has more points there than fit into memory, the cause is [format.ErrLimit].
func (s *Store) Links(ctx context.Context, trial Trial, id string, p Point) (format.Links, error) {
	at := Range{First: p.Commit, Last: p.Commit, Trial: trial, MaxPoints: s.maxScan / rowMemory}
	at.Trace = cmp.Or(id, ",") // which no trace has: an empty ID would select all
	for m, err := range s.Measurements(ctx, nil, at) {
		switch {
		case errors.Is(err, ErrUnknownTrace) || errors.Is(err, ErrUnknownCommit):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("links: %w", err)
		case m.Point.Commit == p.Commit && m.Point.Run == p.Run && m.Point.N == p.N:
			return slices.Clone(m.Record.Links), nil
		}
	}
	return nil, nil
}

// yieldAll yields the measurements, at the selected commits, of the traces that all queries
// select.
func (v *viewer) yieldAll(queries []*traceid.Query, yield func(*Measurement) error) error {
	search, err := v.newSearch(queries...)
	if err != nil || search == nil {
		return err
	}
	return v.eachRows(search, func(rows []traceRows) error {
		if err := v.loadNames(rows); err != nil {
			return err
		}
		for i := range rows {
			if err := cmp.Or(v.yieldTrace(&rows[i], yield), v.countTrace()); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadNames loads the spellings of rows, their files, and their annotations.
func (v *viewer) loadNames(traces []traceRows) error {
	var spellings, sources []int64
	for _, t := range traces {
		for i := range t.rows {
			spellings = append(spellings, t.rows[i].spelling)
			sources = append(sources, t.rows[i].source)
		}
	}
	v.spellings = make(map[int64]spelled)
	return cmp.Or(v.loadSpellings(spellings), v.loadRuns(sources), v.loadAnnotations(traces))
}

// yieldTrace yields the measurements of a trace.
func (v *viewer) yieldTrace(t *traceRows, yield func(*Measurement) error) error {
	canonical, err := traceid.Parse(t.name)
	if err != nil {
		return err
	}

	var merged traceid.Params
	one := Measurement{Trace: t.name, Order: v.list.order}
	for i := range t.rows {
		m := &t.rows[i]
		as := v.spellings[m.spelling]
		file := v.runs[m.source]
		one.Point, one.File, one.run, one.place = v.point(m), file.source.path, file.name, m.commit
		one.Record = format.Record{
			Params: as.params, Value: m.value, Unit: as.unit, Better: as.better, Commit: one.Point.Commit, Offset: m.offset,
		}
		if as.params == nil {
			one.Record.Params = canonical
		}

		rest, err := v.parsed.into(m, &one.Record.Links, &one.Record.Attrs)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			merged = traceid.AppendMerge(merged[:0], one.Record.Params, rest)
			one.Record.Params = merged
			if _, ok := rest.Get("iteration"); ok { // as it was read: else the param were part of the identity
				one.Record.Repetition = int(m.n)
			}
		}
		if err := yield(&one); err != nil {
			return err
		}
	}
	return nil
}
