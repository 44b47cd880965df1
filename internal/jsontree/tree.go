package jsontree

import (
	"iter"
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Tree is a value that was read. It belongs to its Reader, until the next Read.
type Tree struct {
	// Faults are the values of another type than expected. They are absent from the tree.
	Faults []*format.Error

	// The nodes are in the order of the text. An object's members that its type lists follow it, in the
	// order of the type, and are absent if the object lacks them. All others, and elements, are linked.
	nodes   []node
	numbers []Num // of all packed arrays
	lists   []int // the nodes of packed arrays, in the order of the text
	charged int   // numbers that were charged for: those of the value that was read without comparing

	scan    *jsonscan.Scanner
	matched bool // it was read by comparing text
	reader  *Reader
	again   *Tree // of a matched value: read in full, for positions; nil if none was needed
}

// A node is a value. The indices count nodes, or numbers.
type node struct {
	kind   jsonscan.Kind // None if it is absent
	faulty bool
	text   string
	number float64
	at     format.Position // of a matched value, the offset only, of strings and numbers
	name   string          // of a member that its object's type does not list
	typ    *Type
	parent int
	first  int // the first of the object's listed members, the array's elements, or its numbers
	count  int // of numbers
	index  int // of an element, unless it is Packed
	other  int // the object's first member that its type does not list
	next   int // the next element, or such member; 0 if there is none
}

// A Num is a number of a packed array, with its offset.
type Num struct {
	Value  float64
	Offset int64
}

// A Value is a part of a Tree.
type Value struct {
	tree *Tree
	i    int
}

// Root returns the whole value.
func (t *Tree) Root() Value { return Value{t, 0} }

func (v Value) node() *node { return &v.tree.nodes[v.i] }

// Has reports whether the value is there, and neither null nor faulty.
func (v Value) Has() bool { return v.node().kind != jsonscan.None }

// Faulty reports whether the value is one of the Faults.
func (v Value) Faulty() bool { return v.node().faulty }

// Kind returns what the value is: None if it is absent, null or faulty.
func (v Value) Kind() jsonscan.Kind { return v.node().kind }

// Text returns a string, the text of a number that is Written or of a value that is Raw, or "true"
// or "false". Otherwise, it returns an empty string.
func (v Value) Text() string { return v.node().text }

// IsTrue reports whether the value is the boolean true.
func (v Value) IsTrue() bool { return v.Kind() == jsonscan.Bool && v.Text() == "true" }

// Number returns the number. It is NaN or infinite only if the text says so.
func (v Value) Number() float64 { return v.node().number }

// Int returns the number if it is an integer from 0 on, else 0.
func (v Value) Int() int {
	n := v.node()
	if i := int(n.number); n.kind == jsonscan.Number && i > 0 && float64(i) == n.number {
		return i
	}
	return 0
}

// Offset returns the offset of the value. It must be called before the Scanner reads on.
func (v Value) Offset() int64 {
	n := v.node()
	if v.tree.matched && n.kind != jsonscan.Number {
		return v.tree.position(v.i).Offset
	}
	return n.at.Offset
}

// Get returns the object's member with that index in the type's Members. It must have been an object,
// or absent: the members of an absent object are absent.
func (v Value) Get(member int) Value {
	if first := v.node().first; first > 0 {
		return Value{v.tree, first + member}
	}
	return None()
}

// None returns a value that is absent.
func None() Value { return Value{absent, 0} }

// absent is the tree of values that are not there.
var absent = &Tree{nodes: make([]node, 1)}

// Others iterates over the object's other members, in the order of the text. Null is left out.
func (v Value) Others() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for name, member := range v.AllOthers() {
			if member.Has() && !yield(name, member) {
				return
			}
		}
	}
}

// AllOthers is Others with null, and faulty members, as absent values.
func (v Value) AllOthers() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for i := v.node().other; i > 0; i = v.tree.nodes[i].next {
			if !yield(v.tree.nodes[i].name, Value{v.tree, i}) {
				return
			}
		}
	}
}

// Elements iterates over the array's elements. Null and faulty ones are left out.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != jsonscan.Array {
			return
		}
		for i := v.node().first; i > 0; i = v.tree.nodes[i].next {
			if v.tree.nodes[i].kind != jsonscan.None && !yield(Value{v.tree, i}) {
				return
			}
		}
	}
}

// Places iterates over all of the array's elements. Null and faulty ones are absent values, so that
// the elements of two arrays can be compared by their places.
func (v Value) Places() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != jsonscan.Array {
			return
		}
		for i := v.node().first; i > 0; i = v.tree.nodes[i].next {
			if !yield(Value{v.tree, i}) {
				return
			}
		}
	}
}

// List returns the numbers of a packed array, and none of anything else.
func (v Value) List() []Num {
	n := v.node()
	if n.count == 0 {
		return nil
	}
	return v.tree.numbers[n.first : n.first+n.count]
}

// Error returns a recoverable error about the value, or about the object or array that lacks it. It
// must be called before the Scanner reads on.
func (v Value) Error(message string) *format.Error {
	t, s := v.tree, v.tree.scan
	e := s.ErrorAt(t.position(v.i), string(t.appendPath([]byte(s.Path()), v.i)), message)
	e.Err, e.Severity = format.ErrSchema, format.Recoverable
	return e
}

// position returns the position of a node.
func (t *Tree) position(i int) format.Position {
	at := t.nodes[i].at
	if !t.matched {
		return at
	}
	// Only the strings and numbers of a matched value have their offsets. The nodes of a value are the
	// same whichever way it is read.
	root := &t.nodes[0]
	if i == 0 {
		return t.scan.PositionAt(root.at.Offset)
	}
	if t.again == nil {
		if t.reader.again == nil {
			t.reader.again = new(Reader)
		}
		t.again = t.reader.again.Read(t.scan.Reread(root.at.Offset), root.typ)
	}
	if i < len(t.again.nodes) {
		at.Offset = root.at.Offset + t.again.nodes[i].at.Offset
	}
	return t.scan.PositionAt(at.Offset)
}

// appendPath appends the steps from the tree's root to a node.
func (t *Tree) appendPath(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	n := &t.nodes[i]
	parent := &t.nodes[n.parent]
	dst = t.appendPath(dst, n.parent)
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	switch {
	case n.name != "":
		return append(dst, jsonscan.Clip(n.name)...)
	case parent.kind != jsonscan.Array:
		return append(dst, parent.typ.Members[i-parent.first].Name...)
	}
	return strconv.AppendInt(dst, int64(n.index), 10)
}
