package jsontree

import (
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
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
	moved  bool // offset is that of an earlier value
	text   string
	number float64
	offset int64  // see Tree.offset
	name   string // of a member that its object's type does not list
	typ    *Type
	parent int32
	first  int32 // the first of the object's listed members, the array's elements, or its numbers
	count  int32 // of numbers
	index  int32 // of an element, unless it is Packed
	other  int32 // the object's first member that its type does not list
	next   int32 // the next element, or such member; 0 if there is none
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

// Root returns the whole value. That of a nil Tree is absent.
func (t *Tree) Root() Value {
	if t == nil {
		return None()
	}
	return Value{t, 0}
}

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

// Offset returns the offset of the value. It must be called before the Scanner reads on.
func (v Value) Offset() int64 { return v.tree.offset(v.i) }

// Get returns the object's member of the name, which is one of the type's Members. The members of an
// absent object, and of a value that is not an object, are absent.
func (v Value) Get(member string) Value {
	n := v.node()
	if n.first == 0 || n.kind != jsonscan.Object {
		return None()
	}
	// Formats ask for each member of each result: without the places, validation of Google Benchmark's files takes
	// 1.13 times the CPU time.
	i := int(n.typ.place[placeOf(member)]) - 1
	if i < 0 || n.typ.names[i] != member {
		i = slices.Index(n.typ.names, member)
	}
	if i < 0 {
		return None()
	}
	return Value{v.tree, int(n.first) + i}
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
			if !yield(v.tree.nodes[i].name, Value{v.tree, int(i)}) {
				return
			}
		}
	}
}

// Elements iterates over the array's elements. Null and faulty ones are left out.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for element := range v.Places() {
			if element.Has() && !yield(element) {
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
			if !yield(Value{v.tree, int(i)}) {
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
	t := v.tree
	return t.error(t.offset(v.i), t.appendPath([]byte(t.scan.Path()), v.i), message)
}

func (t *Tree) error(offset int64, path []byte, message string) *format.Error {
	e := t.scan.ErrorAt(t.scan.PositionAt(offset), string(path), message)
	e.Err, e.Severity = format.ErrSchema, format.Recoverable
	return e
}

// ItemError is Error for the i-th number of the packed array.
func (v Value) ItemError(i int, message string) *format.Error {
	t, at := v.tree, v.List()[i].Offset
	if v.node().typ.Kinds&(Gaps|Placed) == 0 {
		begin := t.offset(v.i)
		for _, e := range t.Faults { // about elements that were left out
			if begin < e.Offset && e.Offset < at {
				i++
			}
		}
	}
	path := t.appendPath([]byte(t.scan.Path()), v.i)
	if len(path) > 0 {
		path = append(path, '.')
	}
	return t.error(at, strconv.AppendInt(path, int64(i), 10), message)
}

// ItemFaulty reports whether one of the Faults is about the i-th number of the packed array.
func (v Value) ItemFaulty(i int) bool {
	at := v.List()[i].Offset
	return slices.ContainsFunc(v.tree.Faults, func(e *format.Error) bool { return e.Offset == at })
}

// offset returns the offset of a node. Of what was read by comparing text, only the root and numbers have
// theirs. For others, which errors need, the value is read again. The nodes of a value are the same
// whichever way it is read.
func (t *Tree) offset(i int) int64 {
	if !t.nodes[i].moved {
		return t.nodes[i].offset
	}
	root := &t.nodes[0]
	if t.again == nil {
		if t.reader.again == nil {
			t.reader.again = new(Reader)
		}
		t.again = t.reader.again.Read(t.scan.Reread(root.offset), root.typ)
	}
	if i < len(t.again.nodes) {
		return root.offset + t.again.nodes[i].offset
	}
	return root.offset
}

// appendPath appends the steps from the tree's root to a node.
func (t *Tree) appendPath(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	n := &t.nodes[i]
	parent := &t.nodes[n.parent]
	dst = t.appendPath(dst, int(n.parent))
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	switch member := i - int(parent.first); {
	case parent.kind == jsonscan.Array:
		return strconv.AppendInt(dst, int64(n.index), 10)
	case 0 <= member && member < len(parent.typ.Members):
		return append(dst, parent.typ.Members[member].Name...)
	}
	return append(dst, message.Shorten(n.name)...)
}
