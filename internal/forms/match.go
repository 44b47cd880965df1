package forms

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"perfdata/internal/number"
	"perfdata/internal/swar"
)

// An Input is the text that forms are compared with.
type Input struct {
	Bytes   []byte // from the value on, as far as they are in memory
	Offset  int64  // of Bytes in the input
	MaxText int    // length of the longest string or number that the parser accepts
}

// A NestedFunc returns the length of the nested value that b begins with, if the field with the
// tag can take it. It returns 0 if not, and a negative number if b ends too early to tell.
type NestedFunc func(tag Tag, b []byte) int

// Match compares the input with the form. If the input begins with a value of the form, Match
// returns the length of that value. Otherwise it returns 0, and whether that is only because the
// bytes end too early. It calls nested for the fields that were bound as Nested.
func (f *Form) Match(in *Input, nested NestedFunc) (n int, more bool) {
	if len(f.text) == 0 {
		return 0, false
	}

	rest := in.Bytes
	for k := 0; ; k++ {
		last := k == len(f.open)
		literal := f.tail
		if !last {
			literal = f.open[k].before
		}

		// The text before the hole.
		if !bytes.HasPrefix(rest, literal) {
			if f.openAt(rest, k, literal) {
				k-- // compare with the new hole, which is before this one
				continue
			}
			return 0, bytes.HasPrefix(literal, rest)
		}
		rest = rest[len(literal):]

		if last {
			f.in, f.offset = in.Bytes, in.Offset
			return len(in.Bytes) - len(rest), false
		}
		if len(rest) == 0 {
			return 0, true
		}

		// The text of the hole.
		o := &f.open[k]
		length := 0
		switch {
		case o.kind == Text:
			length = swar.PlainLen(rest, 0)
			if length < len(rest) && rest[length] != '"' {
				length = textLen(rest)
			}
			if length < len(rest) && rest[length] != '"' || length > in.MaxText {
				return 0, false
			}

		case o.kind == Number && (rest[0] == '-' || rest[0]-'0' <= 9):
			o.number, length = number.Parse(rest)
			if length == 0 || length > in.MaxText || math.IsInf(o.number, 0) {
				return 0, length == len(rest)
			}

		case o.kind == Nested:
			if length = nested(o.tag, rest); length <= 0 {
				return 0, length < 0
			}
		case o.kind == skimmed:
			length = skimmedLen(rest)
		}

		switch length {
		case 0:
			if o.kind != Text {
				return 0, false // a value of another kind
			}
		case len(rest):
			return 0, true // a string or number may go on
		}
		o.at, o.length = len(in.Bytes)-len(rest), length
		rest = rest[length:]
	}
}

// openAt opens the hole in which b begins to differ from part, the text before the i-th open
// hole. It returns false if there is none.
func (f *Form) openAt(b []byte, i int, part []byte) bool {
	n := 0
	for n < len(part) && n < len(b) && b[n] == part[n] {
		n++
	}
	if n == len(b) || n == len(part) {
		return false // no difference
	}

	// The first hole that ends at the difference or after it.
	from := 0
	if i > 0 {
		from = f.open[i-1].end
	}
	at := from + n
	k, _ := slices.BinarySearchFunc(f.holes, at, func(h hole, at int) int { return h.end - at })
	if k == len(f.holes) {
		return false
	}
	h := &f.holes[k]
	if h.kind == Number || at < h.start || h.start < from || h.end >= from+len(part) {
		return false // the difference is not in a closed hole of this part
	}

	before, after := part[:h.start-from], part[h.end-from:]
	if i == len(f.open) {
		f.tail = after
	} else {
		f.open[i].before = after
	}
	f.open = slices.Insert(f.open, i, openHole{hole: *h, before: before})
	return true
}

// textLen returns the index of the quote that ends the text at the beginning of b, or len(b) if
// there is none. If the text has an escape sequence or is not valid, it returns the index of
// another byte.
func textLen(b []byte) int {
	i, ascii := 0, true
	for ; i < len(b) && b[i] != '"'; i++ {
		if b[i] < ' ' || b[i] == '\\' {
			return i
		}
		ascii = ascii && b[i] < utf8.RuneSelf
	}
	if !ascii && i < len(b) && !utf8.Valid(b[:i]) {
		return 0
	}
	return i
}
