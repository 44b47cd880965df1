package perun

import (
	"bytes"
	"hash/maphash"
	"slices"

	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
)

// A profile's uids and traces repeat the same few places in the program, with the same text. A
// table remembers what each text becomes flattened. Because no JSON array or object is the
// beginning of another one, input that begins with a remembered text has exactly that value
// there: its end need not be found first.

// A nestedText is an array or object, and what it becomes flattened.
type nestedText struct {
	raw   string // its JSON, if it is remembered
	key   string
	keys  []string // of the entries
	texts []string
	usage usage

	next int  // where the one stood that came after it
	sure bool // that was so more than once in succession
}

// is reports whether b begins with the value, under the key.
func (v *nestedText) is(key string, b []byte) bool {
	return v != nil && len(b) >= len(v.raw) && string(b[:len(v.raw)]) == v.raw && v.key == key
}

// A nestedTable remembers values. A newcomer takes the place of one of the few whom it meets, and
// all are forgotten when they are too many bytes, so no input can make it slow or large.
type nestedTable struct {
	seed   maphash.Seed
	hashes []uint64      // of the values' beginnings, up to the first bracket that could end them
	values []*nestedText // a value may be in any of the ways of its set
	turn   int
	bytes  int         // of all values, or more
	last   *nestedText // that was found

	in   bytes.Reader
	scan *jsonscan.Scanner // of in
	sub  flattener
}

const (
	nestedWays  = 8
	nestedSets  = 256
	maxRemember = 8 << 10 // bytes of a value
	maxNested   = 8 << 20 // bytes of all of them
)

// find returns the value that b begins with, of the member that has the key. A whole one that
// isn't remembered is read. It returns nil if anything is wrong with the value, and the length 0
// if b ends too early.
func (t *nestedTable) find(r *Reader, key string, b []byte) (v *nestedText, length int) {
	if t.values == nil {
		t.seed = maphash.MakeSeed()
		t.hashes, t.values = make([]uint64, nestedWays*nestedSets), make([]*nestedText, nestedWays*nestedSets)
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
	set := int(hash % nestedSets * nestedWays)
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

// remember puts a value, whose JSON is raw, into one of the ways of a set, unless it is too large.
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
	i := set + t.turn%nestedWays
	t.hashes[i], t.values[i] = hash, v
	t.turn++
}

// forget forgets all values.
func (t *nestedTable) forget() {
	clear(t.hashes)
	clear(t.values)
	t.last, t.bytes = nil, 0
}

// nestedEntry is how many bytes the two strings of an entry take, without their texts.
const nestedEntry = 32

// read reads a value. It returns nil if anything is wrong with it.
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

// matchNested returns the length of the nested value that b begins with, if the shape's field
// with the tag can take it: if it becomes the same entries as the value that was read there. It
// is a forms.NestedFunc.
func (r *Reader) matchNested(sh *shape, tag forms.Tag, b []byte) (length int) {
	m := &sh.members[tag.Index]
	key := sh.fields[tag.Index].Key
	if key == "trace" && b[0] != '[' {
		return 0 // readFields has an error about it
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
		v.keys = m.match.keys // so that they needn't be compared again
	}
	m.match = v
	return length
}
