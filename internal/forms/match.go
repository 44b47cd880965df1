package forms

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"perfdata/internal/chars"
	"perfdata/internal/number"
)

// How a value is compared.
//
// A descent goes down the tree from its root. At each node there is one position, pos, in the input,
// and this holds: the input from the value's first byte to pos is the text of the nodes passed, and in
// each placeholder passed is something that the parser accepts there. So at the end of a form, the
// whole value is one that the parser accepts, and nothing of it needs to be looked at again.
//
// Every comparison has three outcomes, as the end of the bytes that were taken: a positive end, and
// the descent goes on there; 0, and the value is not of this form; a negative number, and the bytes
// in memory end before that is known. No placeholder ends at 0, which is free to mean no: the text
// of a string has its quote before it, and a number has a byte. The last outcome is not the second:
// the caller reads more bytes and asks again, where it would otherwise read the value the slow way.
// So a number that reaches the last byte in memory has not ended.
//
// Several paths may match a value, for example if a placeholder of one of them was opened. Whichever is
// found first will do: each gives the fields what the parser would.

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

// A Match is what a value has in the open placeholders of its form. It is valid until the next one.
type Match struct {
	Form   int // number of the form
	Length int // of the value

	in     []byte // what the value begins
	offset int64  // of the value
	fields []field
	open   int // number of fields that are used
}

// A field is the content of an open placeholder.
type field struct {
	start, end   uint32  // in Match.in
	field, index uint32  // of its tag
	number       float64 // of a Number placeholder; else 0

	// The placeholder ends in the form at placeholderEnd. The part of the value that it is in begins
	// at from.
	placeholderEnd, from uint32
}

// Changes returns how many fields may have changed. All others have the text that was learned.
func (m *Match) Changes() int { return m.open }

// Tag returns the tag of the i-th of these fields.
func (m *Match) Tag(i int) Tag {
	f := &m.fields[i]
	return Tag{Field: int(f.field), Index: int(f.index)}
}

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

// At returns the offset of Text. It is Start for a number or a list that was bound by itself.
func (m *Match) At(i int) int64 { return m.offset + int64(m.fields[i].start) }

// Start returns the offset of the part of the value that the i-th of these fields was bound to.
//
// The part began at from in the text that was learned. Between there and the last open placeholder
// before it, all text is as it was learned, closed placeholders included. So the distance from that
// placeholder's end is the same in the input, whatever the placeholders before have become longer or
// shorter by.
func (m *Match) Start(i int) int64 {
	from := m.fields[i].from
	for i > 0 {
		i--
		if f := &m.fields[i]; f.placeholderEnd <= from {
			return m.offset + int64(f.end+from-f.placeholderEnd)
		}
	}
	return m.offset + int64(from)
}

// Match compares the input with the forms. If the input begins with a value of one form, Match
// returns the contents of the placeholders. Otherwise it returns nil, and whether that is only
// because the bytes end too early. It calls nested for the fields that were bound as Nested.
func (t *Set) Match(in *Input, nested NestedFunc) (m *Match, more bool) {
	if len(t.nodes) == 0 {
		return nil, false
	}
	in.Bytes = in.Bytes[:min(len(in.Bytes), math.MaxInt32)] // a field's positions are that small
	// Each turn opens one of the closed placeholders, of which there are finitely many. A turn that
	// finds too few bytes opens none: the difference may be only that they are missing.
	for {
		last := uint32(0)
		for i := t.nodes[0].child; i != 0; last, i = i, t.nodes[i].sibling {
			matches, moreHere := t.follow(i, in, nested)
			if matches {
				t.moveToFront(0, last, i)
				t.misses = max(t.misses-4, 0)
				return &t.match, false
			}
			more = more || moreHere
		}
		if more || !t.open(0, in.Bytes) {
			return nil, more
		}
	}
}

// follow compares the input with the forms that begin with the node i.
func (t *Set) follow(i uint32, in *Input, nested NestedFunc) (matches, more bool) {
	// In each turn, i is the node to compare at pos, parent is the one passed before it, 0 at first,
	// and open counts the placeholders passed: Learn has made room for as many fields as any form has
	// placeholders.
	parent := uint32(0)
	for open, pos := 0, 0; ; open++ {
		// Another node may take the input. Those beside the first node are Match's to try.
		end, number := t.take(&t.nodes[i], in, pos, nested)
		if end <= 0 && parent != 0 {
			i, end, number = t.takeOther(parent, i, end, in, pos, nested)
		}
		if end <= 0 {
			return false, end < 0
		}

		n := &t.nodes[i]
		if n.kind == noPlaceholder {
			m := &t.match
			m.Form, m.Length, m.in, m.offset, m.open = int(n.form), end, in.Bytes, in.Offset, open
			return true, false
		}
		f := &t.match.fields[open]
		f.start, f.end, f.number = uint32(pos+n.before.len()), uint32(end), number
		f.field, f.index, f.placeholderEnd, f.from = n.field, n.index, n.end, n.from
		pos, parent, i = end, i, n.child
	}
}

// take compares the input, from pos on, with the node. It returns the end of the node's placeholder in
// the input, and its number f. The end is 0 if the input differs, and negative if it ends too early to
// tell.
func (t *Set) take(n *node, in *Input, pos int, nested NestedFunc) (end int, f float64) {
	start := pos + n.before.len()
	if start > len(in.Bytes) {
		if bytes.HasPrefix(t.textBefore(n), in.Bytes[pos:]) {
			return -1, 0
		}
		return 0, 0
	}
	if string(in.Bytes[pos:start]) != string(t.textBefore(n)) {
		return 0, 0
	}

	switch n.kind {
	case Text:
		return textEnd(in, start, false), 0
	case Escaped:
		return textEnd(in, start, true), 0
	case Number:
		// A number out of range, which the parser refuses with a reason, is left to it.
		if f, end = number.Begin(in.Bytes[start:], in.MaxText); end > 0 {
			end += start
		}
		return end, f
	case noPlaceholder:
		return start, 0
	}
	return n.otherEnd(in, start, nested), 0
}

// takeOther is take for all nodes that may follow parent, after the first one, for which take
// returned more. It opens a placeholder if that helps. It returns the node that takes the input.
func (t *Set) takeOther(
	parent, first uint32, more int, in *Input, pos int, nested NestedFunc,
) (i uint32, end int, number float64) {
	// more becomes negative if any node may yet take the input. After a placeholder was opened, all
	// nodes are tried again.
	last := first
	for i = t.nodes[first].sibling; ; i = t.nodes[parent].child {
		for ; i != 0; last, i = i, t.nodes[i].sibling {
			if end, number = t.take(&t.nodes[i], in, pos, nested); end > 0 {
				t.moveToFront(parent, last, i)
				return i, end, number
			}
			more = min(more, end)
		}
		if more < 0 || !t.open(parent, in.Bytes[pos:]) {
			return 0, more, 0
		}
		last = 0
	}
}

// moveToFront makes next, which is after another node, the first node that may follow parent: the
// next value is likely to have it too.
func (t *Set) moveToFront(parent, before, next uint32) {
	if before != 0 {
		p, n := &t.nodes[parent], &t.nodes[next]
		t.nodes[before].sibling, n.sibling, p.child = n.sibling, p.child, next
	}
}

// textEnd returns the end of the text of a string, up to its quote. It returns 0 if no Text placeholder
// takes it, or if escapes is set, no Escaped one, and a negative number if the input ends before the
// quote.
func textEnd(in *Input, start int, escapes bool) (end int) {
	b := in.Bytes
	end, escaped, ascii := chars.PlainLen(b, start), false, true // nearly all texts are plain
	if end < len(b) && b[end] != '"' {
		end, escaped, ascii = chars.JSONText(b, end)
	}
	switch {
	case end == len(b):
		return -1
	case b[end] == '\\':
		if n, _ := chars.EscapeLen(b[end:]); end+n == len(b) {
			return -1
		}
		return 0
	case b[end] != '"' || escaped && !escapes || end-start > in.MaxText || !ascii && !utf8.Valid(b[start:end]):
		return 0
	}
	return end
}

// otherEnd is textEnd for the other kinds of placeholders.
func (n *node) otherEnd(in *Input, start int, nested NestedFunc) (end int) {
	b := in.Bytes
	if start == len(b) {
		return -1
	}
	length := 0
	switch n.kind {
	case Nested, List:
		length = nested(int(n.form), Tag{Field: int(n.field), Index: int(n.index)}, b[start:])
	case unparsed:
		length = skippedLen(b[start:])
	case Unread:
		if _, length = number.Parse(b[start:]); length == 0 && skippedLen(b[start:]) == len(b)-start {
			return -1
		}
	}
	switch {
	case length < 0 || start+length == len(b) && (n.kind == unparsed || n.kind == Unread):
		return -1
	case length == 0 || length > in.MaxText && n.kind == Unread:
		return 0
	}
	return start + length
}

// open opens a placeholder in the text of one of the nodes that may follow parent: the placeholder in
// which b begins to differ. It returns false if there is none.
//
// Opening splits the node in two: the new one has the text before the placeholder, and the
// placeholder; the old one has the text after it, and its children. The forms of the tree, read
// from the root to an end, are the same as before; only a placeholder in them is open.
func (t *Set) open(parent uint32, b []byte) bool {
	last := uint32(0)
	for at := t.nodes[parent].child; at != 0; last, at = at, t.nodes[at].sibling {
		n := &t.nodes[at]
		before := t.textBefore(n)
		same := 0 // bytes that both begin with
		for same < min(len(b), len(before)) && b[same] == before[same] {
			same++
		}
		if same == len(b) || same == len(before) {
			continue // no difference
		}

		// The first placeholder that ends at the difference or after it. One that ends there counts:
		// the input has a longer text in it, which begins as the one that was learned.
		differs := n.begin + uint32(same)
		closed := t.closed[n.closed.start:n.closed.end]
		i := slices.IndexFunc(closed, func(h placeholder) bool { return h.end >= differs })
		if i < 0 || differs < closed[i].start {
			continue // the difference is not in a placeholder
		}

		// The new node comes before this one, and takes its place among its siblings. Three spans
		// are cut at the placeholder: the text, which leaves out the placeholder's content; the
		// position, which stays in step with the text; and the closed placeholders, of which this
		// one is in neither part.
		h := closed[i]
		opened := *n
		opened.before.end = n.before.start + h.start - n.begin
		opened.placeholder, opened.child, opened.closed.end = h, at, n.closed.start+uint32(i)
		n.before.start += h.end - n.begin
		n.begin, n.closed.start, n.sibling = h.end, n.closed.start+uint32(i)+1, 0
		if last == 0 {
			t.nodes[parent].child = uint32(len(t.nodes))
		} else {
			t.nodes[last].sibling = uint32(len(t.nodes))
		}
		t.nodes = append(t.nodes, opened)
		return true
	}
	return false
}
