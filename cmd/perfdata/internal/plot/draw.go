package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes, in points. An inch has 72 points.
const (
	dpi       = 108 // of pictures, so that a point is 1.5 pixels
	margin    = 12
	gap       = 8 // between the parts of a picture
	titleSize = 13
	labelSize = 11
	textSize  = 9
	maxLegend = 220 // the width of its texts
	radius    = 2.2
)

// maxPoints is the number of points that are drawn. Each takes about 50 bytes of SVG.
const maxPoints = 5000

// titledPoints is the number of points up to which each has a title of its own.
const titledPoints = 500

// colorOf returns the color of the i-th series.
func (s *series) colorOf(i int) color.NRGBA {
	palette := [maxSeries]color.NRGBA{
		{0x1f, 0x77, 0xb4, 0xff}, {0xe6, 0x6f, 0x00, 0xff}, {0x2c, 0x9a, 0x2c, 0xff},
		{0xd6, 0x27, 0x28, 0xff}, {0x8a, 0x5f, 0xc0, 0xff}, {0x7a, 0x4a, 0x3a, 0xff},
		{0xe0, 0x6a, 0xbd, 0xff}, {0xa8, 0xa6, 0x14, 0xff}, {0x0f, 0xb5, 0xc8, 0xff},
	}
	if s.others {
		return color.NRGBA{0x9a, 0x9a, 0x9a, 0xff}
	}
	return palette[i%maxSeries]
}

// dashesOf returns the pattern of the i-th kind of models.
func dashesOf(i int) []vg.Length {
	patterns := [][]vg.Length{
		nil, {6, 3}, {1.5, 2.5}, {8, 3, 1.5, 3}, {12, 4}, {3, 2}, {8, 2, 1.5, 2, 1.5, 2}, {1.5, 5}, {14, 3, 4, 3},
	}
	return patterns[i%len(patterns)]
}

// WriteSVG writes the chart as an SVG picture.
func (c *Chart) WriteSVG(out io.Writer) error {
	w, h := c.size()
	points, curves := 0, 0
	for _, s := range c.series {
		points += len(s.points)
		curves += len(s.curves)
	}
	description := fmt.Sprintf("%s against %s: %s, %s of %s. %s", c.y.label, c.x.label,
		count(points, "resource"), count(curves, "model"), count(len(c.series), "uid"), c.subtitle)

	s := newSVG(inPoints(w), inPoints(h), w, h, cleaned(c.title), cleaned(description))
	c.draw(draw.New(s))
	_, err := s.WriteTo(out)
	return err
}

// WritePNG writes the chart as a PNG picture.
func (c *Chart) WritePNG(out io.Writer) error {
	w, h := c.size()
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(inPoints(w), inPoints(h)), vgimg.UseDPI(dpi))}
	c.draw(draw.New(canvas))
	_, err := canvas.WriteTo(out)
	return err
}

// size returns the picture's size in pixels.
func (c *Chart) size() (w, h int) {
	return cmp.Or(c.options.Width, DefaultWidth), cmp.Or(c.options.Height, DefaultHeight)
}

func inPoints(pixels int) vg.Length { return vg.Length(pixels) * 72 / dpi }

// styleOf returns the style of a text, left-aligned on a baseline.
func styleOf(size vg.Length, c color.Color) text.Style {
	style := plot.NewLegend().TextStyle
	style.Font.Variant = "Sans"
	style.Font.Size = size
	style.Color = c
	return style
}

// draw draws the parts of the picture, each into the area that the others leave.
func (c *Chart) draw(dc draw.Canvas) {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	area := draw.Crop(dc, margin, -margin, margin, -margin)
	note := color.Gray{0x60}

	// The texts above and below.
	group(dc, "title", "", "", func() {
		for _, line := range []struct {
			text  string
			style text.Style
		}{{c.title, styleOf(titleSize, color.Black)}, {c.subtitle, styleOf(textSize, note)}} {
			if line.text == "" {
				continue
			}
			s := shortened(line.text, line.style, area.Size().X)
			area.Max.Y -= line.style.Font.Size
			dc.FillText(line.style, vg.Point{X: area.Min.X, Y: area.Max.Y}, s)
			area.Max.Y -= gap / 2
		}
		area.Max.Y -= gap / 2
	})

	points, drawn, of := c.thin()
	caption := ""
	if drawn < of {
		caption = fmt.Sprintf("%s of %s points are drawn; dense areas are thinned",
			number(float64(drawn)), number(float64(of)))
	} else if c.bars && of > len(c.series) {
		caption = "bars are medians"
	}
	if caption != "" {
		group(dc, "caption", "", "", func() { dc.FillText(styleOf(textSize-1, note), area.Min, caption) })
		area.Min.Y += textSize + gap
	}

	// The legend and the plot.
	p, names, entries := c.plot(area, points, drawn)
	area = c.drawLegend(area, entries)
	p.Draw(draw.Crop(area, 0, -names.gutter(p, area), 0, 0))
}

// plot returns the plot, the names of its curves, which are drawn with it, and the entries of its
// legend.
func (c *Chart) plot(area draw.Canvas, points [][]point, drawn int) (*plot.Plot, *ends, []entry) {
	p := plot.New()
	p.BackgroundColor = nil
	c.x.set(&p.X, area.Size().X)
	c.y.set(&p.Y, area.Size().Y)
	p.Add(grid{bars: c.bars})

	var entries []entry
	var behind, front, lines []plot.Plotter
	names := &ends{}
	for i, s := range c.series {
		id := fmt.Sprintf("series-%d", i+1)
		dots := &marks{series: s, points: points[i], shape: i, color: s.colorOf(i), id: id}
		if drawn <= titledPoints {
			dots.title = c.describe
		}
		entries = append(entries, entry{name: s.name, thumbnail: dots})

		switch {
		case c.bars:
			front = append(front, c.barOf(s, i, dots))
		case s.others: // the points of many uids must not cover the others
			behind = append(behind, dots)
		default:
			front = append(front, dots)
		}

		for j, curve := range s.curves {
			dashes := dashesOf(slices.Index(c.kinds, curve.kind))
			l := &line{
				curve: curve,
				style: draw.LineStyle{Color: s.colorOf(i), Width: 1.6, Dashes: dashes},
				label: shortened(curve.kind, styleOf(textSize, color.Black), area.Size().X/6),
				id:    fmt.Sprintf("%s-model-%d", id, j+1),
				title: s.name + ": " + curve.name,
			}
			lines = append(lines, l)
			entries = append(entries, entry{name: curve.name, thumbnail: l, indent: true})
			names.lines = append(names.lines, l)
		}
	}

	p.Add(behind...)
	p.Add(front...)
	p.Add(lines...)
	p.Add(names)
	if c.bars {
		c.nameBars(p, area.Size().X)
	}
	return p, names, entries
}

// describe returns the title of a point.
func (c *Chart) describe(s *series, p point) string {
	amount := fmt.Sprintf("%s: %s %v", s.name, c.y.name, p.Y)
	if c.y.unit != "" {
		amount += " " + spelled(c.y.unit)
	}
	if c.bars {
		return amount
	}
	return fmt.Sprintf("%s, %s %v", amount, c.x.name, p.X)
}

// set makes the picture's axis show this one.
func (a *axis) set(to *plot.Axis, length vg.Length) {
	for _, style := range []*text.Style{&to.Label.TextStyle, &to.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	to.Label.TextStyle.Font.Size = labelSize
	to.Tick.Label.Font.Size = textSize
	to.Label.Padding, to.Padding = 4, 4

	to.Label.Text = shortened(a.label, to.Label.TextStyle, length)
	to.Min, to.Max, to.Tick.Marker = a.lo, a.hi, a
	if a.log {
		to.Scale = logScale{}
	}
}

// nameBars puts the series' names below their bars.
func (c *Chart) nameBars(p *plot.Plot, width vg.Length) {
	const ofPlot = 0.8 // the rest is the vertical axis and space between names
	var names plot.ConstantTicks
	for i, s := range c.series {
		name := shortened(s.name, p.X.Tick.Label, width*ofPlot/vg.Length(len(c.series)))
		names = append(names, plot.Tick{Value: float64(i), Label: name})
	}
	p.X.Tick.Marker = names
	p.X.Tick.Length = 0
}

// thin returns the points of each series that are drawn: where many are close together, one. It
// also returns how many of how many that are.
func (c *Chart) thin() (points [][]point, drawn, of int) {
	for _, s := range c.series {
		points = append(points, s.points)
		of += len(s.points)
	}
	drawn = of
	for size := 0.001; drawn > maxPoints && size < 1; size *= 1.25 {
		drawn = 0
		for i := range points {
			points[i] = c.thinned(points[i], size)
			drawn += len(points[i])
		}
	}
	return points, drawn, of
}

// thinned returns the first point in each rectangle, whose sides are that part of the axes.
func (c *Chart) thinned(points []point, size float64) []point {
	taken := map[[2]int]bool{}
	var few []point
	for _, p := range points {
		at := [2]int{int(c.x.norm(p.X) / size), int(c.y.norm(p.Y) / size)}
		if !taken[at] {
			taken[at] = true
			few = append(few, p)
		}
	}
	return few
}

// shortened returns s cleaned, and without its middle if it is wider than width.
func shortened(s string, style text.Style, width vg.Length) string {
	r := []rune(cleaned(s))
	const most = 300
	if n := len(r); n > most {
		r = slices.Concat(r[:most/2], []rune("…"), r[n-most/2:])
	}
	for s = string(r); style.Width(s) > width && len(r) > 2; s = string(r) {
		half := (len(r) - 1) / 2
		r = slices.Concat(r[:half], []rune("…"), r[len(r)-half+1:])
	}
	return s
}

// cleaned returns s with spaces in place of characters that pictures can't show.
func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
