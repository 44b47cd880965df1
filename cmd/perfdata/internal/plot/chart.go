// Package plot makes plots of Perun profiles: resources as points or bars, models as curves.
package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/svg"
	"perfdata/perun"
	"perfdata/report"
)

// Options choose the part of a profile that is drawn, and how it is drawn.
type Options struct {
	// X is the path of the field on the x axis, such as structure-unit-size or uid:line; or
	// [Snapshot], [Index] or [UID]. If it is empty, the x axis shows the field that the models are
	// functions of, if a resource has it. Else it shows the snapshot number, if the profile has
	// several snapshots. Else it shows uids, if each uid has one resource or repetitions of a time,
	// or else the number in the file.
	X string

	// UIDs select the resources and models to draw. If it is empty, all are drawn.
	UIDs []string

	// Models is [AllModels], [NoModels] or a strategy of [report.FilterModels]. Empty means all.
	Models string

	// Log names the logarithmic axes: x, y or xy.
	Log string

	// Plot has the Title, instead of the command that was profiled, the Legend, which is [LegendRight],
	// [LegendBottom] or [LegendNone], and the Width and Height.
	Plot report.Plot
}

const (
	Snapshot = "snapshot" // the number of the resource's snapshot
	Index    = "index"    // the resource's number in the file, from 0
	UID      = "uid"      // a bar for each uid

	AllModels = "all"
	NoModels  = "none"

	LegendRight  = "right"
	LegendBottom = "bottom"
	LegendNone   = "none"
)

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	switch {
	case !slices.Contains([]string{"", "x", "y", "xy"}, o.Log):
		return fmt.Errorf("unknown logarithmic axes %q: want x, y or xy", o.Log)
	case o.X == UID && strings.Contains(o.Log, "x"):
		return fmt.Errorf("an x axis with uids can't be logarithmic")
	case !slices.Contains([]string{LegendRight, LegendBottom, LegendNone}, o.Plot.Legend):
		return fmt.Errorf("unknown place %q of the legend: want right, bottom or none", o.Plot.Legend)
	}
	const minSize, maxSize = 300, 5000 // in pixels
	for _, size := range []int{o.Plot.Width, o.Plot.Height} {
		if size < minSize || size > maxSize {
			return fmt.Errorf("a plot of %d pixels: want %d to %d", size, minSize, maxSize)
		}
	}
	_, err := chosen(func(func(*perun.Model, error) bool) {}, o.Models)
	return err
}

// New reads the profile and returns a plot of it. It passes recoverable errors to warn, and warnings
// about resources and models that a plot can't show. It is an error if there is nothing to draw.
func New(r *perun.Reader, o Options, warn func(*format.Error)) (*report.Plot, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	defer r.Close()

	c := &collector{
		reader: r, header: h, options: o, plot: o.Plot,
		byUID: map[string]*series{}, reported: map[string]bool{}, report: warn,
	}
	c.x.PlotAxis, c.y.PlotAxis = &c.plot.X, &c.plot.Y
	if err := c.collect(); err != nil {
		return nil, err
	}

	// This is what depends on all points and curves.
	p := &c.plot
	title, note := Titles(c.header, c.reader.Name)
	p.Title, p.Note = cmp.Or(p.Title, title), note
	p.Y.Name, p.Y.Unit = "amount", strings.Join(c.units, ", ")
	for _, a := range []axis{c.x, c.y} {
		a.Lo, a.Hi = a.value(a.all.lo), a.value(a.all.hi)
	}

	points, models := 0, 0
	for i, s := range c.series {
		points, models = points+len(s.Points), models+len(s.Curves)
		if !p.Bars {
			continue
		}
		// Bars are side by side, and as high as the medians.
		for j := range s.Points {
			s.Points[j][0] = float64(i)
		}
		ys := sorted(s.Points, 1)
		n := len(ys)
		s.Median = ys[n/2]/2 + ys[(n-1)/2]/2
	}
	drawn := c.thin(points)
	for _, s := range c.series {
		p.Series = append(p.Series, s.PlotSeries)
	}
	chooseUnit(p)

	p.Description = fmt.Sprintf("%s against %s: %s, %s of %s.", label(p.Y), label(p.X), message.Plural(points, "resource"),
		message.Plural(models, "model"), message.Plural(len(c.series), "uid"))
	if drawn < points {
		p.Description += fmt.Sprintf(" %d of the points are drawn; dense areas are thinned.", drawn)
	}
	if p.Bars && points > len(c.series) {
		p.Description += " Bars are medians."
	}
	return p, nil
}

// chooseUnit changes the amounts to a unit in which the numbers are short.
func chooseUnit(p *report.Plot) {
	size := 1.0
	if largest := max(math.Abs(p.Y.Lo), math.Abs(p.Y.Hi)); largest >= 1000 || largest < 0.1 {
		size, p.Y.Unit = svg.Unit(p.Y.Unit, largest)
	}
	if p.Y.Unit == "us" {
		p.Y.Unit = "µs"
	}

	p.Y.Lo, p.Y.Hi = p.Y.Lo/size, p.Y.Hi/size
	for i := range p.Series {
		s := &p.Series[i]
		s.Median /= size
		parts := [][]report.PlotPoint{s.Points}
		for _, curve := range s.Curves {
			parts = append(parts, curve.Parts...)
		}
		for _, points := range parts {
			for j := range points {
				points[j][1] /= size
			}
		}
	}
}

func label(a report.PlotAxis) string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + " (" + a.Unit + ")"
}

// thin leaves out points, if there are too many: of several points that are close together, it
// keeps only the first. It returns how many of the n points are left.
func (c *collector) thin(n int) int {
	const maxPoints = 50_000 // each takes about 20 bytes of the page
	size := 0.0005           // of an area, as a share of the length of an axis
	area := func(a axis, v float64) int {
		return int((a.place(v) - a.all.lo) / cmp.Or(a.all.hi-a.all.lo, 1) / size)
	}
	for ; n > maxPoints && size < 1; size *= 1.25 {
		n = 0
		for _, s := range c.series {
			taken := map[[2]int]bool{}
			s.Points = slices.DeleteFunc(s.Points, func(p report.PlotPoint) bool {
				at := [2]int{area(c.x, p[0]), area(c.y, p[1])}
				was := taken[at]
				taken[at] = true
				return was
			})
			n += len(s.Points)
		}
	}
	return n
}

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
