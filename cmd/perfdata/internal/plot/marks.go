package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/internal/message"
	"perfdata/internal/svg"
)

// shape returns the path of a point of the i-th series. All shapes have about the same area.
func shape(i int, x, y float64) string {
	shapes := [...]string{
		"m-3.3 0a3.3 3.3 0 1 0 6.6 0a3.3 3.3 0 1 0-6.6 0z", // circle
		"m-3-3h6v6h-6z",                     // square
		"m0-4.3l3.6 6.9h-7.2z",              // triangle
		"m0-4.3l4.3 4.3l-4.3 4.3l-4.3-4.3z", // diamond
		"m0 4.3l-3.6-6.9h7.2z",              // triangle that points down
	}
	return "M" + svg.Number(x) + " " + svg.Number(y) + shapes[i%len(shapes)]
}

// points draws the points of a series. Many are one path, because single ones would make an SVG
// several times as large.
func (d *drawing) points(i int, points []point, titled bool) {
	if len(points) == 0 {
		return
	}
	s := d.chart.series[i]
	name := s.name + ": " + message.Plural(len(s.points), "resource")
	d.Group("points "+s.class(i), fmt.Sprintf("series-%d", i+1), name, func() {
		var path strings.Builder
		for _, p := range points {
			one := shape(i, d.x(p.X), d.y(p.Y))
			if titled {
				d.Group("point", "", d.chart.describe(s, p), func() { d.Path("mark", one) })
			} else {
				path.WriteString(one)
			}
		}
		d.Path("mark", path.String())
	})
}

// bar draws the median of a series. If there are several points, they are drawn upon the bar.
func (d *drawing) bar(i int, points []point, titled bool) {
	c := d.chart
	s := c.series[i]
	var ys []float64
	for _, p := range s.points {
		ys = append(ys, p.Y)
	}
	slices.Sort(ys)
	n := len(ys)
	median := ys[n/2]/2 + ys[(n-1)/2]/2
	title := c.describe(s, point{Y: median})
	several := n > 1
	class := "mark"
	if several {
		title += ", the median of " + message.Plural(n, "resource")
		class = "mark light"
	}

	from := max(c.y.lo, 0)
	top, bottom := d.y(max(median, from)), d.y(min(median, from))
	half := (d.x(1) - d.x(0)) * barsOfSpace / 2
	x := d.x(float64(i))
	d.Group("bar "+s.class(i), fmt.Sprintf("series-%d-bar", i+1), title, func() {
		d.Path(class, fmt.Sprintf("M%s %sH%sV%sH%sZ", svg.Number(x-half), svg.Number(bottom), svg.Number(x+half),
			svg.Number(top), svg.Number(x-half)))
		if !several { // the number would be among the points
			d.Text("", x, top-2*radius, "middle", number(median/c.y.scale)+c.y.suffix)
		}
	})
	if several {
		d.points(i, points, titled)
	}
}

// curve draws a curve, with gaps where it has no value. An svg element clips it.
func (d *drawing) curve(id string, s *series, i int, curve *curve) {
	var path strings.Builder
	var part [][2]float64
	end := func() {
		if len(part) == 1 { // a line of no length would be invisible
			part = [][2]float64{{part[0][0] - radius, part[0][1]}, {part[0][0] + radius, part[0][1]}}
		}
		path.WriteString(svg.Line(part...))
		part = part[:0]
	}
	for _, p := range curve.points {
		if math.IsNaN(p.Y) {
			end()
			continue
		}
		part = append(part, [2]float64{d.x(p.X) - d.plot.left, d.y(p.Y) - d.plot.top})
	}
	end()

	d.Group("model "+s.class(i), id, s.name+": "+curve.name, func() {
		fmt.Fprintf(d, "<svg x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">", svg.Number(d.plot.left), svg.Number(d.plot.top),
			svg.Number(d.plot.width()), svg.Number(d.plot.height()))
		d.Path(d.chart.lineClass(curve), path.String())
		d.WriteString("</svg>\n")
	})
}

// A curveEnd is where a curve ends, with its name.
type curveEnd struct {
	text  string
	class string // of its series
	at    point
}

// leastName is the width that the name of a curve has, even if the picture is narrow.
const leastName = 110

// ends returns the ends of the curves that the axes show.
func (d *drawing) ends() (all []curveEnd) {
	c := d.chart
	for i, s := range c.series {
		for _, curve := range s.curves {
			if at, ok := c.visibleEnd(curve); ok {
				text := svg.Shorten(curve.kind, textSize, max(d.area.width()/6, leastName))
				all = append(all, curveEnd{text, s.class(i), at})
			}
		}
	}
	return all
}

// visibleEnd returns where the last part of the curve that the axes show ends.
func (c *Chart) visibleEnd(l *curve) (point, bool) {
	for i, from := range slices.Backward(l.points) {
		if !(from.Y >= c.y.lo && from.Y <= c.y.hi && from.X >= c.x.lo && from.X <= c.x.hi) {
			continue
		}
		if i+1 == len(l.points) || math.IsNaN(l.points[i+1].Y) {
			return from, true
		}

		// The next point is outside: go toward it, up to the border.
		dx, dy := l.points[i+1].X-from.X, l.points[i+1].Y-from.Y
		way := 1.0
		if dx > 0 {
			way = min(way, (c.x.hi-from.X)/dx)
		}
		if dy > 0 {
			way = min(way, (c.y.hi-from.Y)/dy)
		} else if dy < 0 {
			way = min(way, (c.y.lo-from.Y)/dy)
		}
		return point{X: from.X + way*dx, Y: from.Y + way*dy}, true
	}
	return point{}, false
}

// An endLabel is the name of a curve, at the right of its end.
type endLabel struct {
	curveEnd
	x, y  float64 // of the end; y moves
	width float64
}

// endLabels writes the names of curves.
func (d *drawing) endLabels() {
	var labels []*endLabel
	for _, end := range d.ends() {
		labels = append(labels, &endLabel{end, d.x(end.at.X), d.y(end.at.Y), svg.Width(end.text, textSize)})
	}
	if len(labels) == 0 {
		return
	}
	spread(labels, d.plot.bottom)
	d.Group("labels", "", "", func() {
		for _, l := range labels {
			fmt.Fprintf(d, "<g class=\"%s\">", l.class)
			d.Path("pointer", svg.Line([2]float64{l.x + 1.5, d.y(l.at.Y)}, [2]float64{l.x + gap - 1.5, l.y}))
			d.Text("name", l.x+gap, l.y+textSize*.35, "", l.text)
			d.WriteString("</g>\n")
		}
	})
}

// spread moves labels that would cover each other: down, and up from the bottom.
func spread(labels []*endLabel, bottom float64) {
	const apart = textSize
	slices.SortStableFunc(labels, func(a, b *endLabel) int { return cmp.Compare(a.y, b.y) })
	beside := func(a, b *endLabel) bool {
		return a.x+a.width+gap <= b.x || b.x+b.width+gap <= a.x
	}
	for i, l := range labels {
		for _, above := range labels[:i] {
			if !beside(l, above) {
				l.y = max(l.y, above.y+apart)
			}
		}
	}
	for i, l := range slices.Backward(labels) {
		l.y = min(l.y, bottom)
		for _, below := range labels[i+1:] {
			if !beside(l, below) {
				l.y = min(l.y, below.y-apart)
			}
		}
	}
}
