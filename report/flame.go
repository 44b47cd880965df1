package report

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/svg"
)

// A Flame is what a flame graph shows: how much each function took, and which functions called it.
type Flame struct {
	Title  string // above the picture
	Note   string // below the title, such as where the values come from
	Unit   string // of the values, such as ns or B; may be empty
	Stacks []Stack
}

// A Stack is a value with the functions that took it.
type Stack struct {
	Frames []Frame // the outermost first
	Value  float64 // finite, and not negative
}

// A Frame is a call of a function. Calls of one function by the same callers are one box.
type Frame struct {
	Name string // with File, identifies the function
	File string // may be empty
	Line int64  // or 0; people see it when they point at the box
}

// WriteFlame writes a flame graph as SVG: a file that works by itself, without a network, in a light
// and a dark theme. Its root is at the top: the outermost function, or "all" if there are several.
// Below a box are the functions that it called, the largest first. The color of a box depends on its
// name only. A tooltip has its whole name, place, value and share; a script, which the picture works
// without, shows a box that is clicked in the whole width, and searches. The same Flame gives the same
// bytes.
//
// Boxes that are too small to see, and levels below the 500th, are not drawn; the picture says so.
// All texts are text in the picture: nothing of them is markup, and characters that hide or reorder
// text are shown as their escapes.
//
// It is an error if a value is negative or not finite, or if no value is above 0.
func WriteFlame(out io.Writer, f *Flame) error {
	d := &flameDrawing{unit: f.Unit, own: map[string]float64{}}
	root, err := d.tree(f.Stacks)
	if err != nil {
		return err
	}

	// The drawn boxes decide the height of the picture, and whether it has a caption.
	d.total = root.value
	levels := d.draw(root, 0, 0)
	caption := ""
	if hidden := d.boxes; hidden > 0 {
		caption = plural(hidden, "box is", "boxes are") + " too small or too deep to be drawn"
	}
	note := d.amount(root.value)
	if f.Note != "" {
		note += " · " + f.Note
	}
	style, err := web.ReadFile("web/flame.css")
	script, failure := web.ReadFile("web/flame.js")
	if err = errors.Join(err, failure); err != nil {
		return err
	}

	var p svg.Picture
	fmt.Fprintf(&p, `<svg xmlns="http://www.w3.org/2000/svg" class="flame" width="%d" height="%d" role="img"`+
		" aria-labelledby=\"title desc\">\n", flameWidth, flameTop+levels*flameRow+flameBottom)
	fmt.Fprintf(&p, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n<style>\n%s</style>\n",
		svg.Escape(f.Title), svg.Escape(d.describe(note, caption)), style)
	p.WriteString("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n")
	p.Text("heading", flameMargin, 26, "", svg.Shorten(f.Title, mostTitle))
	p.Text("soft", flameMargin, 46, "", note)
	fmt.Fprintf(&p, "<svg x=\"1%%\" y=\"%d\" width=\"98%%\" height=\"%d\">\n", flameTop, levels*flameRow)
	p.Write(d.Bytes())
	p.WriteString("</svg>\n")
	if caption != "" {
		p.Text("soft caption", flameMargin, float64(flameTop+levels*flameRow+18), "", caption)
	}
	fmt.Fprintf(&p, "<script><![CDATA[%s]]></script>\n</svg>\n", script)
	_, err = p.WriteTo(out)
	return err
}

// Sizes, in pixels.
const (
	flameWidth  = 1280
	flameMargin = 12
	flameTop    = 60
	flameBottom = 26
	flameRow    = 20
)

const (
	maxLevels = 500
	minShare  = 0.0002 // of the width: a quarter of a pixel
	maxLines  = 5      // of a function, in a tooltip
	mostTitle = 100    // characters
	mostName  = 80     // characters, in the description
)

// A flameBox is a function with its callers.
type flameBox struct {
	Frame
	value, own float64
	lines      []int64 // the first different ones, and one more than people see if there are more
	children   map[Frame]*flameBox
}

// tree returns the outermost box.
func (d *flameDrawing) tree(stacks []Stack) (*flameBox, error) {
	all := &flameBox{Frame: Frame{Name: "all"}}
	d.boxes = 1
	for i, s := range stacks {
		if special(s.Value) != 0 || s.Value < 0 {
			return nil, fmt.Errorf("stack %d has the value %v: a flame graph shows finite values from 0 up", i+1, s.Value)
		}
		if s.Value > 0 {
			d.add(all, s)
		}
	}
	switch {
	case special(all.value) != 0:
		return nil, errors.New("the sum of the values is too large")
	case all.value == 0:
		return nil, errors.New("there is nothing to draw: no value is above 0")
	case len(all.children) == 1 && all.own == 0:
		for _, only := range all.children {
			d.boxes--
			return only, nil
		}
	}
	return all, nil
}

// add adds a stack below the box.
func (d *flameDrawing) add(b *flameBox, s Stack) {
	b.value += s.Value
	for _, frame := range s.Frames {
		key := Frame{Name: frame.Name, File: frame.File}
		child := b.children[key]
		if child == nil {
			d.boxes++
			child = &flameBox{Frame: key}
			if b.children == nil {
				b.children = map[Frame]*flameBox{}
			}
			b.children[key] = child
		}
		if frame.Line != 0 && len(child.lines) <= maxLines && !slices.Contains(child.lines, frame.Line) {
			child.lines = append(child.lines, frame.Line)
		}
		child.value += s.Value
		b = child
	}
	b.own += s.Value
	d.own[b.Name] += s.Value
}

// A flameDrawing is a flame graph while its boxes are drawn.
type flameDrawing struct {
	svg.Picture
	unit  string
	total float64
	own   map[string]float64 // the amounts of functions without their callees, by name
	boxes int                // that are not drawn yet
}

// draw draws a box and all below it that are large enough, and returns how many levels they have, with
// those above. Places are in percent: the picture fits any window, and text keeps its size. A box is an
// svg element, which clips its text.
func (d *flameDrawing) draw(b *flameBox, left float64, level int) (levels int) {
	const mostShown = 200 // characters, more than fit
	name := b.Name
	if r := []rune(name); len(r) > mostShown {
		name = string(r[:mostShown]) + "…"
	}
	d.boxes--
	const hues = 8 // of flame.css
	hash := fnv.New32a()
	io.WriteString(hash, b.Name)
	fmt.Fprintf(d, "<g class=\"box f%d\"><title>%s</title>", hash.Sum32()%hues, d.tooltip(b))
	fmt.Fprintf(d, "<svg x=\"%s%%\" y=\"%d\" width=\"%s%%\" height=\"%d\">", flamePlace(left/d.total), level*flameRow,
		flamePlace(b.value/d.total), flameRow)
	fmt.Fprintf(d, "<rect width=\"100%%\" height=\"100%%\"/><text x=\"5\" y=\"14\">%s</text></svg></g>\n",
		svg.Escape(name))

	level++
	if levels = level; level == maxLevels {
		return levels
	}
	for _, child := range slices.SortedFunc(maps.Values(b.children), func(x, y *flameBox) int {
		return cmp.Or(cmp.Compare(y.value, x.value), cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File))
	}) {
		if child.value/d.total < minShare {
			break
		}
		levels = max(levels, d.draw(child, left, level))
		left += child.value
	}
	return levels
}

// flamePlace returns a share of the width in percent. Zooming shows the digits.
func flamePlace(share float64) string {
	const percent, digits = 100, 1e5
	return strconv.FormatFloat(math.Round(share*percent*digits)/digits, 'f', -1, 64)
}

// tooltip returns what people see who point at the box, escaped.
func (d *flameDrawing) tooltip(b *flameBox) string {
	text, separator := svg.Escape(b.Name)+"\n", ":"
	if b.File != "" || len(b.lines) > 0 {
		text += svg.Escape(b.File)
		for i, n := range slices.Sorted(slices.Values(b.lines)) {
			if i == maxLines {
				text += ", …"
				break
			}
			text += separator + strconv.FormatInt(n, 10)
			separator = ", "
		}
		text += "\n"
	}

	value := d.amount(b.value) + ", " + d.share(b.value)
	if b.own > 0 && len(b.children) > 0 {
		value += "; itself " + d.amount(b.own) + ", " + d.share(b.own)
	}
	return text + svg.Escape(value)
}

func (d *flameDrawing) share(v float64) string {
	return strconv.FormatFloat(v/d.total*100, 'g', 3, 64) + "%"
}

// amount returns a value for people: 1.5 KiB, 20 ms.
func (d *flameDrawing) amount(v float64) string {
	size, name := svg.Unit(d.unit, v)
	return strings.TrimSpace(short(v/size) + " " + shown(name))
}

// describe returns the picture in words.
func (d *flameDrawing) describe(note, caption string) string {
	const most = 5
	names := slices.SortedFunc(maps.Keys(d.own), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.own[b], d.own[a]), cmp.Compare(a, b))
	})
	var shares []string
	for _, name := range names[:min(most, len(names))] {
		shares = append(shares, fmt.Sprintf("%s %s", svg.Shorten(name, mostName), d.share(d.own[name])))
	}
	text := fmt.Sprintf("Flame graph. %s. Most, without what they call: %s.", note, strings.Join(shares, ", "))
	if caption != "" {
		text += " " + caption + "."
	}
	return text
}
