package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"perfdata/internal/svg"
	"perfdata/series/change"
)

// The size of a small plot, and of its parts. In a window of 390 pixels, a unit is a pixel.
const (
	plotWidth, plotHeight = 360.0, 150.0
	plotLeft, plotRight   = 58.0, 352.0
	plotTop, plotBottom   = 10.0, 126.0
	aroundFinding         = 30  // points before and after the change
	mostSketched          = 150 // points
)

// A sketch is a small plot of a series around a finding, as inline SVG. Its colors are in the style
// of the page, because the policy of the page allows no others.
type sketch struct {
	svg.Picture
	points      []Point
	low, high   float64 // values at the bottom and the top
	first, last int     // commits
}

// newSketch returns the plot of a finding. It is empty if the series has no finite values there.
func newSketch(p *Page, f *Finding) template.HTML {
	points := around(p.Series[f.Series[0]].Points, f.Mark)
	s := &sketch{low: math.Inf(1), high: math.Inf(-1)}
	for _, at := range points {
		if special(at.Value) != 0 {
			continue
		}
		s.points = append(s.points, at)
		s.include(at.Value)
		if at.N > 1 {
			s.include(at.Min)
			s.include(at.Max)
		}
	}

	if len(s.points) == 0 {
		return ""
	}
	s.first, s.last = s.points[0].Commit, s.points[len(s.points)-1].Commit
	if s.low == s.high {
		s.low, s.high = s.low-max(math.Abs(s.low)/10, 1), s.high+max(math.Abs(s.high)/10, 1)
	}

	fmt.Fprintf(s, `<svg class="sketch" viewBox="0 0 %g %g" role="img" aria-label="%s">`, plotWidth, plotHeight,
		svg.Escape(s.describe(p, f)))
	s.axes(p)
	own := f.Mark // may be where the changes of other series are
	for _, m := range p.Series[f.Series[0]].Marks {
		if m.Kind == f.Kind && m.Before == f.Before && m.After == f.After {
			own = m
		}
	}
	s.interval(f, own)
	s.values()
	s.WriteString("</svg>")
	return template.HTML(s.String())
}

// around returns points around a change: all, unless there are too many for a small plot.
func around(points []Point, m Mark) []Point {
	find := func(commit int) int {
		i, _ := slices.BinarySearchFunc(points, commit, func(p Point, c int) int { return p.Commit - c })
		return i
	}
	points = points[max(find(m.Lo)-aroundFinding, 0):min(find(m.Hi)+aroundFinding, len(points))]
	if len(points) <= mostSketched {
		return points
	}
	var some []Point // of a trend
	for i := 0; i < len(points); i += (len(points) + mostSketched - 1) / mostSketched {
		some = append(some, points[i])
	}
	return some
}

func (s *sketch) include(v float64) {
	if special(v) == 0 {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
}

// describe returns the plot in words.
func (s *sketch) describe(p *Page, f *Finding) string {
	unit := shown(p.Series[f.Series[0]].Unit)
	if unit != "" {
		unit = " " + unit
	}
	where := "at commit " + commitText(p, f.Commit)
	if f.Kind == change.Trend {
		where = "slowly"
	}
	return fmt.Sprintf("Plot of %d commits, from %s to %s: values from %s to %s%s. The level goes from %s to %s %s.",
		len(s.points), commitText(p, s.first), commitText(p, s.last), short(s.low), short(s.high), unit,
		short(f.Before), short(f.After), where)
}

// x returns the place of a commit.
func (s *sketch) x(commit float64) float64 {
	if s.first == s.last {
		return (plotLeft + plotRight) / 2
	}
	share := (commit - float64(s.first)) / float64(s.last-s.first)
	return plotLeft + min(max(share, 0), 1)*(plotRight-plotLeft)
}

// y returns the place of a value. Halves keep the difference finite.
func (s *sketch) y(v float64) float64 {
	share := (v/2 - s.low/2) / (s.high/2 - s.low/2)
	if special(share) != 0 {
		share = 0
	}
	return plotBottom - min(max(share, -0.2), 1.2)*(plotBottom-plotTop)
}

func (s *sketch) axes(p *Page) {
	const middle = 4 // of a digit, above the baseline
	for _, v := range []float64{s.low, s.high} {
		y := s.y(v)
		s.Path("grid", svg.Line([2]float64{plotLeft, y}, [2]float64{plotRight, y}))
		s.Text("", plotLeft-4, y+middle, "end", rounded(v, 3))
	}
	s.Text("", plotLeft, plotHeight-6, "start", commitText(p, s.first))
	s.Text("", plotRight, plotHeight-6, "end", commitText(p, s.last))
}

// interval draws where the change is, and the levels before and after the mark of the series.
func (s *sketch) interval(f *Finding, own Mark) {
	from, to := s.x(float64(f.Lo)-0.5), s.x(float64(f.Hi)+0.5)
	s.Path("interval", svg.Line([2]float64{from, plotTop}, [2]float64{to, plotTop}, [2]float64{to, plotBottom},
		[2]float64{from, plotBottom})+"Z")
	if special(f.Before) != 0 || special(f.After) != 0 {
		return
	}

	before, after := s.y(f.Before), s.y(f.After)
	if f.Kind == change.Trend {
		s.Path("level", svg.Line([2]float64{s.x(float64(own.Lo)), before}, [2]float64{s.x(float64(own.Hi)), after}))
		return
	}
	at := s.x(float64(own.Commit) - 0.5)
	s.Path("change", svg.Line([2]float64{at, plotTop}, [2]float64{at, plotBottom}))
	s.Path("level", svg.Line([2]float64{plotLeft, before}, [2]float64{at, before})+
		svg.Line([2]float64{at, after}, [2]float64{plotRight, after}))
}

// values draws the values, and the least and greatest of each commit.
func (s *sketch) values() {
	var places [][2]float64
	band, dots := "", ""
	for _, p := range s.points {
		at := [2]float64{s.x(float64(p.Commit)), s.y(p.Value)}
		places = append(places, at)
		dots += svg.Line(at) + "h0" // a line without length has round ends
		if p.N > 1 {
			band += svg.Line([2]float64{at[0], s.y(p.Min)}, [2]float64{at[0], s.y(p.Max)})
		}
	}
	s.Path("band", band)
	s.Path("line", svg.Line(places...))
	s.Path("dots", dots)
}
