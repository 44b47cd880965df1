package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

// A span is an interval; the zero value is empty.
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

func (s span) length() float64 { return s.hi - s.lo }

// addWithin adds the part of o that is not farther from s than s is long. Anything farther away must
// not squeeze the rest.
func (s span) addWithin(o span) span {
	if !s.some || !o.some {
		return span{s.lo + o.lo, s.hi + o.hi, s.some || o.some} // one of them is 0
	}
	reach := s.length()
	if reach == 0 {
		reach = cmp.Or(math.Abs(s.lo)/2, 1)
	}
	return span{max(min(s.lo, o.lo), s.lo-reach), min(max(s.hi, o.hi), s.hi+reach), true}
}

// widened returns s with some length.
func (s span) widened() span {
	size := max(math.Abs(s.lo), math.Abs(s.hi))
	if s.length() > size*1e-12 {
		return s
	}
	by := cmp.Or(size/10, 1)
	return span{s.lo - by, s.hi + by, true}
}

// fromZero returns s from 0 on, if that isn't far.
func (s span) fromZero() span {
	if s.lo > 0 && s.lo <= s.hi/2 {
		s.lo = 0
	}
	return s
}

// A curve is what a model looks like.
type curve struct {
	kind   string
	name   string
	points []report.Point // NaN where there is nothing
}

// curvePoints is how many of a function's points are computed.
const curvePoints = 101

// curves computes the models' curves and what the axes show. That are all points, and of the
// curves what isn't too far off.
func (c *collector) curves() error {
	var across, models span
	n := 0
	for _, s := range c.chart.series {
		for _, p := range s.points {
			across.add(p.X)
		}
		for _, m := range s.models {
			n++
			for _, key := range []string{"x_start", "x_end"} {
				if x, ok := modelNumber(m, key); ok {
					models.add(x)
				}
			}
		}
	}

	if n > maxCurves {
		return fmt.Errorf("%s: %w: %d, at most %d; choose uids, or the best models",
			c.reader.Name, errTooManyCurves, n, maxCurves)
	}
	across = across.addWithin(models)

	var up, curves span
	for _, s := range c.chart.series {
		for _, p := range s.points {
			up.add(p.Y)
		}
		for _, m := range s.models {
			points, err := c.curveOf(m, s, across)
			if err != nil {
				c.recoverable(&format.Error{Name: c.reader.Name, Position: m.Position, Message: err.Error(), Recoverable: true})
				continue
			}
			if points == nil {
				continue
			}

			name := m.Kind()
			if fit, ok := m.RSquare(); ok {
				name += fmt.Sprintf(" (R² %.3g)", fit)
			}
			s.curves = append(s.curves, &curve{kind: m.Kind(), name: name, points: points})
			if !slices.Contains(c.chart.dashes, m.Kind()) {
				c.chart.dashes = append(c.chart.dashes, m.Kind())
			}

			for _, p := range points {
				if !math.IsNaN(p.Y) {
					curves.add(p.Y)
				}
			}
		}
	}
	c.chart.across, c.chart.up = across.widened().fromZero(), up.addWithin(curves).widened().fromZero()
	return nil
}

func modelNumber(m *perun.Model, key string) (float64, bool) {
	v, _ := m.Fields.Get(key)
	f, ok := v.Float()
	return f, ok && math.Abs(f) <= maxCoordinate
}

// curveOf returns the points of the model's curve, as far as the axis shows them, or none with a
// warning.
func (c *collector) curveOf(m *perun.Model, s *series, across span) ([]report.Point, error) {
	start, ok := modelNumber(m, "x_start")
	end, ok2 := modelNumber(m, "x_end")
	if !ok || !ok2 {
		return nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", m.Kind(), m.UID())
	}

	start, end = min(start, end), max(start, end)
	var points []report.Point
	switch {
	case start > across.hi || end < across.lo:
		c.warn("the model %s of %s is too far from the resources to be drawn: from %v to %v", m.Kind(), m.UID(), start, end)
		return nil, nil
	case report.Parametric(m):
		part := &perun.Model{Fields: slices.Clone(m.Fields)}
		for i, f := range part.Fields {
			switch f.Key {
			case "x_start":
				part.Fields[i].Value = perun.NumberOf(max(start, across.lo))
			case "x_end":
				part.Fields[i].Value = perun.NumberOf(min(end, across.hi))
			}
		}

		var err error
		if points, err = report.Curve(part, curvePoints); err != nil {
			return nil, err
		}
	case m.Kind() == "regressogram":
		stats := statistics(m, "bucket_stats")
		width := (end - start) / float64(len(stats))
		for i, y := range stats {
			left := start + float64(i)*width
			points = append(points, report.Point{X: left, Y: y}, report.Point{X: left + width, Y: y})
		}
	case report.Nonparametric(m):
		stats := statistics(m, "kernel_stats")
		if m.Kind() == "moving_average" {
			stats = statistics(m, "bucket_stats")
		}

		xs := s.different(start, end)
		for i, y := range stats {
			x := start
			if len(stats) == len(xs) {
				x = xs[i] // a value for each x that there is
			} else if len(stats) > 1 {
				x += (end - start) * float64(i) / float64(len(stats)-1)
			}
			points = append(points, report.Point{X: x, Y: y})
		}
	default:
		return nil, fmt.Errorf("a model %q has no curve", m.Kind())
	}

	if !slices.ContainsFunc(points, func(p report.Point) bool { return math.Abs(p.Y) <= maxCoordinate }) {
		return nil, fmt.Errorf("the model %s of %s has no values that can be drawn", m.Kind(), m.UID())
	}
	for i, p := range points {
		if !(math.Abs(p.Y) <= maxCoordinate) {
			points[i].Y = math.NaN()
		}
	}
	return thinned(points), nil
}

// statistics returns a model's numbers, NaN for those that are none.
func statistics(m *perun.Model, key string) []float64 {
	list, _ := m.Fields.Get(key)
	var stats []float64
	for _, v := range list.List() {
		f, ok := v.Float()
		if !ok {
			f = math.NaN()
		}
		stats = append(stats, f)
	}
	return stats
}

// different returns the different x of the points from start to end, sorted.
func (s *series) different(start, end float64) []float64 {
	var xs []float64
	for _, p := range s.points {
		if p.X >= start && p.X <= end {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// maxCurvePoints is more than a picture's pixels side by side can show.
const maxCurvePoints = 2000

// thinned returns at most so many of a curve's points.
func thinned(points []report.Point) []report.Point {
	step := (len(points) + maxCurvePoints - 1) / maxCurvePoints
	if step <= 1 {
		return points
	}
	var few []report.Point
	for i := 0; i < len(points); i += step {
		few = append(few, points[i])
	}
	return few
}
