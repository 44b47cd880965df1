package plot

import (
	"fmt"
	"slices"

	"perfdata/internal/svg"
)

// An entry is a line of the legend: of a series, or of its curve.
type entry struct {
	name   string // shortened
	series int
	curve  *curve
}

// indent returns how far the name is to the right of those of series.
func (e entry) indent() float64 {
	if e.curve == nil {
		return 0
	}
	return indent
}

// A legend is laid out before the picture begins.
type legend struct {
	entries  []entry
	at       box
	rows     int
	column   float64 // its width
	textSize float64
	height   float64 // of a row
}

const (
	swatch = 40 // the width of a line in the legend
	indent = 14 // of a curve's name
)

// newLegend lays the legend out, and takes its part of the area. If it is too long, its text becomes
// smaller.
func (d *drawing) newLegend() *legend {
	c := d.chart
	l := &legend{textSize: textSize}
	if c.options.Legend == LegendNone || c.bars { // bars have their names below them
		return l
	}
	widest, most := 0.0, d.area.width()/4
	if c.options.Legend == LegendBottom {
		most = d.area.width() - swatch - indent - 2*gap
	}
	add := func(name string, series int, curve *curve) {
		e := entry{svg.Shorten(name, textSize, min(maxLegend, most)), series, curve}
		l.entries = append(l.entries, e)
		widest = max(widest, e.indent()+svg.Width(e.name, textSize))
	}
	for i, s := range c.series {
		add(s.name, i, nil)
		for _, curve := range s.curves {
			add(curve.name, i, curve)
		}
	}
	l.column = swatch + gap/2 + widest + gap

	// Choose the rows and their height.
	columns, limit := 1, d.area.height()
	if c.options.Legend == LegendBottom {
		columns, limit = max(1, int(d.area.width()/l.column)), limit/2
	}
	l.rows = (len(l.entries) + columns - 1) / columns
	l.height = min(lineHeight, limit/float64(l.rows))
	l.textSize = min(textSize, l.height/lineHeight*textSize)

	l.at = d.area
	if c.options.Legend == LegendBottom {
		l.at.top = d.area.bottom - l.height*float64(l.rows)
		d.area.bottom = l.at.top - gap
	} else {
		l.at.left = d.area.right - l.column + gap
		d.area.right = l.at.left - gap
	}
	return l
}

func (l *legend) draw(d *drawing) {
	if len(l.entries) == 0 {
		return
	}
	c := d.chart
	d.Group("legend", "", "", func() {
		for i, e := range l.entries {
			x := l.at.left + float64(i/l.rows)*l.column
			middle := l.at.top + (float64(i%l.rows)+.5)*l.height
			s := c.series[e.series]
			fmt.Fprintf(d, "<g class=\"%s\">", s.class(e.series))
			if e.curve != nil {
				d.Path(c.lineClass(e.curve), svg.Line([2]float64{x, middle}, [2]float64{x + swatch, middle}))
			} else if len(s.points) > 0 {
				d.Path("mark", shape(e.series, x+swatch/2, middle))
			}
			d.Text("", x+swatch+gap/2+e.indent(), middle+l.textSize*.35, "", e.name)
			d.WriteString("</g>\n")
		}
	})
}

// lineClass returns the classes of a curve: its dashes show the kind of the model.
func (c *Chart) lineClass(of *curve) string {
	if i := slices.Index(c.kinds, of.kind) % dashes; i > 0 {
		return fmt.Sprintf("line k%d", i)
	}
	return "line"
}
