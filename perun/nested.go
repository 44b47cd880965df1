package perun

import (
	"bytes"
	"math"

	"perfdata/internal/jsonscan"
)

// This is the fast path for arrays and objects in resources. A profile's uids and traces repeat
// few places in the program, with the same text. A table has the flattened form of each text. The
// slow path is readValue and flattener. Without the table, reading snapshots takes several times
// as many instructions.
//
// Invariants:
//
//   - the flattened form depends only on the key and the text, so it is made once for both;
//   - a text is in the table only if it was read without an error. Values with an error go to
//     readResource each time, which reports the error with its position;
//   - all texts together take at most maxNested bytes, whatever the input.

// A nestedText is an array or object, and its flattened form.
type nestedText struct {
	raw   string   // its JSON
	keys  []string // of the entries
	texts []string
	usage usage
}

// A usage is what reading a value by the slow path uses of the limits.
type usage struct {
	memory int // charged
	flat   int // bytes of nested values when they are flattened
	depth  int // of arrays and objects
}

// A nestedKey is the key of a field and its value's JSON, up to the first bracket that could end it.
// That is usually all of it, and is found much faster than the end.
type nestedKey struct{ key, begin string }

// A nestedTable is a cache of values. A new value replaces the one that begins like it, and the
// cache is cleared when it is too large, so no input can make it slow or large.
type nestedTable struct {
	values map[nestedKey]*nestedText
	bytes  int // upper bound of the size of all values

	in   bytes.Reader
	scan *jsonscan.Scanner // of in
}

const (
	maxRemember = 8 << 10 // bytes of a value
	maxNested   = 8 << 20 // bytes of all values
	nestedEntry = 32      // bytes of the two strings of an entry, without their texts
)

// find returns the value that b begins with, of the member with the key. If the table does not
// have the value, find reads it. It returns nil if the value has an error, and the length 0 if b
// does not have all of the value.
func (t *nestedTable) find(g *grammar, key string, b []byte) (v *nestedText, length int) {
	if b[0] != '[' && b[0] != '{' {
		return nil, 1
	}
	begin := bytes.IndexByte(b, b[0]+2) + 1 // the bracket that closes [ or {
	if begin == 0 {
		return nil, 0
	}
	v = t.values[nestedKey{key, string(b[:begin])}]
	// No array or object is a proper prefix of another, so this identifies a value without its end.
	if v != nil && len(b) >= len(v.raw) && string(b[begin:len(v.raw)]) == v.raw[begin:] {
		return v, len(v.raw)
	}

	if length, _ = jsonscan.ValueLen(b); length == 0 {
		return nil, 0
	}
	if v = t.read(g, key, b[:length]); v == nil {
		return nil, length
	}
	size := length + v.usage.flat + nestedEntry*len(v.keys)
	if t.values == nil || t.bytes+size > maxNested {
		t.values, t.bytes = map[nestedKey]*nestedText{}, 0
	}
	if size <= maxRemember {
		t.bytes += size
		v.raw = string(b[:length])
		t.values[nestedKey{key, v.raw[:begin]}] = v
	}
	return v, length
}

// read reads a value. It returns nil if the value has an error.
func (t *nestedTable) read(g *grammar, key string, raw []byte) *nestedText {
	t.in.Reset(raw)
	if t.scan == nil {
		t.scan = jsonscan.New(&t.in, "", g.limits)
		t.scan.AllowNaN()
	} else {
		t.scan.Reset(&t.in, "", g.limits)
	}
	t.scan.BeginRegion("", math.MaxInt64, 0)
	value := readValue(t.scan, g.strings.String)
	charged := t.scan.Charged()
	if !t.scan.End() {
		return nil
	}
	g.flattener.budget = g.limits.MaxStringBytes
	flat := g.flattener.value(nil, key, false, value)
	if g.flattener.budget < 0 {
		return nil
	}

	v := &nestedText{usage: usage{charged, g.limits.MaxStringBytes - g.flattener.budget, value.depth()}}
	for _, f := range flat {
		v.keys, v.texts = append(v.keys, f.Key), append(v.texts, f.Value.String())
	}
	return v
}
