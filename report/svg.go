package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
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
	strings.Builder
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
		html.EscapeString(s.describe(p, f)))
	s.axes(p)
	s.interval(f, markNear(p.Series[f.Series[0]].Marks, f.Mark))
	s.band()
	s.line()
	s.WriteString("</svg>")
	return template.HTML(s.String())
}

// markNear returns the mark of a series that a finding is about: that of the finding may be where the
// changes of other series are.
func markNear(marks []Mark, of Mark) Mark {
	best := of
	for _, m := range marks {
		if m.Kind == of.Kind && m.Before == of.Before && m.After == of.After {
			best = m
		}
	}
	return best
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
	if f.Kind == Trend {
		where = "slowly"
	}
	return fmt.Sprintf("Plot of %d commits, from %s to %s: values from %s to %s%s. The level goes from %s to %s %s.",
		len(s.points), commitText(p, s.first), commitText(p, s.last), short(s.low), short(s.high), unit,
		short(f.Before), short(f.After), where)
}

// x returns the place of a commit, as text.
func (s *sketch) x(commit float64) string {
	if s.first == s.last {
		return coordinate((plotLeft + plotRight) / 2)
	}
	share := (commit - float64(s.first)) / float64(s.last-s.first)
	return coordinate(plotLeft + min(max(share, 0), 1)*(plotRight-plotLeft))
}

// y returns the place of a value, as text. Halves keep the difference finite.
func (s *sketch) y(v float64) string {
	share := (v/2 - s.low/2) / (s.high/2 - s.low/2)
	if special(share) != 0 {
		share = 0
	}
	return coordinate(plotBottom - min(max(share, -0.2), 1.2)*(plotBottom-plotTop))
}

func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (s *sketch) axes(p *Page) {
	for _, v := range []float64{s.low, s.high} {
		y := s.y(v)
		fmt.Fprintf(s, `<path class="grid" d="M%g %sH%g"/><text x="%g" y="%s" dy=".35em" text-anchor="end">%s</text>`,
			plotLeft, y, plotRight, plotLeft-4, y, rounded(v, 3))
	}
	ends := []struct {
		commit int
		anchor string
		x      float64
	}{{s.first, "start", plotLeft}, {s.last, "end", plotRight}}
	for _, e := range ends {
		fmt.Fprintf(s, `<text x="%g" y="%g" text-anchor="%s">%s</text>`, e.x, plotHeight-6, e.anchor,
			html.EscapeString(commitText(p, e.commit)))
	}
}

// interval draws where the change is, and the levels before and after the mark of the series.
func (s *sketch) interval(f *Finding, own Mark) {
	from, to := s.x(float64(f.Lo)-0.5), s.x(float64(f.Hi)+0.5)
	fmt.Fprintf(s, `<path class="interval" d="M%s %gH%sV%gH%sZ"/>`, from, plotTop, to, plotBottom, from)
	if special(f.Before) != 0 || special(f.After) != 0 {
		return
	}
	if f.Kind == Trend {
		fmt.Fprintf(s, `<path class="level" d="M%s %sL%s %s"/>`, from, s.y(f.Before), to, s.y(f.After))
		return
	}
	at := s.x(float64(own.Commit) - 0.5)
	fmt.Fprintf(s, `<path class="change" d="M%s %gV%g"/>`, at, plotTop, plotBottom)
	fmt.Fprintf(s, `<path class="level" d="M%g %sH%sM%s %sH%g"/>`, plotLeft, s.y(f.Before), at, at, s.y(f.After), plotRight)
}

// band draws the least and greatest values of each commit.
func (s *sketch) band() {
	if !slices.ContainsFunc(s.points, func(p Point) bool { return p.N > 1 }) {
		return
	}
	s.WriteString(`<path class="band" d="`)
	for _, p := range s.points {
		if p.N > 1 {
			fmt.Fprintf(s, "M%s %sV%s", s.x(float64(p.Commit)), s.y(p.Min), s.y(p.Max))
		}
	}
	s.WriteString(`"/>`)
}

func (s *sketch) line() {
	var dots strings.Builder
	s.WriteString(`<path class="line" d="`)
	for i, p := range s.points {
		letter := byte('L')
		if i == 0 {
			letter = 'M'
		}
		x, y := s.x(float64(p.Commit)), s.y(p.Value)
		fmt.Fprintf(s, "%c%s %s", letter, x, y)
		fmt.Fprintf(&dots, "M%s %sh0", x, y) // a line without length has round ends
	}
	fmt.Fprintf(s, `"/><path class="dots" d="%s"/>`, dots.String())
}
