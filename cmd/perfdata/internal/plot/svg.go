package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svg is a canvas whose picture has groups with classes, ids and titles, which browsers show as
// tooltips.
type svg struct {
	*vgsvg.Canvas
	out bytes.Buffer
}

// newSVG returns an empty picture with a title and a description for people who can't see it.
func newSVG(w, h vg.Length, width, height int, title, description string) *svg {
	s := &svg{Canvas: vgsvg.New(w, h)}
	head := s.drain()

	// The canvas writes its size in points.
	tag, rest, _ := bytes.Cut(head, []byte("<g "))
	size := fmt.Sprintf(`width="%.5gpt" height="%.5gpt"`, w, h)
	inPixels := fmt.Sprintf(`width="%d" height="%d" role="img" aria-labelledby="title desc"`, width, height)
	s.out.Write(bytes.Replace(tag, []byte(size), []byte(inPixels), 1))
	fmt.Fprintf(&s.out, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n<g ",
		html.EscapeString(title), html.EscapeString(description))
	s.out.Write(rest)
	return s
}

// end is the text that the canvas writes last: the ends of the group that turns the picture upside
// down, and of the picture.
const end = "</g>\n</svg>\n"

// drain returns the text that was drawn after the last call.
func (s *svg) drain() []byte {
	var b bytes.Buffer
	s.Canvas.WriteTo(&b) // a Buffer gives no errors
	return bytes.TrimSuffix(b.Bytes(), []byte(end))
}

// WriteTo writes the picture.
func (s *svg) WriteTo(w io.Writer) (int64, error) {
	s.out.Write(s.drain())
	s.out.WriteString(end)

	// Where the font is missing, one with the same widths will do.
	const family = `style="font-family:Liberation Sans`
	picture := bytes.ReplaceAll(s.out.Bytes(), []byte(family+";"), []byte(family+",Arial,Helvetica,sans-serif;"))
	n, err := w.Write(picture)
	return int64(n), err
}

// group draws one group of the picture. Canvases other than svg have no groups. Empty attributes
// are left out.
func group(c draw.Canvas, class, id, title string, draws func()) {
	s := svgOf(c)
	if s == nil {
		draws()
		return
	}

	s.out.Write(s.drain())
	fmt.Fprintf(&s.out, "<g class=%q", class)
	if id != "" {
		fmt.Fprintf(&s.out, " id=%q", id)
	}
	s.out.WriteString(">")
	if title != "" {
		fmt.Fprintf(&s.out, "<title>%s</title>", html.EscapeString(title))
	}
	s.out.WriteString("\n")

	draws()
	s.out.Write(s.drain())
	s.out.WriteString("</g>\n")
}

// svgOf returns the svg that c draws on, or nil. A part of a canvas is a canvas around it.
func svgOf(c vg.Canvas) *svg {
	for {
		switch inner := c.(type) {
		case *svg:
			return inner
		case draw.Canvas:
			c = inner.Canvas
		default:
			return nil
		}
	}
}
