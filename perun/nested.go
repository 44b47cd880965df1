package perun

import (
	"bytes"
	"hash/maphash"
	"slices"

	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
)

// A profile's uids and traces repeat few places in the program, with the same text. A table has
// the flattened form of each text. No JSON array or object is a proper prefix of another, so a
// prefix match identifies a cached value without finding its end.

// A nestedText is an array or object, and its flattened form.
type nestedText struct {
	raw   string // its JSON, if it is in the table
	key   string
	keys  []string // of the entries
	texts []string
	usage usage

	next int  // index of the value that came next last time
	sure bool // the same value came next the last two times
}

// is reports whether b begins with the value, under the key.
func (v *nestedText) is(key string, b []byte) bool {
	return v != nil && len(b) >= len(v.raw) && string(b[:len(v.raw)]) == v.raw && v.key == key
}

// A nestedTable is a cache of values. A new value replaces one of its set, and the cache is
// cleared when it is too large, so no input can make it slow or large.
type nestedTable struct {
	seed   maphash.Seed
	hashes []uint64      // of the values' prefixes, up to the first bracket that could end them
	values []*nestedText // a value may be in any of the ways of its set
	added  int
	turn   int
	bytes  int         // upper bound of the size of all values
	last   *nestedText // that was found

	in   bytes.Reader
	scan *jsonscan.Scanner // of in
	sub  flattener
}

const (
	nestedWays  = 8
	minSets     = 8
	maxSets     = 256
	maxRemember = 8 << 10 // bytes of a value
	maxNested   = 8 << 20 // bytes of all values
)

// find returns the value that b begins with, of the member with the key. If the table does not
// have the value, find reads it. It returns nil if the value has an error, and the length 0 if b
// does not have all of the value.
func (t *nestedTable) find(r *Reader, key string, b []byte) (v *nestedText, length int) {
	if 2*t.added >= len(t.values) && len(t.values) < nestedWays*maxSets {
		t.grow()
	}
	if b[0] != '[' && b[0] != '{' {
		return nil, 1
	}

	if t.last != nil && t.last.sure {
		if v := t.values[t.last.next]; v.is(key, b) {
			t.last = v
			return v, len(v.raw)
		}
	}

	end := bytes.IndexByte(b, b[0]+2) // [ and ], or { and }
	if end < 0 {
		return nil, 0
	}
	hash := maphash.Bytes(t.seed, b[:end])
	set := t.set(hash)
	for i, h := range t.hashes[set:][:nestedWays] {
		if v := t.values[set+i]; h == hash && v.is(key, b) {
			if last := t.last; last != nil {
				last.sure, last.next = last.next == set+i, set+i
			}
			t.last = v
			return v, len(v.raw)
		}
	}

	length, _ = jsonscan.ValueLen(b)
	if length == 0 {
		return nil, 0
	}
	if v = t.read(r, key, b[:length]); v != nil {
		t.remember(v, b[:length], hash, set)
	}
	return v, length
}

// remember adds a value with the JSON raw to a set, unless it is too large.
func (t *nestedTable) remember(v *nestedText, raw []byte, hash uint64, set int) {
	size := len(raw) + v.usage.flat + nestedEntry*len(v.keys)
	if size > maxRemember {
		return
	}
	if t.bytes+size > maxNested {
		t.forget()
	}
	t.bytes += size
	v.raw = string(raw)
	t.put(v, hash, set)
}

// set returns the index of the first value of a set.
func (t *nestedTable) set(hash uint64) int {
	return int(hash%uint64(len(t.values)/nestedWays)) * nestedWays
}

// put puts a value into a set.
func (t *nestedTable) put(v *nestedText, hash uint64, set int) {
	i := set + t.turn%nestedWays
	t.hashes[i], t.values[i] = hash, v
	t.turn++
	t.added++
}

// grow gives the table more sets.
func (t *nestedTable) grow() {
	if t.values == nil {
		t.seed = maphash.MakeSeed()
	}
	hashes, values := t.hashes, t.values
	n := max(nestedWays*minSets, 4*len(values))
	t.hashes, t.values, t.added = make([]uint64, n), make([]*nestedText, n), 0
	for i, v := range values {
		if v != nil {
			v.sure = false // its next value has another index
			t.put(v, hashes[i], t.set(hashes[i]))
		}
	}
}

// forget forgets all values.
func (t *nestedTable) forget() {
	clear(t.hashes)
	clear(t.values)
	t.last, t.added, t.bytes = nil, 0, 0
}

// nestedEntry is the size in bytes of the two strings of an entry, without their texts.
const nestedEntry = 32

// read reads a value. It returns nil if the value has an error.
func (t *nestedTable) read(r *Reader, key string, raw []byte) *nestedText {
	t.in.Reset(raw)
	if t.scan == nil {
		t.scan = jsonscan.New(&t.in, "", r.Limits)
		t.scan.AllowNaN()
	} else {
		t.scan.Reset(&t.in, "", r.Limits)
	}
	value := readValue(t.scan, r.text)
	if !t.scan.End() {
		return nil
	}

	t.sub.budget = r.Limits.MaxStringBytes
	flat := t.sub.value(nil, key, false, value)
	if t.sub.budget < 0 {
		return nil
	}

	v := &nestedText{
		key: key, keys: make([]string, len(flat)), texts: make([]string, len(flat)),
		usage: usage{value.cost(), r.Limits.MaxStringBytes - t.sub.budget, value.depth()},
	}
	for i := range flat {
		v.keys[i], v.texts[i] = flat[i].Key, flat[i].Value.String()
	}
	return v
}

// matchNested returns the length of the nested value that b begins with, if it has the same
// entries as the value that was read for the shape's field with the tag. It is a
// forms.NestedFunc.
func (r *Reader) matchNested(sh *shape, tag forms.Tag, b []byte) (length int) {
	m := &sh.members[tag.Index]
	key := sh.fields[tag.Index].Key
	if key == "trace" && b[0] != '[' {
		return 0 // readFields reports it
	}
	v, length := r.shapes.nested.find(r, key, b)
	switch {
	case length == 0:
		return -1
	case v == nil:
		return 0
	case m.match != nil && &v.keys[0] == &m.match.keys[0]:
	case !slices.Equal(v.keys, sh.keys[m.entries:][:m.count]):
		return 0
	case m.match != nil:
		v.keys = m.match.keys // need not be compared again
	}
	m.match = v
	return length
}
