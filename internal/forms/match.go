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
	nodes  []node
}

// A field is what is in an open hole.
type field struct {
	tag        Tag
	start, end int // in Match.in
	number     float64
	node       int32
}

// Changes returns how many fields may have changed. All others have the text that was learned.
func (m *Match) Changes() int { return len(m.fields) }

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
	from := m.nodes[m.fields[i].node].from
	for i > 0 {
		i--
		f := &m.fields[i]
		if end := m.nodes[f.node].end; end <= from {
			return m.offset + int64(f.end+from-end)
		}
	}
	return m.offset + int64(from)
}

// Match compares the input with the forms. If the input begins with a value of one of them, Match
// returns what it has in the holes. Otherwise it returns nil, and whether that is only because the
// bytes end too early. It calls nested for the fields that were bound as Nested.
func (t *Set) Match(in *Input, nested NestedFunc) (m *Match, more bool) {
	for len(t.nodes) > 0 {
		for last, k := int32(none), t.child(0); k != none; last, k = k, t.nodes[k].sibling {
			t.match.fields = t.match.fields[:0]
			matches, moreHere := t.follow(k, in, nested)
			if matches {
				t.moveToFront(0, last, k)
				t.misses = max(t.misses-4, 0)
				return &t.match, false
			}
			more = more || moreHere
		}
		if more || !t.open(0, in.Bytes) {
			break
		}
	}
	return nil, more
}

// follow compares the input with the forms that begin with the node k.
func (t *Set) follow(k int32, in *Input, nested NestedFunc) (matches, more bool) {
	parent, last, pos := int32(0), int32(none), 0
	for {
		switch end := t.take(k, in, pos, nested); {
		case end > 0:
			if parent != 0 {
				t.moveToFront(parent, last, k)
			}
			if n := &t.nodes[k]; n.kind == noHole {
				m := &t.match
				m.Form, m.Length, m.in, m.offset, m.nodes = n.form, end, in.Bytes, in.Offset, t.nodes
				return true, false
			}
			parent, last, pos = k, none, end
			k = t.child(k)
			continue
		case parent == 0:
			return false, end < 0
		default:
			more = more || end < 0
			last, k = k, t.nodes[k].sibling
		}

		if k == none {
			if more || !t.open(parent, in.Bytes[pos:]) {
				return false, more
			}
			last, k = none, t.child(parent)
		}
	}
}

// moveToFront makes k, which is after another node, the first node that may follow parent: the next
// value is likely to have it too.
func (t *Set) moveToFront(parent, before, k int32) {
	if before != none {
		t.nodes[before].sibling = t.nodes[k].sibling
		t.nodes[k].sibling = t.child(parent)
		t.nodes[parent].child = k
	}
}

// take compares the input, from pos on, with the node k, and notes the field in its hole. It
// returns the end of both in the input. The end is 0 if they differ, and negative if the bytes end
// too early to tell.
func (t *Set) take(k int32, in *Input, pos int, nested NestedFunc) (end int) {
	b, n := in.Bytes, &t.nodes[k]
	start := pos + len(n.before)
	if start >= len(b) && n.kind != noHole || start > len(b) {
		if bytes.HasPrefix(n.before, b[pos:]) {
			return -1
		}
		return 0
	}
	if string(b[pos:start]) != string(n.before) {
		return 0
	}

	f := field{tag: n.tag, start: start, node: k}
	switch n.kind {
	case noHole:
		return start
	case Text:
		end = swar.PlainLen(b, start)
		if end < len(b) && b[end] != '"' {
			end = start + textLen(b[start:])
		}
		if end < len(b) && b[end] != '"' || end-start > in.MaxText {
			return 0
		}
	case Number:
		if b[start] != '-' && b[start]-'0' > 9 {
			return 0
		}
		var length int
		f.number, length = number.Parse(b[start:])
		end = start + length
		if length == 0 || end < len(b) && (length > in.MaxText || math.IsInf(f.number, 0)) {
			return 0
		}
	case Nested:
		length := nested(n.form, n.tag, b[start:])
		if length <= 0 {
			return length
		}
		end = start + length
	case skimmed:
		if end = start + skimmedLen(b[start:]); end == start {
			return 0
		}
	}

	if end == len(b) && n.kind != Nested {
		return -1 // a string or number may go on
	}
	f.end = end
	t.match.fields = append(t.match.fields, f)
	return end
}

// open opens a hole in the text of one of the nodes that may follow parent: the hole in which b
// begins to differ. It returns false if there is none.
func (t *Set) open(parent int32, b []byte) bool {
	last := int32(none)
	for k := t.child(parent); k != none; last, k = k, t.nodes[k].sibling {
		n := &t.nodes[k]
		same := commonLen(b, n.before)
		if same == len(b) || same == len(n.before) {
			continue // no difference
		}

		// The first hole that ends at the difference or after it.
		at := n.begin + same
		closed := t.closed[n.closedFrom:n.closedTo]
		i := slices.IndexFunc(closed, func(h hole) bool { return h.end >= at })
		if i < 0 || at < closed[i].start {
			continue // the difference is not in a hole
		}

		// The new node comes before this one, and takes its place.
		h := closed[i]
		opened := node{
			before: n.before[:h.start-n.begin], begin: n.begin, hole: h,
			closedFrom: n.closedFrom, closedTo: n.closedFrom + i,
			form: n.form, child: k, sibling: n.sibling,
		}
		n.before, n.begin, n.closedFrom = n.before[h.end-n.begin:], h.end, n.closedFrom+i+1
		n.sibling = none
		t.nodes = append(t.nodes, opened)
		if k = int32(len(t.nodes) - 1); last == none {
			t.nodes[parent].child = k
		} else {
			t.nodes[last].sibling = k
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
