package forms

import "slices"

// A Form is the text of a value that was read, with a hole for each bound field. The zero Form
// matches nothing.
//
// A hole that takes a string is closed at first: its text is compared with the text around it, in
// one step. It opens when it is first seen to differ.
type Form struct {
	text  []byte
	holes []hole     // in the order of the text
	open  []openHole // in the order of the text
	tail  []byte     // text after the last open hole

	refused bool // the value that is being learned cannot become a form

	in     []byte // what the last match begins
	offset int64  // of the last match
}

// A Kind is what a hole takes.
type Kind byte

const (
	Text    Kind = iota // the text of a JSON string without escape sequences
	Number              // a JSON number in the range of float64
	Nested              // a value that a NestedFunc accepts
	skimmed             // bytes of a number, not parsed
)

// A Tag says which field a hole is, in the parser's own numbers: for example the value of the
// third param.
type Tag struct{ Field, Index int }

// A hole is a bound field in a form's text.
type hole struct {
	start, end int // in text
	from       int // in text: where the part of the value begins whose offset Start returns
	kind       Kind
	tag        Tag
}

// An openHole is a hole that may differ, and what the last match has in it.
type openHole struct {
	hole
	before []byte // text since the open hole before it

	at     int // where the match has it, in Form.in
	length int // there
	number float64
}

// usualHoles is how many holes most forms have at most.
const usualHoles = 16

// maxHoles is how many holes a form can have. A value that has more gains little from a form,
// which would take much memory.
const maxHoles = 20_000

// Forget makes f match nothing. It keeps the memory.
func (f *Form) Forget() {
	f.text, f.holes, f.open, f.refused = f.text[:0], f.holes[:0], f.open[:0], false
}

// Learn begins to make f a form of a value that is read next. Bind and Learned follow.
func (f *Form) Learn() { f.Forget() }

// Bind makes a hole of what was read between two indices in the text of the value. The hole
// belongs to a part of the value that begins at the index from. Holes must come in the order of
// the text and must not overlap; otherwise the value does not become a form.
func (f *Form) Bind(kind Kind, tag Tag, from, start, end int) {
	n := len(f.holes)
	if n == maxHoles || n > 0 && start < f.holes[n-1].end {
		f.refused = true
	}
	if !f.refused {
		if n == 0 {
			f.holes = slices.Grow(f.holes, usualHoles)
		}
		f.holes = append(f.holes, hole{start: start, end: end, from: from, kind: kind, tag: tag})
	}
}

// Refuse says that the value that is being learned cannot become a form.
func (f *Form) Refuse() { f.refused = true }

// Learned ends what Learn began, and returns whether f is a form of the value, whose text is
// copied. A value without bound fields does not become one.
func (f *Form) Learned(text []byte) bool {
	if f.refused || len(f.holes) == 0 {
		f.Forget()
		return false
	}
	f.text = append(f.text[:0], text...)

	// Numbers nearly always differ.
	f.open = slices.Grow(f.open, len(f.holes))
	done := 0
	for _, h := range f.holes {
		if h.kind == Number || h.kind == skimmed {
			f.open = append(f.open, openHole{hole: h, before: f.text[done:h.start]})
			done = h.end
		}
	}
	f.tail = f.text[done:]
	return true
}

// Changes returns how many fields may have changed in the last match. All others have the text
// that was learned.
func (f *Form) Changes() int { return len(f.open) }

// Tag returns the tag of the i-th of these fields.
func (f *Form) Tag(i int) Tag { return f.open[i].tag }

// Text returns the text of the i-th of these fields: of a string without its quotes. The bytes
// are part of the input.
func (f *Form) Text(i int) []byte {
	o := &f.open[i]
	return f.in[o.at : o.at+o.length]
}

// Number returns the value of the i-th of these fields, a number.
func (f *Form) Number(i int) float64 { return f.open[i].number }

// Offset returns the offset of the last match.
func (f *Form) Offset() int64 { return f.offset }

// Start returns the offset of the part of the value that the i-th of these fields was bound to.
func (f *Form) Start(i int) int64 {
	from := f.open[i].from
	for i > 0 {
		i--
		if o := &f.open[i]; o.end <= from {
			return f.offset + int64(o.at+o.length+from-o.end)
		}
	}
	return f.offset + int64(from)
}
