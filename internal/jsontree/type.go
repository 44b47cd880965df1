package jsontree

import (
	"strings"

	"perfdata/internal/jsonscan"
)

// A Type says what a value may be, and what of it is wanted. Null is always allowed, and treated as
// absent.
type Type struct {
	Kinds Kinds

	Members  []Member // of an object: those that are wanted by name, at most 63
	Others   *Type    // of an object: all other members; nil skips them
	Elements *Type    // of an array, unless it is Packed

	Sample Sample // for tests

	names []string   // of Members
	place [128]uint8 // 1 + the index of a member, by placeOf its name; 0 if there is none
	parts bool       // a value in it is of a type that Repeats
}

// A Sample says which values of a type are those of valid documents, for tests, which make documents by the
// table. The zero Sample says that any value is, and that it may be absent.
type Sample struct {
	Needed bool     // it is never absent
	Unique bool     // a text that differs from all others of the document
	Texts  []string // JSON texts, one of which it is; of an array of numbers, each element is
	Part   string   // a text may consist of any number of these, each with another text for $
}

// A Member is a member of an object.
type Member struct {
	Name string
	Type *Type
}

// Kinds is a set of what a value may be, and how it is kept.
type Kinds uint16

const (
	Strings Kinds = 1 << iota
	Numbers
	Bools
	Arrays
	Objects

	Written // a number has its text, too, as it is written
	Packed  // an array of numbers, which takes a sixth of the memory of an array of values
	Raw     // any value; its Text is that of a string, or the JSON text of anything else
	Lenient // a value of another kind is absent without a fault
	Gaps    // an array that is Packed has NaN where it has null or a value of another kind, which it else leaves out
	Placed  // the same, but null is a fault

	// Repeats is a value in a larger one, which is compared with earlier ones by itself: for parts of a value
	// that repeat where the value as a whole does not. A Vitest file of various groups takes a third of the
	// time. Where values repeat as a whole, as in data.js, reading parts takes 15% more.
	Repeats
)

// The types of simple values.
var (
	Text    = &Type{Kinds: Strings}
	Number  = &Type{Kinds: Numbers}
	Literal = &Type{Kinds: Numbers | Written} // a number, as it is written
	Bool    = &Type{Kinds: Bools}
	Any     = &Type{Kinds: Raw}
	List    = &Type{Kinds: Arrays | Packed} // of numbers
)

// Object returns the type of an object with the members. Others are skipped.
func Object(members ...Member) *Type { return ObjectOf(nil, members...) }

// ObjectOf returns the type of an object with the members, and any others of the type.
func ObjectOf(others *Type, members ...Member) *Type {
	t := &Type{Kinds: Objects, Others: others, parts: others.hasParts()}
	for _, m := range members {
		t.add(m)
	}
	return t
}

func (t *Type) add(m Member) {
	if at := &t.place[placeOf(m.Name)]; *at == 0 {
		*at = uint8(len(t.names) + 1)
	}
	t.Members, t.names = append(t.Members, m), append(t.names, m.Name)
	t.parts = t.parts || m.Type.hasParts()
}

// placeOf returns a place for a name. Most names of a type have different ones.
func placeOf(name string) byte {
	if name == "" {
		return 0
	}
	return (byte(len(name))*103 + name[0]*44 + name[len(name)-1]*52) % 128
}

// With adds members of a type to that of an object, which it returns.
func (t *Type) With(of *Type, names ...string) *Type {
	for _, name := range names {
		t.add(Member{Name: name, Type: of})
	}
	return t
}

// ArrayOf returns the type of an array.
func ArrayOf(elements *Type) *Type {
	return &Type{Kinds: Arrays, Elements: elements, parts: elements.hasParts()}
}

func (t *Type) hasParts() bool { return t != nil && (t.Kinds&Repeats != 0 || t.parts) }

// changed returns a copy of the type, which the function changes.
func (t *Type) changed(change func(*Type)) *Type {
	changed := *t
	change(&changed)
	return &changed
}

// Or returns a type whose values may have the kinds of t, or more kinds.
func (t *Type) Or(kinds Kinds) *Type { return t.changed(func(t *Type) { t.Kinds |= kinds }) }

// OrArrayOf returns a type whose values may be those of t, or an array.
func (t *Type) OrArrayOf(elements *Type) *Type {
	return t.changed(func(t *Type) { t.Kinds, t.Elements = t.Kinds|Arrays, elements })
}

// Needed returns a type whose values are never absent from a valid document.
func (t *Type) Needed() *Type { return t.changed(func(t *Type) { t.Sample.Needed = true }) }

// Unique returns a type of texts that are never the same in a valid document.
func (t *Type) Unique() *Type { return t.changed(func(t *Type) { t.Sample.Unique = true }) }

// From returns a type whose values, or numbers if it is Packed, have one of the JSON texts in valid documents.
func (t *Type) From(texts ...string) *Type {
	return t.changed(func(t *Type) { t.Sample.Texts = texts })
}

// Of returns a type of texts that may consist of any number of parts, each with another text for $.
func (t *Type) Of(part string) *Type { return t.changed(func(t *Type) { t.Sample.Part = part }) }

// has are the kinds of the values of each kind of the scanner.
var has = [...]Kinds{
	jsonscan.Bool: Bools, jsonscan.Number: Numbers, jsonscan.String: Strings,
	jsonscan.Array: Arrays, jsonscan.Object: Objects,
}

// String returns the kinds in the words of errors.
func (k Kinds) String() string {
	var words []string
	for kind, bit := range has {
		if bit != 0 && k&bit != 0 {
			words = append(words, jsonscan.Kind(kind).String())
		}
	}
	return strings.Join(words, " or ")
}
