package forms

import (
	"bytes"
	"slices"
	"sort"
)

// A Set has the forms that were learned, because the values of a file may have several forms. They
// are a tree: forms that begin alike share their beginning, so that comparing a value with all of
// them takes little longer than comparing it with one. With eight forms that are compared one
// after the other instead, reading results of 20 shapes takes twice as many instructions.
//
// Each node of the tree is some text and the open placeholder after it, or the end of the form. A
// placeholder that takes a string is closed at first: it is part of its node's text, and is compared
// with it in one step. It opens, and gets a node of its own, when it is first seen to differ.
//
// Nodes refer to each other by index. With pointers instead, a file of 6 KB takes 8% more time:
// its nodes take twice the memory, and the garbage collector must look at them.
//
// What holds for the tree:
//
//   - Node 0 is the root, and has no text. No node has it as its child or sibling, so the index 0
//     means none.
//   - A path from the root to a node of kind noPlaceholder is a form. Every node lies on such a path.
//   - The texts and placeholders of a path, one after the other, are the text of a form that was
//     learned, from its first byte to its last: nothing between two placeholders is left out.
//   - Placeholders are in the order of the text and do not overlap. So no field is found twice.
//   - Siblings are in the order of their last use, not of the text: any of them may come first.
//
// The zero Set is ready for use.
type Set struct {
	nodes  []node // the first one comes before all others
	closed []placeholder
	text   []byte
	size   int // nodes and closed placeholders

	forms   int
	full    bool // a form was too much
	match   Match
	shared  []sharedPlaceholder // scratch
	skipped Form                // scratch

	misses int // grows with each value that matches no form, and shrinks with each that does
	values int // how many values Worthwhile was asked about
}

// A node is part of one form, or of several that begin alike. Its positions, and the positions of its
// closed placeholders, are in the text of the form that it was made for. That is another text than
// later forms have, but the distances between two placeholders are the same.
type node struct {
	before      span // in Set.text: since the last open placeholder
	placeholder      // after that text; for the end of a form, only the kind

	child, sibling uint32 // the first node that may follow, and the next one that may be here instead; or 0

	form   uint32 // that the node was made for
	begin  uint32 // position of before
	closed span   // in Set.closed: the placeholders in before
}

// A span is a part of a slice.
type span struct{ start, end uint32 }

func (s span) len() int { return int(s.end - s.start) }

// A sharedPlaceholder is a placeholder that a form and an earlier one have in common.
type sharedPlaceholder struct{ end, earlierEnd uint32 }

// Count is how many forms a Set has at most. With 32, results of 64 shapes in random order take twice
// as many instructions, and files of 6 KB that one Reader reads, which have 50 shapes, 28% more. Where
// no form matches, 128 take 2% more than 32.
const Count = 128

// The other bounds of a Set.
const (
	maxText = 512 << 10
	maxSize = 2 * maxPlaceholders
)

// Forget makes t forget all forms. It keeps the memory.
func (t *Set) Forget() {
	t.nodes, t.closed, t.text, t.size, t.forms, t.full = t.nodes[:0], t.closed[:0], t.text[:0], 0, 0, false
}

// Next returns the number that the next form will have. If t has no room for another form, it
// forgets all forms.
func (t *Set) Next() int {
	if t.full || t.forms == Count {
		t.Forget()
	}
	return t.forms
}

// Learn adds the form of a value with the text, which is copied. Next must have been called for it.
// Learn returns false if it does not add the form: if that was refused, has no placeholders, or is too
// large.
func (t *Set) Learn(f *Form, text []byte) bool {
	if f.refused || len(f.placeholders) == 0 {
		return false
	}
	if len(t.text)+len(text) > maxText || t.size+len(f.placeholders) > maxSize {
		t.full = true
		return false
	}

	if t.nodes == nil {
		// The memory that the forms of a small file need. As it is in one piece, a file of 6 KB takes an eighth
		// fewer allocations.
		m := new(struct {
			nodes  [usualPlaceholders]node
			closed [usualPlaceholders]placeholder
			shared [usualPlaceholders]sharedPlaceholder
			fields [usualPlaceholders]field
		})
		t.text = make([]byte, 0, 2*len(text))
		t.nodes, t.closed, t.shared, t.match.fields = m.nodes[:0], m.closed[:0], m.shared[:0], m.fields[:]
	}
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, node{})
	}
	parent, pos, placeholders := t.share(f, text)
	if t.ends(parent, text[pos:]) {
		return false // it matches, and was read because of a limit
	}
	t.add(parent, pos, placeholders, text)
	t.forms++
	if n := len(f.placeholders); n > len(t.match.fields) {
		t.match.fields = make([]field, n)
	}
	return true
}

// share follows the nodes that the form shares with earlier ones. It returns the last of these, the
// position after it, and the placeholders that follow. It notes the shared placeholders.
//
// A form with a Nested placeholder shares nothing, because only NestedFunc knows which forms can
// take the placeholder's content.
func (t *Set) share(f *Form, text []byte) (parent uint32, pos int, placeholders []placeholder) {
	t.shared = t.shared[:0]
	placeholders = f.placeholders
	if slices.ContainsFunc(placeholders, func(h placeholder) bool { return h.kind == Nested }) {
		return parent, 0, placeholders
	}

	// A node is shared if its text equals the form's from pos on, and its placeholder is where the
	// form's next one is. The form's own placeholders before there are closed in the node's text,
	// or they would begin at another position: the text is the same, so nothing is lost if they
	// stay closed as the earlier form has them.
	for next := t.nodes[0].child; next != 0; {
		n := &t.nodes[next]
		start := pos + n.before.len()
		i := slices.IndexFunc(placeholders, func(h placeholder) bool { return int(h.start) >= start })
		if i < 0 || !placeholders[i].isLike(&n.placeholder) || int(placeholders[i].start) != start ||
			!bytes.HasPrefix(text[pos:], t.textBefore(n)) {
			next = n.sibling
			continue
		}
		pos = int(placeholders[i].end)
		t.shared = append(t.shared, sharedPlaceholder{placeholders[i].end, n.end})
		parent, placeholders, next = next, placeholders[i+1:], n.child
	}
	return parent, pos, placeholders
}

// isLike reports whether two placeholders take the same field.
func (h *placeholder) isLike(other *placeholder) bool {
	return h.kind == other.kind && h.field == other.field && h.index == other.index
}

// closes reports whether the placeholder is closed at first. Numbers differ from one value to the next
// nearly always, so their placeholders are open at once. Strings often repeat, and so do numbers that
// nobody wants, such as counts, and comparing is faster than finding where they end.
func (h *placeholder) closes() bool {
	return h.kind != Number && h.kind != List && h.kind != unparsed && h.kind != noPlaceholder
}

// ends reports whether a form ends with the text after the node.
func (t *Set) ends(parent uint32, text []byte) bool {
	for i := t.nodes[parent].child; i != 0; i = t.nodes[i].sibling {
		if n := &t.nodes[i]; n.kind == noPlaceholder && string(t.textBefore(n)) == string(text) {
			return true
		}
	}
	return false
}

// textBefore returns the text of the node.
func (t *Set) textBefore(n *node) []byte { return t.text[n.before.start:n.before.end] }

// add adds nodes after parent for the placeholders from the position on.
func (t *Set) add(parent uint32, pos int, placeholders []placeholder, text []byte) {
	shift := len(t.text) - pos // from a position to an index in t.text
	t.text = append(t.text, text[pos:]...)
	t.size += len(placeholders) + 1

	first := len(t.closed)
	for i := 0; i <= len(placeholders); i++ {
		h := placeholder{start: uint32(len(text)), end: uint32(len(text)), kind: noPlaceholder}
		if i < len(placeholders) {
			h = placeholders[i]
		}
		start, end := int(h.start), int(h.end)
		h.start, h.end, h.from = t.earlier(h.start), t.earlier(h.end), t.earlier(h.from)
		if h.closes() {
			t.closed = append(t.closed, h)
			continue
		}

		before := &t.nodes[parent]
		n := node{
			before: span{uint32(pos + shift), uint32(start + shift)}, placeholder: h, sibling: before.child,
			form: uint32(t.forms), begin: t.earlier(uint32(pos)), closed: span{uint32(first), uint32(len(t.closed))},
		}
		before.child, parent = uint32(len(t.nodes)), uint32(len(t.nodes))
		t.nodes = append(t.nodes, n)
		pos, first = end, len(t.closed)
	}
}

// earlier returns a position in the text of the form that the shared placeholders were made for. It
// searches, because arrays of numbers share thousands of placeholders.
func (t *Set) earlier(pos uint32) uint32 {
	n := sort.Search(len(t.shared), func(i int) bool { return t.shared[i].end > pos })
	if n == 0 {
		return pos // before the first placeholder, the texts are the same
	}
	return pos + t.shared[n-1].earlierEnd - t.shared[n-1].end
}

// Small is the length of a value, in bytes, below which neither comparing nor learning is worth
// anything.
const Small = 16

const (
	maxMisses  = 32
	manyMisses = maxMisses / 2
	manyForms  = 32
)

// Worthwhile reports whether the next value is worth comparing and learning. If most values match
// no form, trying costs more than it gains. Then only one of every n values is tried, until some
// have matched. The cheaper it is to read a value without a form, the larger n should be.
func (t *Set) Worthwhile(n int) bool {
	t.values++
	return t.misses < manyMisses || t.values%n == 0
}

// Missed says that a value of the given length matched no form. With many forms, finding that out takes
// longer than a match saves, so it weighs more: otherwise results with long beginnings in common, of
// which one in four matches, take three times as many instructions.
func (t *Set) Missed(length int64) {
	if length >= Small {
		t.misses = min(t.misses+1+t.forms/manyForms, maxMisses)
	}
}
