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
//     parse each time, which reports the error with its position;
//   - all texts together take at most about 16 MiB, whatever the input.

// A nestedText is an array or object, and its flattened form.
type nestedText struct {
	key   string   // of its field
	raw   string   // its JSON
	keys  []string // of the entries
	texts []string
	cost  int // memory that reading it charges, and bytes of its flattened form
	depth int // of arrays and objects
}

// A nestedTable is a cache of values, by their JSON up to the first bracket that could end it. That
// is usually all of it, and is found much faster than the end. A new value replaces the one that
// begins like it, and the cache is cleared when it is too large, so no input can make it slow or large.
type nestedTable struct {
	values map[string]*nestedText
	bytes  int // upper bound of the size of all values

	in   bytes.Reader
	scan *jsonscan.Scanner // of in
}

// find returns the value that b begins with, of the member with the key. If the table does not
// have the value, find reads it. It returns nil if the value has an error, and the length 0 if b
// does not have all of the value.
func (t *nestedTable) find(d *document, key string, b []byte) (v *nestedText, length int) {
	if b[0] != '[' && b[0] != '{' {
		return nil, 1
	}
	begin := bytes.IndexByte(b, b[0]+2) + 1 // the bracket that closes [ or {
	if begin == 0 {
		return nil, 0
	}
	v = t.values[string(b[:begin])]
	// No array or object is a proper prefix of another, so this identifies a value without its end.
	if v != nil && v.key == key && len(b) >= len(v.raw) && string(b[begin:len(v.raw)]) == v.raw[begin:] {
		return v, len(v.raw)
	}

	length, depth := jsonscan.ValueLen(b)
	if length == 0 {
		return nil, 0
	}
	if v = t.read(d, key, b[:length]); v == nil {
		return nil, length
	}

	const maxRemember, maxNested = 32 << 10, 16 << 20 // bytes of a value, and of all
	v.depth = depth
	size := length + v.cost
	if t.values == nil || t.bytes+size > maxNested {
		t.values, t.bytes = map[string]*nestedText{}, 0
	}
	if size <= maxRemember {
		t.bytes += size
		v.raw = string(b[:length])
		t.values[v.raw[:begin]] = v
	}
	return v, length
}

// read reads a value. It returns nil if the value has an error.
func (t *nestedTable) read(d *document, key string, raw []byte) *nestedText {
	t.in.Reset(raw)
	if t.scan == nil {
		t.scan = jsonscan.New(&t.in, "", d.limits)
		t.scan.AllowNaN()
	} else {
		t.scan.Reset(&t.in, "", d.limits)
	}
	t.scan.BeginRegion("", math.MaxInt64, 0)
	value := readValue(t.scan, d.strings.String)
	charged := t.scan.Charged()
	if !t.scan.End() {
		return nil
	}

	d.flattener.budget = d.limits.MaxStringBytes
	flat := d.flattener.value(nil, key, value)
	if d.flattener.budget < 0 {
		return nil
	}

	v := &nestedText{key: key, cost: charged + d.limits.MaxStringBytes - d.flattener.budget}
	for _, f := range flat {
		v.keys, v.texts = append(v.keys, f.Key), append(v.texts, f.Value.String())
	}
	return v
}
