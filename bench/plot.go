package main

import (
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plot writes two plots to an SVG file, side by side: time and memory. All scales are logarithmic,
// so that what grows in proportion is a straight line.
func (a *axis) plot(name string, series [][]point) error {
	times, err := a.panel("time, "+a.unit(), series, a.time)
	if err != nil {
		return err
	}
	memory, err := a.panel("memory, MiB", series, func(p point) float64 { return float64(p.memory) / (1 << 20) })
	if err != nil {
		return err
	}

	canvas := vgsvg.New(24*vg.Centimeter, 9*vg.Centimeter)
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter / 2}
	for i, row := range plot.Align([][]*plot.Plot{{times, memory}}, tiles, draw.New(canvas))[0] {
		[]*plot.Plot{times, memory}[i].Draw(row)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// panel returns a plot with a line for each reader.
func (a *axis) panel(title string, series [][]point, y func(point) float64) (*plot.Plot, error) {
	const least = 0.1 // a logarithmic scale has no zero
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = a.title, title
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())

	for i, points := range series {
		var xy plotter.XYs
		for _, point := range points {
			v := y(point)
			if title == "memory, MiB" {
				v = max(v, least)
			}
			xy = append(xy, plotter.XY{X: float64(point.value), Y: v})
		}
		if len(xy) == 0 {
			continue
		}

		line, marks, err := plotter.NewLinePoints(xy)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.2)
		marks.Color, marks.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, marks)
		p.Legend.Add(growthReaders[i].name, line, marks)
	}
	return p, nil
}
