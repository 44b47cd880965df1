package jsontree

import (
	"bytes"
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
)

// A Reader reads trees. The zero Reader is ready for use.
type Reader struct {
	Strings buffer.Strings

	forms jsonscan.Forms[Tree]
	text  []byte
	lists lists
	parts []part
	whole Tree    // the last one of a type with parts
	again *Reader // of values that are read once more, for positions; nil if none was

	tree   *Tree             // the one that is read in full
	scan   *jsonscan.Scanner // the Scanner that it is read from
	report func(name []byte) // reports a duplicate member of an object in it
}

// A part reads the values of a type that Repeats, with forms of their own.
type part struct {
	typ    *Type
	reader *Reader
}

// Forget makes r forget earlier values, before values of another type are read.
func (r *Reader) Forget() {
	r.forms.Reset()
	for _, p := range r.parts {
		p.reader.Forget()
	}
}

// The fields of a tree that may differ from an earlier one. Their index is the index of a node or
// a number.
const (
	textField = iota
	numberField
	writtenField // a number with its text
	packedField  // its index is the index of a list
	ignoredField
)

// The costs are charged in addition to the text: about the bytes of memory that each takes.
const (
	nodeCost = 96
	numCost  = 16
)

// maxFaults is how many faults of one tree are listed.
const maxFaults = 1000

// Read reads the value ahead. Its type must be the same with each call. The Tree is valid
// until the next call, if the Scanner has not failed.
func (r *Reader) Read(s *jsonscan.Scanner, typ *Type) *Tree {
	if r.forms.Nested == nil {
		r.forms.Nested = r.lists.take
	}
	l := &r.lists
	l.scan, l.longest, l.numbers, l.all = s, s.MaxStringBytes(), l.numbers[:0], l.all[:0]
	if typ.parts {
		// A form of the whole would hardly match, and while it is learned, forms of the parts
		// could not be.
		r.readWhole(s, &r.whole, typ)
		return &r.whole
	}

	t, match := r.forms.Next(s)
	if match != nil {
		more := l.len(len(t.lists)) - t.charged
		if more <= 0 || int64(more*numCost) <= s.Left() && s.Charge(more*numCost) {
			if !t.matched { // of a later value, only the numbers get their offsets
				t.matched = true
				for i := 1; i < len(t.nodes); i++ {
					n := &t.nodes[i]
					n.moved = n.kind != jsonscan.Number || n.typ.Kinds&Raw != 0
				}
			}
			t.scan, t.reader, t.again = s, r, nil
			r.update(t, match)
			return t
		}
		t = r.forms.Refuse(s) // where it becomes too much is where the slow path fails
	}

	r.readWhole(s, t, typ)
	r.forms.Keep(s, len(t.Faults) == 0)
	return t
}

// readWhole reads the value ahead into t, without comparing it.
func (r *Reader) readWhole(s *jsonscan.Scanner, t *Tree, typ *Type) {
	*t = Tree{nodes: t.nodes[:0], numbers: t.numbers[:0], lists: t.lists[:0], scan: s, reader: r}
	t.nodes = append(t.nodes, node{})
	r.tree, r.scan = t, s
	r.reportRepeated()
	r.readValue(s, t, typ, 0, s.Kind())
	s.ReportRepeated(nil)
	t.charged = len(t.numbers)
}

// reportRepeated makes a duplicate member a fault of the tree that is read. Its value is skipped: a runner
// writes its own members first, and then may write one that a benchmark's author called the same.
func (r *Reader) reportRepeated() {
	if r.report == nil {
		r.report = func(name []byte) {
			e := r.scan.RepeatedError(name)
			e.Message += ": only the first one is read"
			r.tree.fault(e)
		}
	}
	r.scan.ReportRepeated(r.report)
}

// readPart reads the value ahead, whose type Repeats, into the i-th node.
func (r *Reader) readPart(s *jsonscan.Scanner, t *Tree, typ *Type, i int) {
	p := slices.IndexFunc(r.parts, func(p part) bool { return p.typ == typ })
	if p < 0 {
		p = len(r.parts)
		r.parts = append(r.parts, part{typ, new(Reader)})
	}
	from := r.parts[p].reader.Read(s, typ)
	r.reportRepeated()
	for _, e := range from.Faults {
		t.fault(e)
	}

	// The root takes the place of the node, and all others follow the nodes that there are.
	shift, numbers := int32(len(t.nodes)-1), int32(len(t.numbers))
	t.numbers = append(t.numbers, from.numbers...)
	t.nodes = append(t.nodes, from.nodes[1:]...)
	at := t.nodes[i]
	t.nodes[i] = from.nodes[0]
	t.nodes[i].name, t.nodes[i].parent, t.nodes[i].index, t.nodes[i].next = at.name, at.parent, at.index, at.next
	t.nodes[i].shift(shift, numbers)

	for j := int(shift) + 1; j < len(t.nodes); j++ {
		n := &t.nodes[j]
		n.shift(shift, numbers)
		if n.parent += shift; n.parent == shift {
			n.parent = int32(i)
		}
		if n.next > 0 {
			n.next += shift
		}
	}
}

// shift adds to the indices of the parts of the value.
func (n *node) shift(nodes, numbers int32) {
	switch {
	case n.count > 0:
		n.first += numbers
	case n.first > 0:
		n.first += nodes
	}
	if n.other > 0 {
		n.other += nodes
	}
}

// update takes the fields of a value that matches the one that t was read from.
func (r *Reader) update(t *Tree, match *forms.Match) {
	t.nodes[0].offset = match.Offset()
	if len(t.lists) > 0 {
		t.numbers, r.lists.numbers = r.lists.numbers, t.numbers
	}
	last := "" // a text often repeats the previous one, and comparing takes a fraction of the time of hashing
	for i := range match.Changes() {
		tag := match.Tag(i)
		switch tag.Field {
		case ignoredField:
			continue
		case packedField:
			list, begin := &t.nodes[t.lists[tag.Index]], match.At(i)
			first, end := r.lists.len(tag.Index), r.lists.all[tag.Index].end
			list.first, list.count = int32(first), int32(end-first)
			for j := first; j < end; j++ {
				t.numbers[j].Offset += begin
			}
			continue
		}

		n := &t.nodes[tag.Index]
		if tag.Field != textField {
			n.number, n.offset = match.Number(i), match.At(i)
			if tag.Field == numberField {
				continue
			}
		}

		text := match.Text(i)
		switch {
		case last == string(text): // which has no escape sequence
			n.text = last
		case n.text == string(text) && bytes.IndexByte(text, '\\') < 0:
		case bytes.IndexByte(text, '\\') < 0:
			n.text = r.Strings.String(text)
			last = n.text
		default:
			r.text = jsonscan.AppendUnescaped(r.text[:0], text)
			n.text = r.Strings.String(r.text)
		}
	}
}

// read reads the value ahead into the i-th node.
func (r *Reader) read(s *jsonscan.Scanner, t *Tree, typ *Type, i int, kind jsonscan.Kind) {
	if typ.Kinds&Repeats != 0 {
		r.readPart(s, t, typ, i)
	} else {
		r.readValue(s, t, typ, i, kind)
	}
}

// readValue reads the value ahead into the i-th node, whether its type Repeats or not.
func (r *Reader) readValue(s *jsonscan.Scanner, t *Tree, typ *Type, i int, kind jsonscan.Kind) {
	n := &t.nodes[i]
	n.typ = typ
	n.offset = s.Offset()

	switch {
	case kind == jsonscan.Null:
		s.Null()
		return
	case typ.Kinds&Raw != 0:
		r.readRaw(s, t, i, kind)
		return
	case typ.Kinds&has[kind] == 0:
		if typ.Kinds&Lenient != 0 {
			s.SkipBound(forms.Tag{Field: ignoredField})
			return
		}
		n.faulty = true
		t.wrongType(s, typ.Kinds.String())
		return
	}

	n.kind = kind
	switch kind {
	case jsonscan.String:
		r.readText(s, t, i)

	case jsonscan.Number:
		var ok bool
		if n.number, ok = s.Number(); !ok {
			return
		}
		field := numberField
		if typ.Kinds&Written != 0 {
			n.text, field = r.Strings.String(s.Token()), writtenField
		}
		s.Bind(forms.Tag{Field: field, Index: i}, n.offset)

	case jsonscan.Bool:
		n.text = "false"
		if b, _ := s.Bool(); b {
			n.text = "true"
		}

	case jsonscan.Object:
		r.readObject(s, t, typ, i)
	case jsonscan.Array:
		if typ.Kinds&Packed != 0 {
			r.readNumbers(s, t, i)
		} else {
			r.readArray(s, t, typ, i)
		}
	}
}

// wrongType reads the value ahead, and adds the fault that it has another type than expected. Where no fault is
// listed any more, none is made: of millions of them, that would take most of the time.
func (t *Tree) wrongType(s *jsonscan.Scanner, expected string) {
	if len(t.Faults) > maxFaults {
		s.Skip()
	} else {
		t.fault(s.SkipTypeError(expected))
	}
}

// fault adds a fault.
func (t *Tree) fault(e *format.Error) {
	e.Severity = format.Recoverable
	if e.Err != format.ErrDuplicate {
		e.Err = format.ErrSchema
	}
	if len(t.Faults) == maxFaults {
		e.Message = fmt.Sprintf("more than %d values of the result are faulty: the others are not listed", maxFaults)
	}
	if len(t.Faults) <= maxFaults {
		t.Faults = append(t.Faults, e)
	}
}

// readText reads a string.
func (r *Reader) readText(s *jsonscan.Scanner, t *Tree, i int) {
	n := &t.nodes[i]
	text, ok := s.Text()
	n.text = r.Strings.String(text)
	if ok {
		s.BindText(forms.Tag{Field: textField, Index: i}, n.offset)
	}
}

// readRaw reads a value whose text is wanted.
func (r *Reader) readRaw(s *jsonscan.Scanner, t *Tree, i int, kind jsonscan.Kind) {
	n := &t.nodes[i]
	n.kind = kind
	if kind == jsonscan.String {
		r.readText(s, t, i)
		return
	}
	if r.text, _ = s.AppendValue(r.text[:0], nil); s.Err() == nil {
		n.text = r.Strings.String(r.text)
	}
	if kind == jsonscan.Number {
		s.BindText(forms.Tag{Field: textField, Index: i}, n.offset)
	}
}

// add adds nodes to the tree, and returns the index of the first.
func (t *Tree) add(s *jsonscan.Scanner, n, parent int) int {
	first := len(t.nodes)
	if !s.Charge(n * nodeCost) {
		return first // and nobody uses it
	}
	t.nodes = slices.Grow(t.nodes, n)[:first+n]
	for i := first; i < len(t.nodes); i++ {
		t.nodes[i] = node{parent: int32(parent)}
	}
	return first
}

// readObject reads an object into the i-th node.
func (r *Reader) readObject(s *jsonscan.Scanner, t *Tree, typ *Type, i int) {
	first := t.add(s, len(typ.Members), i)
	if s.Err() != nil {
		return
	}
	t.nodes[i].first = int32(first)
	offset := t.nodes[i].offset
	for j := range typ.Members {
		t.nodes[first+j].offset = offset // where errors about members that are absent are
	}

	if typ.Others == nil {
		for member, kind := range s.KnownMembers(typ.names) {
			if member < 0 {
				s.SkipBound(forms.Tag{Field: ignoredField})
			} else {
				r.read(s, t, typ.Members[member].Type, first+member, kind)
			}
		}
		return
	}

	last := 0
	for name, kind := range s.Members() {
		if member := slices.Index(typ.names, string(name)); member >= 0 {
			r.read(s, t, typ.Members[member].Type, first+member, kind)
			continue
		}
		text := r.Strings.String(name)
		j := t.add(s, 1, i)
		if s.Err() != nil {
			return
		}
		t.nodes[j].name = text
		t.link(&t.nodes[i].other, last, j)
		last = j
		r.read(s, t, typ.Others, j, kind)
	}
}

// link makes the j-th node the next one of the last, or the first if there is none.
func (t *Tree) link(first *int32, last, j int) {
	if last == 0 {
		*first = int32(j)
	} else {
		t.nodes[last].next = int32(j)
	}
}

// readArray reads an array into the i-th node.
func (r *Reader) readArray(s *jsonscan.Scanner, t *Tree, typ *Type, i int) {
	last, index := 0, 0
	for s.EnterArray(); s.Element(); index++ {
		j := t.add(s, 1, i)
		if s.Err() != nil {
			return
		}
		t.nodes[j].index = int32(index)
		t.link(&t.nodes[i].first, last, j)
		last = j
		r.read(s, t, typ.Elements, j, s.Kind())
	}
}
