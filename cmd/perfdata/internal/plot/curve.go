package plot

import (
	"fmt"
	"math"
	"slices"

	"perfdata/perun"
	perunreport "perfdata/perun/report"
	"perfdata/report"
)

// curves computes the models' curves, and fits the axes to all points and to the parts of the
// curves that aren't too far from them.
func (c *collector) curves() error {
	var models, curves span
	n := 0
	for _, s := range c.series {
		for _, p := range s.Points {
			c.x.all.add(c.x.place(p[0]))
			c.y.all.add(c.y.place(p[1]))
		}

		for _, m := range s.models {
			n++
			for _, key := range []string{"x_start", "x_end"} {
				if x, ok := modelNumber(m, key); ok && c.x.shows(x) {
					models.add(c.x.place(x))
				}
			}
		}
	}
	if n > maxCurves {
		return fmt.Errorf("%s: too many models for one picture: %d, at most %d; choose uids, or the best models",
			c.reader.Name, n, maxCurves)
	}
	c.x.all = c.x.all.addWithin(models)

	// Curves are cut at the ends of the x axis, so they come after it is complete.
	for _, s := range c.series {
		for _, m := range s.models {
			parts, err := c.curveOf(m, s)
			if err != nil {
				c.recoverable(m.Position, err.Error())
			} else if parts != nil {
				name := m.Kind()
				if fit, ok := m.RSquare(); ok {
					name += fmt.Sprintf(" (R² %.3g)", fit)
				}
				s.Curves = append(s.Curves, report.PlotCurve{Kind: m.Kind(), Name: name, Parts: parts})
			}

			for _, part := range parts {
				for _, p := range part {
					curves.add(c.y.place(p[1]))
				}
			}
		}
	}
	if c.plot.Bars && !c.y.Log {
		c.y.all.add(0)
	}
	c.y.all = c.y.all.addWithin(curves)
	return nil
}

func modelNumber(m *perun.Model, key string) (float64, bool) {
	v, _ := m.Fields.Get(key)
	f, ok := v.Float()
	return f, ok && math.Abs(f) <= maxCoordinate
}

// curveOf returns the parts of the model's curve within the x axis. It warns about a curve that is
// outside, and returns nothing.
func (c *collector) curveOf(m *perun.Model, s *series) (parts [][]report.PlotPoint, err error) {
	start, ok := modelNumber(m, "x_start")
	end, ok2 := modelNumber(m, "x_end")
	if !ok || !ok2 {
		return nil, fmt.Errorf("the model %s of %s has no number as x_start or x_end", m.Kind(), m.UID())
	}
	start, end = min(start, end), max(start, end)
	across := span{max(c.x.place(start), c.x.all.lo), min(c.x.place(end), c.x.all.hi), true}
	if across.lo > across.hi {
		c.warn("the model %s of %s is too far from the resources to be drawn: from %v to %v",
			m.Kind(), m.UID(), start, end)
		return nil, nil
	}

	xs := slices.Compact(slices.DeleteFunc(sorted(s.Points, 0), func(x float64) bool { return x < start || x > end }))
	// The points that are computed for a parametric model, and more than a screen's pixels side by
	// side can show.
	const curvePoints, mostCurvePoints = 101, 2000
	var points []report.PlotPoint // y is NaN in gaps
	switch kind := m.Kind(); {
	case perunreport.Parametric(m):
		f, failure := perunreport.Function(m)
		err = failure
		for i := 0; i < curvePoints && err == nil; i++ { // at equal distances on the picture
			x := c.x.value(across.lo + float64(i)/(curvePoints-1)*(across.hi-across.lo))
			var y float64
			y, err = f(x)
			points = append(points, report.PlotPoint{x, y})
		}
	case kind == "regressogram":
		points = regressogram(statistics(m, "bucket_stats"), xs, start, end)
	case kind == "moving_average":
		points = nonparametric(statistics(m, "bucket_stats"), xs, start, end)
	case kind == "kernel_regression":
		points = nonparametric(statistics(m, "kernel_stats"), xs, start, end)
	default:
		err = fmt.Errorf("a model %q has no curve", kind)
	}

	if err != nil {
		return nil, err
	}

	isGap := true
	for i := 0; i < len(points); i += len(points)/mostCurvePoints + 1 {
		switch p := points[i]; {
		case !c.x.shows(p[0]) || !c.y.shows(p[1]):
			isGap = true
		case isGap:
			parts, isGap = append(parts, []report.PlotPoint{p}), false
		default:
			last := &parts[len(parts)-1]
			*last = append(*last, p)
		}
	}

	if parts == nil {
		return nil, fmt.Errorf("the model %s of %s has no values that can be drawn", m.Kind(), m.UID())
	}
	return parts, nil
}

// regressogram returns the steps of a regressogram, with gaps at buckets without resources: there,
// the model has 0.
func regressogram(stats, xs []float64, start, end float64) (points []report.PlotPoint) {
	width := (end - start) / float64(len(stats))
	for i, y := range stats {
		left := start + float64(i)*width
		right := left + width
		if i == len(stats)-1 {
			right = math.Inf(1)
		}
		if at, _ := slices.BinarySearch(xs, left); y == 0 && len(xs) > 0 && (at == len(xs) || xs[at] >= right) {
			y = math.NaN()
		}
		points = append(points, report.PlotPoint{left, y}, report.PlotPoint{left + width, y})
	}
	return points
}

// nonparametric returns the points of a model that has a value for each x of the resources, or for
// x at equal distances.
func nonparametric(stats, xs []float64, start, end float64) (points []report.PlotPoint) {
	for i, y := range stats {
		x := start
		if len(stats) == len(xs) {
			x = xs[i]
		} else if len(stats) > 1 {
			x += (end - start) * float64(i) / float64(len(stats)-1)
		}
		points = append(points, report.PlotPoint{x, y})
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
