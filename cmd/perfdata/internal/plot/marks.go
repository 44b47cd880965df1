package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks are the points of a series. Many are drawn as one path, because single ones would make an
// SVG several times as large.
type marks struct {
	series *series
	points []point
	shape  int
	color  color.NRGBA
	id     string
	title  func(*series, point) string // of each point, if it isn't nil
}

func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	if len(m.points) == 0 {
		return
	}
	class := "points"
	if m.series.others {
		class = "points others"
	}
	x, y := p.Transforms(&c)
	name := cleaned(m.series.name) + ": " + count(len(m.series.points), "resource")

	group(c, class, m.id, name, func() {
		var path vg.Path
		for _, point := range m.points {
			m.add(&path, vg.Point{X: x(point.X), Y: y(point.Y)})
			if m.title != nil {
				group(c, "point", "", cleaned(m.title(m.series, point)), func() { m.fill(&c, path) })
				path = nil
			}
		}
		m.fill(&c, path)
	})
}

func (m *marks) Thumbnail(c *draw.Canvas) {
	if len(m.points) == 0 {
		return
	}
	var path vg.Path
	m.add(&path, c.Center())
	m.fill(c, path)
}

func (m *marks) fill(c *draw.Canvas, path vg.Path) {
	if len(path) == 0 {
		return
	}
	half := m.color
	half.A = 0xb0
	c.SetColor(half)
	c.Fill(path)
}

// cornersOf returns the corners of the i-th shape around (0, 0), or nil for a circle. All shapes
// have about the same area.
func cornersOf(i int) []vg.Point {
	shapes := [][]vg.Point{
		nil,
		{{X: -.9, Y: -.9}, {X: .9, Y: -.9}, {X: .9, Y: .9}, {X: -.9, Y: .9}},
		{{X: -1.1, Y: -.8}, {X: 1.1, Y: -.8}, {X: 0, Y: 1.3}},
		{{X: 0, Y: -1.3}, {X: 1.3, Y: 0}, {X: 0, Y: 1.3}, {X: -1.3, Y: 0}},
		{{X: -1.1, Y: .8}, {X: 0, Y: -1.3}, {X: 1.1, Y: .8}},
	}
	return shapes[i%len(shapes)]
}

func (m *marks) add(path *vg.Path, at vg.Point) {
	corners := cornersOf(m.shape)
	if corners == nil {
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
		path.Close()
		return
	}
	path.Move(at.Add(corners[0].Scale(radius)))
	for _, corner := range corners[1:] {
		path.Line(at.Add(corner.Scale(radius)))
	}
	path.Close()
}

// A bar is the median of a series. If there are several points, they are drawn upon the bar.
type bar struct {
	*marks
	at     int
	median float64
	label  string
	title  string
}

func (c *Chart) barOf(s *series, at int, dots *marks) *bar {
	var ys []float64
	for _, p := range s.points {
		ys = append(ys, p.Y)
	}
	slices.Sort(ys)
	n := len(ys)
	median := ys[n/2]/2 + ys[(n-1)/2]/2
	title := c.describe(s, point{Y: median})
	if n > 1 {
		title += ", the median of " + count(n, "resource")
	}
	return &bar{marks: dots, at: at, median: median, label: number(median/c.y.scale) + c.y.suffix, title: title}
}

func (b *bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const ofSpace = 0.6
	bars := &plotter.BarChart{
		Values: plotter.Values{b.median},
		XMin:   float64(b.at),
		Width:  (x(1) - x(0)) * ofSpace,
		Color:  b.color,
	}
	several := len(b.points) > 1
	if several {
		light := b.color
		light.A = 0x50
		bars.Color = light
	}

	group(c, "bar", b.id+"-bar", cleaned(b.title), func() {
		bars.Plot(c, p)
		if several {
			return // the number would be among the points
		}
		style := styleOf(textSize, color.Black)
		style.XAlign = text.XCenter
		at := vg.Point{X: x(bars.XMin), Y: y(max(b.median, p.Y.Min)) + 2*radius}
		c.FillText(style, at, b.label)
	})
	if several {
		b.marks.Plot(c, p)
	}
}

// A line is a curve, with gaps where it has no value.
type line struct {
	*curve
	style draw.LineStyle
	label string // the kind, shortened
	id    string
	title string
}

func (l *line) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var part []vg.Point
	stroke := func() {
		if len(part) == 1 { // a line of no length would be invisible
			part = []vg.Point{{X: part[0].X - radius, Y: part[0].Y}, {X: part[0].X + radius, Y: part[0].Y}}
		}
		c.StrokeLines(l.style, c.ClipLinesXY(part)...)
		part = nil
	}

	group(c, "model", l.id, cleaned(l.title), func() {
		for _, point := range l.points {
			if math.IsNaN(point.Y) {
				stroke()
				continue
			}
			part = append(part, vg.Point{X: x(point.X), Y: y(point.Y)})
		}
		stroke()
	})
}

func (l *line) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(l.style, c.Min.X, y, c.Max.X, y)
}

// visibleEnd returns where the last part of the curve that the axes show ends.
func (l *line) visibleEnd(p *plot.Plot) (point, bool) {
	for i, from := range slices.Backward(l.points) {
		if !(from.Y >= p.Y.Min && from.Y <= p.Y.Max && from.X >= p.X.Min && from.X <= p.X.Max) {
			continue
		}
		if i+1 == len(l.points) || math.IsNaN(l.points[i+1].Y) {
			return from, true
		}

		// The next point is outside: go toward it, up to the border.
		dx, dy := l.points[i+1].X-from.X, l.points[i+1].Y-from.Y
		way := 1.0
		if dx > 0 {
			way = min(way, (p.X.Max-from.X)/dx)
		}
		if dy > 0 {
			way = min(way, (p.Y.Max-from.Y)/dy)
		} else if dy < 0 {
			way = min(way, (p.Y.Min-from.Y)/dy)
		}
		return point{X: from.X + way*dx, Y: from.Y + way*dy}, true
	}
	return point{}, false
}

// ends are the names of curves, at their ends.
type ends struct{ lines []*line }

// An endLabel is the name of a curve, at the right of its end.
type endLabel struct {
	text  string
	style text.Style
	end   vg.Point
	y     vg.Length
	width vg.Length
}

// gutter returns the width that the names of curves need at the right of the plot.
func (e *ends) gutter(p *plot.Plot, area draw.Canvas) (width vg.Length) {
	const ofArea = 0.7 // the least part of the area that the plot takes
	for _, l := range e.lines {
		if end, ok := l.visibleEnd(p); ok {
			free := vg.Length(1-p.X.Norm(end.X)) * area.Size().X * ofArea
			width = max(width, styleOf(textSize, color.Black).Width(l.label)+gap-free)
		}
	}
	return width
}

func (e *ends) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var labels []*endLabel
	for _, l := range e.lines {
		if end, ok := l.visibleEnd(p); ok {
			style := styleOf(textSize, l.style.Color)
			at := vg.Point{X: x(end.X), Y: y(end.Y)}
			labels = append(labels, &endLabel{l.label, style, at, at.Y, style.Width(l.label)})
		}
	}
	spread(labels, c.Min.Y)

	group(c, "labels", "", "", func() {
		for _, l := range labels {
			at := vg.Point{X: l.end.X + gap, Y: l.y - textSize/3}
			c.FillText(l.style, at, l.text)
			pointer := draw.LineStyle{Color: l.style.Color, Width: .5}
			c.StrokeLine2(pointer, l.end.X+1, l.end.Y, at.X-1, l.y)
		}
	})
}

// spread moves labels that would cover each other: down, and up from the bottom.
func spread(labels []*endLabel, bottom vg.Length) {
	slices.SortStableFunc(labels, func(a, b *endLabel) int { return cmp.Compare(b.y, a.y) })
	beside := func(a, b *endLabel) bool {
		return a.end.X+a.width+gap <= b.end.X || b.end.X+b.width+gap <= a.end.X
	}
	for i, l := range labels {
		for _, above := range labels[:i] {
			if !beside(l, above) {
				l.y = min(l.y, above.y-textSize)
			}
		}
	}
	for i, l := range slices.Backward(labels) {
		l.y = max(l.y, bottom)
		for _, below := range labels[i+1:] {
			if !beside(l, below) {
				l.y = max(l.y, below.y+textSize)
			}
		}
	}
}

// grid draws a line at each tick with a label. It draws none between bars.
type grid struct{ bars bool }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{0xe4}, Width: .5}
	group(c, "grid", "", "", func() {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if at := x(t.Value); t.Label != "" && c.ContainsX(at) && !g.bars {
				c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
			}
		}
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if at := y(t.Value); t.Label != "" && c.ContainsY(at) {
				c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
			}
		}
	})
}
