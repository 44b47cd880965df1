package plot

import (
	"cmp"
	"math"

	"perfdata/report"
)

// A span is an interval of places on an axis; the zero value is empty.
type span struct {
	lo, hi float64
	some   bool
}

func (s *span) add(v float64) {
	if !s.some {
		*s = span{v, v, true}
		return
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

// addWithin adds the part of o that is not farther from s than the length of s. Anything farther
// away must not squeeze the rest.
func (s span) addWithin(o span) span {
	if !s.some || !o.some {
		return span{s.lo + o.lo, s.hi + o.hi, s.some || o.some} // an empty span has zeros
	}
	reach := cmp.Or(s.hi-s.lo, math.Abs(s.lo)/2, 1)
	both := span{max(min(s.lo, o.lo), s.lo-reach), min(max(s.hi, o.hi), s.hi+reach), true}

	// Zero is a better end than a value just below.
	const near = 0.04
	if s.lo >= 0 && both.lo < 0 && both.lo > -near*(both.hi-both.lo) {
		both.lo = 0
	}
	return both
}

// An axis is what the collector knows of one of the axes. Its places are values, or their decimal
// logarithms.
type axis struct {
	*report.PlotAxis
	all span // places of what the axis shows
}

func (a *axis) place(v float64) float64 {
	if a.Log {
		return math.Log10(max(v, 0))
	}
	return v
}

func (a *axis) value(place float64) float64 {
	if a.Log {
		return math.Pow(10, place)
	}
	return place
}

// maxCoordinate bounds the values that are drawn. Sums and differences of such values are finite. A
// logarithmic axis shows nothing below its inverse.
const maxCoordinate = 1e100

// shows reports whether the axis can show the value.
func (a *axis) shows(v float64) bool {
	return math.Abs(v) <= maxCoordinate && (!a.Log || v >= 1/maxCoordinate)
}

// norm returns where v is on the axis: from 0 to 1 between its ends.
func (a *axis) norm(v float64) float64 {
	return (a.place(v) - a.all.lo) / cmp.Or(a.all.hi-a.all.lo, 1)
}
