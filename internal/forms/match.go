package forms

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
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
// tag can take it in a value of the form. It returns 0 if not, and a negative number if b ends too
// early to tell.
type NestedFunc func(form int, tag Tag, b []byte) int

// A Match is what a value has in the open holes of its form. It is valid until the next one.
type Match struct {
	Form   int // number of the form
	Length int // of the value

	in     []byte // what the value begins
	offset int64  // of the value
	fields []field
	open   int // number of fields that are used
}

// A field is what is in an open hole.
type field struct {
	tag        Tag
	start, end int // in Match.in
	number     float64
	node       *node
}

// reserve makes room for so many fields.
func (m *Match) reserve(fields int) {
	if fields > len(m.fields) {
		m.fields = make([]field, fields)
	}
}

// Changes returns how many fields may have changed. All others have the text that was learned.
func (m *Match) Changes() int { return m.open }

// Tag returns the tag of the i-th of these fields.
func (m *Match) Tag(i int) Tag { return m.fields[i].tag }

// Text returns the text of the i-th of these fields: of a string without its quotes. The bytes
// are part of the input.
func (m *Match) Text(i int) []byte {
	f := &m.fields[i]
	return m.in[f.start:f.end]
}

// Number returns the value of the i-th of these fields, a number.
func (m *Match) Number(i int) float64 { return m.fields[i].number }

// Offset returns the offset of the value.
func (m *Match) Offset() int64 { return m.offset }

// Start returns the offset of the part of the value that the i-th of these fields was bound to.
func (m *Match) Start(i int) int64 {
	from := m.fields[i].node.from
	for i > 0 {
		i--
		f := &m.fields[i]
		if end := f.node.end; end <= from {
			return m.offset + int64(f.end+from-end)
		}
	}
	return m.offset + int64(from)
}

// Match compares the input with the forms. If the input begins with a value of one of them, Match
// returns what it has in the holes. Otherwise it returns nil, and whether that is only because the
// bytes end too early. It calls nested for the fields that were bound as Nested.
func (t *Set) Match(in *Input, nested NestedFunc) (m *Match, more bool) {
	for t.root.child != nil {
		var last *node
		for n := t.root.child; n != nil; last, n = n, n.sibling {
			matches, moreHere := t.follow(n, in, nested)
			if matches {
				t.root.moveToFront(last, n)
				t.misses = max(t.misses-4, 0)
				return &t.match, false
			}
			more = more || moreHere
		}
		if more || !t.open(&t.root, in.Bytes) {
			break
		}
	}
	return nil, more
}

// follow compares the input with the forms that begin with the node n.
func (t *Set) follow(n *node, in *Input, nested NestedFunc) (matches, more bool) {
	m, pos := &t.match, 0
	m.open = 0
	for parent := &t.root; ; {
		end, number := n.take(in, pos, nested)
		if end <= 0 && parent != &t.root {
			n, end, number = t.takeOther(parent, in, pos, nested)
		}
		if end <= 0 {
			return false, end < 0
		}
		if n.kind == noHole {
			m.Form, m.Length, m.in, m.offset = n.form, end, in.Bytes, in.Offset
			return true, false
		}

		f := &m.fields[m.open]
		f.tag, f.start, f.end, f.number, f.node = n.tag, pos+len(n.before), end, number, n
		m.open++
		pos, parent, n = end, n, n.child
	}
}

// take compares the input, from pos on, with the node. It returns the end of the node's hole in the
// input, and its number. The end is 0 if the input differs, and negative if it ends too early to
// tell.
func (n *node) take(in *Input, pos int, nested NestedFunc) (end int, number float64) {
	b := in.Bytes
	start := pos + len(n.before)
	if start > len(b) || string(b[pos:start]) != string(n.before) {
		if start > len(b) && bytes.HasPrefix(n.before, b[pos:]) {
			return -1, 0
		}
		return 0, 0
	}
	switch n.kind {
	case Text:
		return textEnd(b, start, in.MaxText), 0
	case Number:
		return numberEnd(b, start, in.MaxText)
	case noHole:
		return start, 0
	}
	return n.otherEnd(b, start, nested), 0
}

// takeOther is take for all nodes that may follow parent. It opens a hole if that helps. It returns
// the node that takes the input.
func (t *Set) takeOther(parent *node, in *Input, pos int, nested NestedFunc) (n *node, end int, number float64) {
	for more := 0; ; {
		var last *node
		for n = parent.child; n != nil; last, n = n, n.sibling {
			if end, number = n.take(in, pos, nested); end > 0 {
				parent.moveToFront(last, n)
				return n, end, number
			}
			more = min(more, end)
		}
		if more < 0 || !t.open(parent, in.Bytes[pos:]) {
			return nil, more, 0
		}
	}
}

// moveToFront makes next, which is after another node, the first node that may follow n: the next
// value is likely to have it too.
func (n *node) moveToFront(before, next *node) {
	if before != nil {
		before.sibling, next.sibling, n.child = next.sibling, n.child, next
	}
}

// textEnd returns the end of the text of a string, up to its quote. It returns 0 if no Text hole
// takes it, and a negative number if b ends before the quote.
func textEnd(b []byte, start, max int) (end int) {
	end = swar.PlainLen(b, start)
	if end < len(b) && b[end] != '"' {
		end = start + textLen(b[start:])
	}
	switch {
	case end == len(b):
		return -1
	case b[end] != '"' || end-start > max:
		return 0
	}
	return end
}

// numberEnd returns the end of a number, and its value. It returns 0 if no Number hole takes it,
// and a negative number if it may go on after b.
func numberEnd(b []byte, start, max int) (end int, f float64) {
	if start == len(b) {
		return -1, 0
	}
	if b[start] != '-' && b[start]-'0' > 9 {
		return 0, 0
	}
	f, n := number.Parse(b[start:])
	switch {
	case start+n == len(b):
		return -1, 0
	case n == 0 || n > max || math.IsInf(f, 0):
		return 0, 0
	}
	return start + n, f
}

// otherEnd is textEnd for the other kinds of holes.
func (n *node) otherEnd(b []byte, start int, nested NestedFunc) (end int) {
	if start == len(b) {
		return -1
	}
	length := skimmedLen(b[start:])
	if n.kind == Nested {
		length = nested(n.form, n.tag, b[start:])
	}
	switch {
	case length < 0 || n.kind == skimmed && start+length == len(b):
		return -1
	case length == 0:
		return 0
	}
	return start + length
}

// open opens a hole in the text of one of the nodes that may follow parent: the hole in which b
// begins to differ. It returns false if there is none.
func (t *Set) open(parent *node, b []byte) bool {
	var last *node
	for n := parent.child; n != nil; last, n = n, n.sibling {
		same := commonLen(b, n.before)
		if same == len(b) || same == len(n.before) {
			continue // no difference
		}

		// The first hole that ends at the difference or after it.
		at := n.begin + same
		i := slices.IndexFunc(n.closed, func(h hole) bool { return h.end >= at })
		if i < 0 || at < n.closed[i].start {
			continue // the difference is not in a hole
		}

		// The new node comes before this one, and takes its place.
		h, opened := n.closed[i], t.newNode()
		*opened = node{
			before: n.before[:h.start-n.begin], hole: h, child: n, sibling: n.sibling,
			form: n.form, begin: n.begin, closed: n.closed[:i],
		}
		n.before, n.begin, n.closed, n.sibling = n.before[h.end-n.begin:], h.end, n.closed[i+1:], nil
		if last == nil {
			parent.child = opened
		} else {
			last.sibling = opened
		}
		return true
	}
	return false
}

// commonLen returns how many bytes a and b have in common at their beginning.
func commonLen(a, b []byte) int {
	i, most := 0, min(len(a), len(b))
	for i+8 <= most {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < most && a[i] == b[i] {
		i++
	}
	return i
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
