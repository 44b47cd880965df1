package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry is a line of the legend.
type entry struct {
	name      string
	thumbnail plot.Thumbnailer
	indent    bool
}

// drawLegend draws the legend into the area, and returns the rest of the area. If the legend is too
// long, its text becomes smaller.
func (c *Chart) drawLegend(area draw.Canvas, entries []entry) draw.Canvas {
	place := c.options.Legend
	if place == LegendNone || c.bars { // bars have their names below them
		return area
	}
	const thumbnail = 36
	style := styleOf(textSize, color.Black)

	// Names have spaces that SVG doesn't collapse before them.
	const space = "\u00a0"
	var widest vg.Length
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = space + shortened(e.name, style, min(maxLegend, area.Size().X/4))
		if e.indent {
			names[i] = space + space + space + names[i]
		}
		widest = max(widest, style.Width(names[i]))
	}
	column := thumbnail + widest + 2*gap

	// Choose the rows and their height.
	columns, limit := 1, area.Size().Y
	if place == LegendBottom {
		columns, limit = max(1, int(area.Size().X/column)), limit/2
	}
	rows := (len(entries) + columns - 1) / columns
	const lineHeight = 1.4
	style.Font.Size = min(textSize, limit/vg.Length(rows)/lineHeight)
	height := vg.Length(rows) * style.Font.Size * lineHeight

	at, rest := area, area
	if place == LegendBottom {
		at.Max.Y = area.Min.Y + height
		rest.Min.Y = at.Max.Y + gap
	} else {
		at.Min.X = area.Max.X - column + gap
		rest.Max.X = at.Min.X - gap
	}

	group(area, "legend", "legend", "", func() {
		for first := 0; first < len(entries); first += rows {
			legend := plot.NewLegend()
			legend.Top, legend.Left = true, true
			legend.TextStyle = style
			legend.ThumbnailWidth = thumbnail
			for i := first; i < min(first+rows, len(entries)); i++ {
				legend.Add(names[i], entries[i].thumbnail)
			}
			legend.Padding = height/vg.Length(rows) - style.Rectangle(names[0]).Max.Y
			legend.Draw(at)
			at.Min.X += column
		}
	})
	return rest
}
