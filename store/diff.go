package store

import (
	"context"
	"iter"
	"math"

	"perfdata/series"
)

// A Change is what became of a trace from one commit to another.
type Change struct {
	// Trace has the points at the second commit. Its params, unit and direction come from the
	// newest file with one of the points.
	Trace  Trace
	Before []Point // at the first commit

	// Old and New are the medians of the values at the commits.
	Old, New float64
}

// Ratio returns New as a multiple of Old.
func (c *Change) Ratio() float64 { return c.New / c.Old }

// DiffOptions are the options of [Store.Diff].
type DiffOptions struct {
	// Threshold is the smallest change that is reported, as a part of the old median: 0.05 is 5%.
	// With 0, all changes are.
	Threshold float64

	Trial Trial // of both commits; the zero Trial is the mainline
}

// Diff iterates over the traces whose median has changed from one commit to another, by canonical
// ID. Traces without values at one of the commits are left out, and so are traces whose median is
// not a number. If a commit does not exist, the error is [ErrUnknownCommit].
//
// A step with an error is the last. A Change belongs to the caller. To tell changes from noise,
// compare the values of more than two commits.
func (s *Store) Diff(ctx context.Context, from, to string, options DiffOptions) iter.Seq2[*Change, error] {
	return iterate(ctx, s, "diff", func(v *viewer, yield func(*Change) bool) error {
		return v.diff(from, to, options, yield)
	})
}

// diff yields changes until yield returns false.
func (v *viewer) diff(from, to string, options DiffOptions, yield func(*Change) bool) error {
	list, err := v.commitList(options.Trial)
	if err != nil {
		return err
	}

	v.list = list
	first, err := list.find(from)
	if err != nil {
		return err
	}
	second, err := list.find(to)
	if err != nil {
		return err
	}
	v.selectWhere(func(i int) bool { return i == first || i == second })

	isChange := func(t *traceRows) bool { return isChange(t.rows, first, options.Threshold) }
	return v.scan(&search{}, isChange, func(traces []traceRows) error {
		return v.eachSeries(traces, func(one *Trace) bool { return yield(newChange(one, from)) })
	})
}

// isChange reports whether the median of rows has changed from those at the commit first to the
// others, by at least a threshold.
func isChange(rows []measurement, first int, threshold float64) bool {
	var before, after []float64
	for i := range rows {
		if rows[i].commit == first {
			before = append(before, rows[i].value)
		} else {
			after = append(after, rows[i].value)
		}
	}
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	a, b := series.Median(before), series.Median(after)
	return a != b && math.Abs(b-a) >= threshold*math.Abs(a)
}

// newChange returns the change of a trace from a commit to another. The series has the points of
// both.
func newChange(one *Trace, from string) *Change {
	c := new(Change)
	var before, after []float64
	var points []Point
	for _, p := range one.Points {
		if p.Commit == from {
			c.Before, before = append(c.Before, p), append(before, p.Value)
		} else {
			points, after = append(points, p), append(after, p.Value)
		}
	}
	one.Points = points
	c.Trace, c.Old, c.New = *one, series.Median(before), series.Median(after)
	return c
}
