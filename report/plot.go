package report

import (
	"io"
	"slices"
)

// A Plot is what a page of points or bars, and of curves, shows. It belongs to the caller, and WritePlot
// only reads it. All numbers must be finite, and positive on a logarithmic axis.
type Plot struct {
	Title string `json:"title"`
	Note  string `json:"note"` // below the title, such as where the values come from

	// Description says in words what the plot shows, and what it leaves out.
	Description string `json:"-"`

	X      PlotAxis     `json:"x"`
	Y      PlotAxis     `json:"y"`
	Bars   bool         `json:"bars"` // each series has a bar as high as its median; the x of points is its index
	Series []PlotSeries `json:"series"`

	Legend string `json:"legend"` // right, bottom or none
	Width  int    `json:"width"`  // in pixels, at most
	Height int    `json:"height"`
}

// A PlotAxis is one of the two axes.
type PlotAxis struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"` // may be empty
	Log      bool    `json:"log"`
	Integers bool    `json:"integers"` // all values are whole numbers
	Lo       float64 `json:"lo"`       // the axis shows the values from Lo to Hi, with some room
	Hi       float64 `json:"hi"`
}

// A PlotSeries is the points and curves of one color.
type PlotSeries struct {
	Name   string      `json:"name"`
	Others bool        `json:"others,omitempty"` // it stands for many, and is drawn below the others
	Points []PlotPoint `json:"points,omitempty"`
	Median float64     `json:"median,omitempty"` // if there are bars
	Curves []PlotCurve `json:"curves,omitempty"`
}

// A PlotPoint is x and y.
type PlotPoint [2]float64

// A PlotCurve is a line with gaps between its parts.
type PlotCurve struct {
	Kind  string        `json:"kind"` // of the same dashes; stands at the end of the curve
	Name  string        `json:"name"` // in the legend
	Parts [][]PlotPoint `json:"parts"`
}

// WritePlot writes a plot as a page of HTML, which works by itself, without a network. It shows the
// point at the cursor and enlarges a part, and saves the picture as SVG and PNG.
func WritePlot(w io.Writer, p *Plot) error {
	page := *p
	page.Series = slices.Clone(p.Series)
	for i := range page.Series {
		s := &page.Series[i]
		s.Name, s.Curves = shown(s.Name), slices.Clone(s.Curves)
		for j := range s.Curves {
			s.Curves[j].Kind, s.Curves[j].Name = shown(s.Curves[j].Kind), shown(s.Curves[j].Name)
		}
	}

	for _, text := range []*string{&page.Title, &page.Note, &page.Description,
		&page.X.Name, &page.X.Unit, &page.Y.Name, &page.Y.Unit} {
		*text = shown(*text)
	}

	d := document{
		styles: []string{"page", "plot"}, scripts: []string{"elements", "words", "colors", "export", "plot"},
		title: p.Title, allowed: "; img-src blob:", template: "plot", body: page, id: "data", data: page,
	}
	return d.write(w)
}
