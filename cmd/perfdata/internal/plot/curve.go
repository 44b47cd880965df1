package plot

import (
	"fmt"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

// A curve is the picture of a model.
type curve struct {
	kind   string
	name   string
	points []point // Y is NaN in gaps
}

// curvePoints is the number of points that are computed for a parametric model.
const curvePoints = 101

// curves computes the models' curves, and fits the axes to all points and to the parts of the
// curves that aren't too far from them.
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
				if x, ok := modelNumber(m, key); ok && (!c.chart.x.log || x >= smallest) {
					models.add(x)
				}
			}
		}
	}
	if n > maxCurves {
		return fmt.Errorf("%s: too many models for one picture: %d, at most %d; choose uids, or the best models",
			c.reader.Name, n, maxCurves)
	}
	across = c.chart.x.within(across, models)

	var up, curves span
	for _, s := range c.chart.series {
		for _, p := range s.points {
			up.add(p.Y)
		}
		for _, m := range s.models {
			points, err := c.curveOf(m, s, across)
			if err != nil {
				c.recoverable(&format.Error{
					Name: c.reader.Name, Position: m.Position, Message: err.Error(), Severity: format.Recoverable,
				})
			} else if points != nil {
				c.chart.addCurve(s, m, points)
			}

			for _, p := range points {
				if !math.IsNaN(p.Y) {
					curves.add(p.Y)
				}
			}
		}
	}

	if c.chart.bars && !c.chart.y.log {
		up.add(0)
	}
	c.chart.x.fit(across)
	c.chart.y.fit(c.chart.y.within(up, curves))
	return nil
}

func (c *Chart) addCurve(s *series, m *perun.Model, points []point) {
	name := m.Kind()
	if fit, ok := m.RSquare(); ok {
		name += fmt.Sprintf(" (R² %.3g)", fit)
	}
	s.curves = append(s.curves, &curve{kind: m.Kind(), name: name, points: points})
	if !slices.Contains(c.kinds, m.Kind()) {
		c.kinds = append(c.kinds, m.Kind())
	}
}

func modelNumber(m *perun.Model, key string) (float64, bool) {
	v, _ := m.Fields.Get(key)
	f, ok := v.Float()
	return f, ok && math.Abs(f) <= maxCoordinate
}

// curveOf returns the points of the model's curve within the x axis. It warns about a curve that is
// outside, and returns no points.
func (c *collector) curveOf(m *perun.Model, s *series, across span) (points []point, err error) {
	start, ok := modelNumber(m, "x_start")
	end, ok2 := modelNumber(m, "x_end")
	if !ok || !ok2 {
		return nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", m.Kind(), m.UID())
	}
	start, end = min(start, end), max(start, end)
	if start > across.hi || end < across.lo {
		c.warn("the model %s of %s is too far from the resources to be drawn: from %v to %v",
			m.Kind(), m.UID(), start, end)
		return nil, nil
	}

	switch {
	case report.Parametric(m):
		points, err = c.parametric(m, max(start, across.lo), min(end, across.hi))
	case m.Kind() == "regressogram":
		points = regressogram(m, s, start, end)
	case report.Nonparametric(m):
		points = nonparametric(m, s, start, end)
	default:
		err = fmt.Errorf("a model %q has no curve", m.Kind())
	}
	if err != nil {
		return nil, err
	}

	some := false
	for i, p := range points {
		switch {
		case c.chart.x.log && p.X < smallest, c.chart.y.log && p.Y < smallest, !(math.Abs(p.Y) <= maxCoordinate):
			points[i].Y = math.NaN()
		default:
			some = true
		}
	}
	if !some {
		return nil, fmt.Errorf("the model %s of %s has no values that can be drawn", m.Kind(), m.UID())
	}
	return thinned(points), nil
}

// parametric returns points of the function from start to end, evenly spaced on the picture.
func (c *collector) parametric(m *perun.Model, start, end float64) (points []point, err error) {
	f, err := report.Function(m)
	if err != nil {
		return nil, err
	}
	for i := range curvePoints {
		share := float64(i) / (curvePoints - 1)
		x := start + share*(end-start)
		if c.chart.x.log {
			x = start * math.Pow(end/start, share)
		}
		y, err := f(x)
		if err != nil {
			return nil, err
		}
		points = append(points, point{x, y})
	}
	return points, nil
}

// regressogram returns the steps of a regressogram, with gaps at empty buckets: there, the model
// has 0.
func regressogram(m *perun.Model, s *series, start, end float64) (points []point) {
	stats := statistics(m, "bucket_stats")
	width := (end - start) / float64(len(stats))
	xs := s.different(start, end)
	for i, y := range stats {
		left := start + float64(i)*width
		right := left + width
		if i == len(stats)-1 {
			right = math.Inf(1)
		}
		if at, _ := slices.BinarySearch(xs, left); y == 0 && len(xs) > 0 && (at == len(xs) || xs[at] >= right) {
			y = math.NaN()
		}
		points = append(points, point{X: left, Y: y}, point{X: left + width, Y: y})
	}
	return points
}

// nonparametric returns the points of a model that has a value for each x of the resources, or for
// x at equal distances.
func nonparametric(m *perun.Model, s *series, start, end float64) (points []point) {
	stats := statistics(m, "kernel_stats")
	if m.Kind() == "moving_average" {
		stats = statistics(m, "bucket_stats")
	}
	xs := s.different(start, end)
	for i, y := range stats {
		x := start
		if len(stats) == len(xs) {
			x = xs[i]
		} else if len(stats) > 1 {
			x += (end - start) * float64(i) / float64(len(stats)-1)
		}
		points = append(points, point{X: x, Y: y})
	}
	return points
}

// statistics returns a list of the model, with NaN for the values that aren't numbers.
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

// thinned returns at most maxCurvePoints of a curve's points.
func thinned(points []point) []point {
	step := (len(points) + maxCurvePoints - 1) / maxCurvePoints
	if step <= 1 {
		return points
	}
	var few []point
	for i := 0; i < len(points); i += step {
		few = append(few, points[i])
	}
	return few
}
