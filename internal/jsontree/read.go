package jsontree

import (
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
)

// A Reader reads trees. The zero Reader is ready for use.
type Reader struct {
	Strings intern.Table

	forms jsonscan.Forms[Tree]
	names []*jsonscan.Names // of the objects that are open, from the outermost in
	depth int
	text  []byte
	lists lists
	again *Reader // of values that are read once more, for positions; nil if none was
}

// Forget makes r forget what it has read, before values of another type are read.
func (r *Reader) Forget() { r.forms.Reset() }

// The fields of a tree that may differ from an earlier one. Their index is that of a node or a number.
const (
	textField = iota
	numberField
	writtenField // a number with its text
	packedField  // its index is that of a list
	ignoredField
)

// The costs are charged in addition to the text: about the bytes of memory that each takes.
const (
	nodeCost = 144
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
	r.lists.longest = s.MaxStringBytes()
	t, match := r.forms.Next(s)
	if match != nil {
		more := r.lists.len(len(t.lists)) - t.charged
		if more <= 0 || int64(more*numCost) <= s.Left() && s.Charge(more*numCost) {
			t.scan, t.matched, t.reader, t.again = s, true, r, nil
			r.update(t, match)
			return t
		}
		t = r.forms.Refuse(s) // where it becomes too much is where the slow path fails
	}

	*t = Tree{nodes: t.nodes[:0], numbers: t.numbers[:0], lists: t.lists[:0], scan: s}
	r.depth = 0
	t.nodes = append(t.nodes, node{})
	r.read(s, t, typ, 0, s.Kind())
	t.charged = len(t.numbers)
	r.forms.Keep(s, len(t.Faults) == 0)
	return t
}

// update takes the fields of a value that matches the one that t was read from.
func (r *Reader) update(t *Tree, match *forms.Match) {
	t.nodes[0].at.Offset = match.Offset()
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
			r.lists.update(t, tag.Index, match.Start(i))
			continue
		}

		n := &t.nodes[tag.Index]
		n.at.Offset = match.Start(i)
		if tag.Field != textField {
			n.number = match.Number(i)
		}
		if tag.Field != numberField && n.text != string(match.Text(i)) {
			if n.text = last; last != string(match.Text(i)) {
				n.text = r.Strings.String(match.Text(i))
			}
			last = n.text
		}
	}
}

// read reads the value ahead into the i-th node.
func (r *Reader) read(s *jsonscan.Scanner, t *Tree, typ *Type, i int, kind jsonscan.Kind) {
	n := &t.nodes[i]
	n.typ = typ
	n.at = s.Position()

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
		t.fault(s.SkipTypeError(typ.Kinds.String()))
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
		s.Bind(forms.Tag{Field: field, Index: i}, n.at.Offset)

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

// fault adds a fault.
func (t *Tree) fault(e *format.Error) {
	e.Err, e.Severity = format.ErrSchema, format.Recoverable
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
	if ok && len(s.Token()) == len(text)+len(`""`) { // a form must not have a hole with escape sequences
		s.Bind(forms.Tag{Field: textField, Index: i}, n.at.Offset)
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
		s.Bind(forms.Tag{Field: textField, Index: i}, n.at.Offset)
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
		t.nodes[i] = node{parent: parent}
	}
	return first
}

// readObject reads an object into the i-th node.
func (r *Reader) readObject(s *jsonscan.Scanner, t *Tree, typ *Type, i int) {
	first := t.add(s, len(typ.Members), i)
	if s.Err() != nil {
		return
	}
	t.nodes[i].first = first
	at := t.nodes[i].at
	for j := range typ.Members {
		t.nodes[first+j].at = at // where errors about members that are absent are
	}

	if r.depth == len(r.names) {
		r.names = append(r.names, new(jsonscan.Names))
	}
	names := r.names[r.depth]
	r.depth++
	if typ.Others == nil {
		for member, kind := range s.KnownMembers(typ.names, names) {
			if member < 0 {
				s.SkipBound(forms.Tag{Field: ignoredField})
			} else {
				r.read(s, t, typ.Members[member].Type, first+member, kind)
			}
		}
	} else {
		r.readMembers(s, t, typ, i, names)
	}
	r.depth--
}

// readMembers reads all members of an object into the i-th node.
func (r *Reader) readMembers(s *jsonscan.Scanner, t *Tree, typ *Type, i int, names *jsonscan.Names) {
	last := 0
	for name, kind := range s.Members(names) {
		if member := slices.Index(typ.names, string(name)); member >= 0 {
			r.read(s, t, typ.Members[member].Type, t.nodes[i].first+member, kind)
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
func (t *Tree) link(first *int, last, j int) {
	if last == 0 {
		*first = j
	} else {
		t.nodes[last].next = j
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
		t.nodes[j].index = index
		t.link(&t.nodes[i].first, last, j)
		last = j
		r.read(s, t, typ.Elements, j, s.Kind())
	}
}
