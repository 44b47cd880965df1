// Package svg writes the parts of pictures as SVG.
package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/chars"
	"perfdata/unit"
)

// A Picture collects the text of a picture.
type Picture struct{ bytes.Buffer }

// Text writes a line of text, whose baseline begins at a point; or ends or has its middle there, if
// the anchor is end or middle.
func (p *Picture) Text(class string, x, y float64, anchor, text string) {
	p.WriteString("<text")
	if class != "" {
		fmt.Fprintf(p, ` class="%s"`, Escape(class))
	}
	fmt.Fprintf(p, ` x="%s" y="%s"`, Number(x), Number(y))
	if anchor != "" {
		fmt.Fprintf(p, ` text-anchor="%s"`, Escape(anchor))
	}
	fmt.Fprintf(p, ">%s</text>\n", Escape(text))
}

// Path writes a path.
func (p *Picture) Path(class, d string) {
	if d != "" {
		fmt.Fprintf(p, "<path class=\"%s\" d=\"%s\"/>\n", Escape(class), Escape(d))
	}
}

// Escape returns a text as contents of an element or attribute. Control characters, and characters
// that reorder text, are shown as their escapes.
func Escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(chars.Visible(text))) // a Builder gives no errors
	return b.String()
}

// Number returns a coordinate in pixels, to a tenth.
func Number(v float64) string {
	if math.IsNaN(v) {
		v = 0
	}
	const farthest = 1e5 // renderers compute with float32
	v = math.Round(min(max(v, -farthest), farthest)*10) / 10
	return strconv.FormatFloat(v+0, 'f', -1, 64) // there is no -0
}

// Line returns a path from point to point.
func Line(points ...[2]float64) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(Number(p[0]) + " " + Number(p[1]))
	}
	return b.String()
}

// Shorten returns a text with hidden characters as their escapes, and without its middle if it has
// more than a number of characters.
func Shorten(text string, most int) string {
	r := []rune(chars.Visible(text))
	if len(r) <= most {
		return string(r)
	}
	half := (most - 1) / 2
	return string(r[:half]) + "…" + string(r[len(r)-half:])
}

// Unit returns the unit in which a value of a unit is short, and its size in the unit of the value.
// Only units of time and of bytes have others.
func Unit(of string, v float64) (size float64, name string) {
	u, _ := unit.Parse(of)
	var sizes []float64
	var names []string
	switch u.Quantity {
	case unit.Quantity{Of: "s"}:
		sizes, names = []float64{1, 1e-3, 1e-6, 1e-9}, []string{"s", "ms", "µs", "ns"}
	case unit.Quantity{Of: "B"}:
		sizes, names = []float64{1 << 40, 1 << 30, 1 << 20, 1 << 10, 1}, []string{"TiB", "GiB", "MiB", "KiB", "B"}
	default:
		return 1, of
	}
	i := slices.IndexFunc(sizes, func(size float64) bool { return v*u.Factor() >= size })
	if i < 0 {
		i = len(sizes) - 1
	}
	return sizes[i] / u.Factor(), names[i]
}
