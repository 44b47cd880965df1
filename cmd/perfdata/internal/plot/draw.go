package plot

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"perfdata/internal/message"
	"perfdata/internal/svg"
)

// Sizes, in pixels.
const (
	margin      = 18
	gap         = 12 // between the parts of a picture
	titleSize   = 18
	textSize    = 13
	lineHeight  = 18
	maxLegend   = 330 // the width of its texts
	radius      = 3.3 // of a point
	tickLength  = 6
	barsOfSpace = 0.6
)

// maxPoints is the number of points that are drawn. Each takes about 50 bytes of SVG.
const maxPoints = 5000

// titledPoints is the number of points up to which each has a title of its own.
const titledPoints = 500

// A box is a part of the picture. Bottom is below top.
type box struct{ left, top, right, bottom float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.bottom - b.top }

// A drawing is a chart while it is drawn.
type drawing struct {
	*svg.Picture
	chart *Chart
	area  box // what the parts drawn so far leave
	plot  box // inside the axes
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
		message.Plural(points, "resource"), message.Plural(curves, "model"), message.Plural(len(c.series), "uid"), c.subtitle)

	d := &drawing{chart: c, area: box{margin, margin, float64(w) - margin, float64(h) - margin}}
	drawnPoints, drawn, of := c.thin()
	caption := ""
	if drawn < of {
		caption = fmt.Sprintf("%s of %s points are drawn; dense areas are thinned",
			number(float64(drawn)), number(float64(of)))
	} else if c.bars && of > len(c.series) {
		caption = "bars are medians"
	}

	// The size of the legend's text is part of the style, which comes first.
	top := d.titleHeight()
	d.area.top += top
	if caption != "" {
		d.area.bottom -= lineHeight
	}
	legend := d.newLegend()
	d.Picture = svg.New(svg.Head{
		Class: "plot", Width: w, Height: h, Scales: true, Title: c.title, Description: description,
		Style: style(legend.textSize),
	})
	d.titles()
	if caption != "" {
		d.Group("caption", "", "", func() { d.Text("soft", margin, float64(h)-margin, "", caption) })
	}
	legend.draw(d)
	d.layOut()
	d.axes()
	d.marks(drawnPoints, drawn <= titledPoints)
	_, err := d.WriteTo(out)
	return err
}

// style returns the CSS of a chart.
func style(legendSize float64) string {
	var b strings.Builder
	b.WriteString(`.axis,.grid,.line,.pointer{fill:none}
.axis{stroke:#57606a}
.grid{stroke:#e4e8ec}
.mark{fill:currentColor;fill-opacity:.7}
.point:hover .mark{fill-opacity:1;stroke:currentColor;stroke-width:3}
.bar .mark{fill-opacity:1}
.bar .light{fill-opacity:.3}
.line{stroke:currentColor;stroke-width:2.4;stroke-linejoin:round}
.model:hover .line{stroke-width:4.5}
.pointer{stroke:currentColor;stroke-width:.75}
.name{fill:currentColor}
`)
	fmt.Fprintf(&b, ".legend text{font-size:%spx}\n", svg.Number(legendSize))
	for i, pattern := range []string{
		"9 4.5", "2.2 3.8", "12 4.5 2.2 4.5", "18 6", "4.5 3", "12 3 2.2 3 2.2 3", "2.2 7.5", "21 4.5 6 4.5",
	} {
		fmt.Fprintf(&b, ".k%d{stroke-dasharray:%s}\n", i+1, pattern)
	}
	b.WriteString(svg.Dark(".axis{stroke:#9aa7b4}\n.grid{stroke:#252d37}\n"))
	return b.String() + svg.PaletteStyle()
}

const dashes = 9 // kinds of lines, with the one without gaps

// class returns the class of the i-th series, which sets its color.
func (s *series) class(i int) string {
	if s.others {
		return "others"
	}
	return fmt.Sprintf("s%d", i%svg.Palette)
}

// size returns the picture's size in pixels.
func (c *Chart) size() (w, h int) {
	return cmp.Or(c.options.Width, DefaultWidth), cmp.Or(c.options.Height, DefaultHeight)
}

// titleHeight returns the height of the texts above the plot.
func (d *drawing) titleHeight() (height float64) {
	if d.chart.title != "" {
		height += titleSize + gap/2
	}
	if d.chart.subtitle != "" {
		height += textSize + gap/2
	}
	return height + gap/2
}

func (d *drawing) titles() {
	y := float64(margin)
	w, _ := d.chart.size()
	width := float64(w) - 2*margin
	d.Group("title", "", "", func() {
		if text := d.chart.title; text != "" {
			y += titleSize - 2
			d.Text("heading", margin, y, "", svg.Shorten(text, titleSize, width))
			y += gap/2 + 2
		}
		if text := d.chart.subtitle; text != "" {
			y += textSize
			d.Text("soft", margin, y, "", svg.Shorten(text, textSize, width))
		}
	})
}

// layOut finds the place of the plot: the axes need room for their labels, and the names of curves
// stand at its right.
func (d *drawing) layOut() {
	c := d.chart
	widest := 0.0
	for _, t := range c.y.ticks {
		widest = max(widest, svg.Width(t.label, textSize))
	}
	d.plot = d.area
	d.plot.left += lineHeight + gap/2 + widest + tickLength + 3
	d.plot.bottom -= 2*lineHeight + tickLength
	d.plot.top += textSize / 2
	width := d.plot.width()

	right := 0.0
	for _, end := range d.ends() {
		if at := c.x.norm(end.at.X); at > 0.3 {
			right = max(right, (svg.Width(end.text, textSize)+gap-(1-at)*width)/at)
		}
	}
	if ticks := c.x.ticks; len(ticks) > 0 {
		right = max(right, svg.Width(ticks[len(ticks)-1].label, textSize)/2)
	}
	d.plot.right -= right
}

// x and y return the place of a value.
func (d *drawing) x(v float64) float64 { return d.plot.left + d.chart.x.norm(v)*d.plot.width() }
func (d *drawing) y(v float64) float64 { return d.plot.bottom - d.chart.y.norm(v)*d.plot.height() }

// axes draws the axes with their ticks, labels and grid.
func (d *drawing) axes() {
	c, p := d.chart, d.plot
	var grid, axis strings.Builder
	var labels svg.Picture
	move := func(to *strings.Builder, x, y float64, direction string, end float64) {
		to.WriteString("M" + svg.Number(x) + " " + svg.Number(y) + direction + svg.Number(end))
	}
	move(&axis, p.left, p.top, "V", p.bottom)
	move(&axis, p.left, p.bottom, "H", p.right)
	below := p.bottom + tickLength + textSize
	for _, t := range c.x.ticks {
		x, length := d.x(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			move(&grid, x, p.top, "V", p.bottom)
			labels.Text("soft", x, below, "middle", t.label)
		}
		move(&axis, x, p.bottom, "V", p.bottom+length)
	}
	for _, t := range c.y.ticks {
		y, length := d.y(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			move(&grid, p.left, y, "H", p.right)
			labels.Text("soft", p.left-tickLength-3, y+textSize*.35, "end", t.label)
		}
		move(&axis, p.left, y, "H", p.left-length)
	}
	for i, s := range c.series {
		if c.bars {
			labels.Text("", d.x(float64(i)), below, "middle", svg.Shorten(s.name, textSize, p.width()/float64(len(c.series))-4))
		}
	}

	d.Group("axes", "", "", func() {
		d.Path("grid", grid.String())
		d.Path("axis", axis.String())
		d.Write(labels.Bytes())
		d.Text("", (p.left+p.right)/2, below+lineHeight, "middle", svg.Shorten(c.x.label, textSize, p.width()))
		fmt.Fprintf(d, "<text transform=\"translate(%s %s)rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
			svg.Number(d.area.left+textSize), svg.Number((p.top+p.bottom)/2),
			svg.Escape(svg.Shorten(c.y.label, textSize, p.height())))
	})
}

// marks draws the points, bars and curves.
func (d *drawing) marks(points [][]point, titled bool) {
	c := d.chart
	for _, others := range []bool{true, false} { // the points of many uids must not cover the others
		for i, s := range c.series {
			switch {
			case s.others != others:
			case c.bars:
				d.bar(i, points[i], titled)
			default:
				d.points(i, points[i], titled)
			}
		}
	}
	for i, s := range c.series {
		for j, curve := range s.curves {
			d.curve(fmt.Sprintf("series-%d-model-%d", i+1, j+1), s, i, curve)
		}
	}
	d.endLabels()
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
