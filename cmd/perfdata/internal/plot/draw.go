package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"perfdata/perun/report"
)

// Sizes, in points: an inch has 72.
const (
	plotWidth  = 600
	plotHeight = 420
	margin     = 12
	maxLegend  = 220 // width of its texts
	radius     = 2.2
	pngDPI     = 144
)

// maxPoints is how many points are drawn, about 50 bytes of SVG each.
const maxPoints = 5000

// palette has a colour for each series; what is drawn as others is grey.
var palette = [maxSeries]color.NRGBA{
	{0x1f, 0x77, 0xb4, 0xff}, {0xe6, 0x6f, 0x00, 0xff}, {0x2c, 0x9a, 0x2c, 0xff},
	{0xd6, 0x27, 0x28, 0xff}, {0x8a, 0x5f, 0xc0, 0xff},
	{0x7a, 0x4a, 0x3a, 0xff}, {0xe0, 0x6a, 0xbd, 0xff}, {0xa8, 0xa6, 0x14, 0xff}, {0x0f, 0xb5, 0xc8, 0xff},
}

var grey = color.NRGBA{0x9a, 0x9a, 0x9a, 0xff}

// dashes are for the kinds of models.
var dashes = [][]vg.Length{
	nil, {6, 3}, {1.5, 2.5}, {8, 3, 1.5, 3}, {12, 4}, {3, 2}, {8, 2, 1.5, 2, 1.5, 2}, {1.5, 5}, {14, 3, 4, 3},
}

// WriteSVG writes the chart as an SVG picture.
func (c *Chart) WriteSVG(out io.Writer) error {
	p, legend, w, h := c.plot()
	canvas := vgsvg.New(w, h)
	c.draw(draw.New(canvas), p, legend)
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	// Where the font is missing, one with the same widths will do.
	const family = `style="font-family:Liberation Sans`
	_, err := out.Write(bytes.ReplaceAll(svg.Bytes(), []byte(family+";"), []byte(family+",Arial,Helvetica,sans-serif;")))
	return err
}

// WritePNG writes the chart as a PNG picture.
func (c *Chart) WritePNG(out io.Writer) error {
	p, legend, w, h := c.plot()
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
	c.draw(draw.New(canvas), p, legend)
	_, err := canvas.WriteTo(out)
	return err
}

// plot returns the plot, its legend and the picture's size.
func (c *Chart) plot() (p *plot.Plot, legend plot.Legend, w, h vg.Length) {
	p = plot.New()
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label,
	} {
		style.Font.Variant = "Sans"
	}

	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = 8
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = 11
		axis.Tick.Label.Font.Size = 9
		axis.Label.Padding = 4
		axis.Padding = 4
	}

	p.Title.Text = shortened(c.title, p.Title.TextStyle, plotWidth)
	p.X.Label.Text = shortened(c.x, p.X.Label.TextStyle, plotWidth)
	p.Y.Label.Text = shortened(c.y, p.Y.Label.TextStyle, plotHeight)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = c.across.lo, c.across.hi, c.up.lo, c.up.hi
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{c.integers}, ticks{}

	legend = plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font.Variant = "Sans"
	legend.TextStyle.Font.Size = 9
	legend.Padding = 3
	legend.ThumbnailWidth = 28

	points, drawn, of := c.thin()
	if drawn < of {
		p.Title.Text = strings.TrimPrefix(p.Title.Text+fmt.Sprintf("\n%d of %d points", drawn, of), "\n")
	}

	rows := 0
	p.Add(grid{})
	var lines []*line
	for i, s := range c.series {
		style := grey
		if i < maxSeries {
			style = palette[i]
		}

		dots := &marks{points: points[i], shape: i, color: style}
		p.Add(dots)
		legend.Add(" "+shortened(s.name, legend.TextStyle, maxLegend), dots)
		rows++
		for _, curve := range s.curves {
			dash := dashes[slices.Index(c.dashes, curve.kind)%len(dashes)]
			l := &line{curve.points, draw.LineStyle{Color: style, Width: 1.6, Dashes: dash}}
			lines = append(lines, l)
			legend.Add("   "+shortened(curve.name, legend.TextStyle, maxLegend), l)
			rows++
		}
	}

	for _, l := range lines { // upon all points
		p.Add(l)
	}
	size := legend.Rectangle(draw.Canvas{}).Size()
	w = plotWidth + size.X + 3*margin
	return p, legend, w, max(plotHeight, size.Y+vg.Length(rows)) + 2*margin
}

func (c *Chart) draw(dc draw.Canvas, p *plot.Plot, legend plot.Legend) {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	p.Draw(draw.Crop(dc, margin, plotWidth+margin-dc.Max.X, margin, -margin))
	legend.Draw(draw.Crop(dc, plotWidth+2*margin, -margin, margin, -margin-p.Title.TextStyle.Height(p.Title.Text)))
}

// thin returns the points of each series that are drawn: where many are close together, some. It
// also returns how many of how many that are.
func (c *Chart) thin() (points [][]report.Point, drawn, of int) {
	for _, s := range c.series {
		points = append(points, s.points)
		of += len(s.points)
	}
	drawn = of
	for size := 1.0; drawn > maxPoints && size < plotWidth; size *= 1.25 {
		drawn = 0
		for i := range points {
			points[i] = c.thinned(points[i], size)
			drawn += len(points[i])
		}
	}
	return points, drawn, of
}

// thinned returns the first point of each square of that size.
func (c *Chart) thinned(points []report.Point, size float64) []report.Point {
	taken := map[[2]int]bool{}
	var few []report.Point
	for _, p := range points {
		at := [2]int{
			int((p.X - c.across.lo) / c.across.length() * plotWidth / size),
			int((p.Y - c.up.lo) / c.up.length() * plotHeight / size),
		}
		if !taken[at] {
			taken[at] = true
			few = append(few, p)
		}
	}
	return few
}

// shortened returns s with what pictures can't show replaced, and the middle left out of what is
// wider than width.
func shortened(s string, style text.Style, width vg.Length) string {
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if n := len(r); n > maxText {
		r = slices.Concat(r[:maxText/2], []rune("…"), r[n-maxText/2:])
	}
	for i, c := range r {
		if !unicode.IsGraphic(c) {
			r[i] = ' '
		}
	}
	for s = string(r); style.Width(s) > width && len(r) > 2; s = string(r) {
		half := (len(r) - 1) / 2
		r = slices.Concat(r[:half], []rune("…"), r[len(r)-half+1:])
	}
	return s
}

// maxText bounds the characters of a text that is to be shortened.
const maxText = 300

// marks are a series' points, drawn as one path: many of their own would make an SVG several
// times as large.
type marks struct {
	points []report.Point
	shape  int
	color  color.NRGBA
}

func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path vg.Path
	for _, point := range m.points {
		if at := (vg.Point{X: x(point.X), Y: y(point.Y)}); c.Contains(at) {
			m.add(&path, at)
		}
	}
	m.fill(&c, path)
}

func (m *marks) Thumbnail(c *draw.Canvas) {
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

// corners of shapes around (0, 0), of about the same area.
var corners = [][]vg.Point{
	nil, // a circle
	{{X: -.9, Y: -.9}, {X: .9, Y: -.9}, {X: .9, Y: .9}, {X: -.9, Y: .9}},
	{{X: -1.1, Y: -.8}, {X: 1.1, Y: -.8}, {X: 0, Y: 1.3}},
	{{X: 0, Y: -1.3}, {X: 1.3, Y: 0}, {X: 0, Y: 1.3}, {X: -1.3, Y: 0}},
	{{X: -1.1, Y: .8}, {X: 0, Y: -1.3}, {X: 1.1, Y: .8}},
}

func (m *marks) add(path *vg.Path, at vg.Point) {
	shape := corners[m.shape%len(corners)]
	if shape == nil {
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
		path.Close()
		return
	}
	path.Move(at.Add(shape[0].Scale(radius)))
	for _, corner := range shape[1:] {
		path.Line(at.Add(corner.Scale(radius)))
	}
	path.Close()
}

// A line is a curve, with gaps where it has no value.
type line struct {
	points []report.Point
	style  draw.LineStyle
}

func (l *line) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var part []vg.Point
	stroke := func() {
		if len(part) == 1 { // a line of no length wouldn't be seen
			part = []vg.Point{{X: part[0].X - radius, Y: part[0].Y}, {X: part[0].X + radius, Y: part[0].Y}}
		}
		c.StrokeLines(l.style, c.ClipLinesXY(part)...)
		part = nil
	}
	for _, point := range l.points {
		if math.IsNaN(point.Y) {
			stroke()
			continue
		}
		part = append(part, vg.Point{X: x(point.X), Y: y(point.Y)})
	}
	stroke()
}

func (l *line) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(l.style, c.Min.X, y, c.Max.X, y)
}

// grid draws a line at each labelled tick.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{0xe4}, Width: .5}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if at := x(t.Value); t.Label != "" && c.ContainsX(at) {
			c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); t.Label != "" && c.ContainsY(at) {
			c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
		}
	}
}
