package perun

import (
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/traceid"
)

// A keptList is a list of JSON values or members that is written last. Until then, it is in memory
// or, if it is large, in a temporary file.
type keptList struct {
	spool *buffer.Spool
	text  []byte // scratch
}

// add adds an item, which the function appends to its text.
func (k *keptList) add(out *buffer.Output, item func([]byte) []byte) error {
	k.text = k.text[:0]
	if k.spool == nil {
		limits := format.Limits{}.WithDefaults()
		k.spool = buffer.NewSpool(limits.MaxSpoolMemory, limits.MaxSpoolBytes)
	} else {
		k.text = append(k.text, ',')
	}
	k.text = item(append(k.text, '\n'))
	if _, err := k.spool.Write(k.text); err != nil {
		return out.Fail(err)
	}
	return nil
}

// writeTo writes the list between two texts.
func (k *keptList) writeTo(out *buffer.Output, before, after string) {
	out.Bytes = append(out.Bytes, before...)
	if k.spool != nil {
		out.Copy(k.spool.Reader())
	}
	out.Bytes = append(out.Bytes, after...)
}

// close removes the temporary file.
func (k *keptList) close() error {
	if k.spool == nil {
		return nil
	}
	return k.spool.Close()
}

// A typeWriter writes the layout of types. It holds the resource types that are not written yet,
// and the entries of the map for the types that were written.
type typeWriter struct {
	out     *buffer.Output
	all     []*heldType
	byKey   map[string]*heldType
	newest  map[string]*heldType // by canonical uid, type and subtype: the order of resources with these stays
	trace   []byte               // the key in newest of the last resource
	held    int                  // bytes
	uids    map[string]int       // number of types by uid
	entries keptList
	written bool // a type was written

	// The type, the key and the fields of the last resource.
	last *heldType // nil: it was written
	key  []byte
	splitFields
}

// splitFields are the fields of a resource: those that are collected for each resource, and all others.
type splitFields struct{ collected, own Fields }

func (s *splitFields) set(fields Fields) {
	s.collected, s.own = s.collected[:0], s.own[:0]
	for _, f := range fields {
		if isCollectable(f.Key) {
			s.collected = append(s.collected, f)
		} else {
			s.own = append(s.own, f)
		}
	}
}

// A heldType is a resource type with its arrays, as text.
type heldType struct {
	name    string
	entry   string // of the map
	columns []heldColumn
}

// A heldColumn is an array.
type heldColumn struct {
	key    string
	values []byte // separated by commas
}

// room returns the values, with room for a comma and a number or n bytes. Up to 64 KiB it doubles
// their memory. With append, which adds a quarter, writing profiles allocates 1.5 times as much.
func (c *heldColumn) room(n int) []byte {
	if size := len(c.values); size < 64<<10 && cap(c.values)-size < 32+n {
		c.values = slices.Grow(c.values, size+32+n)
	}
	return c.values
}

// write adds a resource to its type.
func (t *typeWriter) write(fields Fields) error {
	t.set(fields)
	t.key = t.key[:0]
	for _, f := range t.collected {
		t.key = chars.AppendJSON(t.key, f.Key)
	}
	prefix := len(t.key)
	t.key = t.own.appendJSON(t.key, false)
	t.trace = t.trace[:0]
	for _, key := range [...]string{"uid", "type", "subtype"} {
		value, _ := t.own.Get(key)
		t.trace = append(append(t.trace, traceid.CanonicalString(value.FlatText())...), ',')
	}
	held, ok := t.byKey[string(t.key)]
	if !ok || held != t.newest[string(t.trace)] || prefix == 0 { // a type without arrays has one resource
		// Add a resource type. Its entry of the map follows the prefix in the key.
		v, _ := t.own.Get("uid")
		uid := v.FlatText()
		key, number := string(t.key), t.uids[uid]
		held = &heldType{name: uid + "#" + strconv.Itoa(number), entry: key[prefix:]}
		t.uids[uid] = number + 1
		for _, f := range t.collected {
			held.columns = append(held.columns, heldColumn{key: f.Key})
		}
		t.all = append(t.all, held)
		t.byKey[key], t.newest[string(t.trace)] = held, held
		t.held += 2*len(t.key) + len(t.trace) + 250
	}
	t.last = held

	for i, f := range t.collected {
		c := &held.columns[i]
		before := len(c.values)
		if before > 0 {
			c.values = append(c.values, ',')
		}
		c.values = f.Value.appendJSON(c.values, false)
		t.held += len(c.values) - before
	}
	return t.flushIfHeld()
}

// flushIfHeld writes the types if many bytes are held.
func (t *typeWriter) flushIfHeld() error {
	if t.held > 16<<20 {
		return t.flush()
	}
	return nil
}

// flush writes the types that are held.
func (t *typeWriter) flush() error {
	out := t.out
	for _, held := range t.all {
		err := t.entries.add(out, func(b []byte) []byte {
			return append(append(chars.AppendJSON(b, held.name), ':'), held.entry...)
		})
		if err != nil {
			return err
		}

		if t.written {
			out.Bytes = append(out.Bytes, ',')
		}

		t.written = true
		out.Bytes = append(chars.AppendJSON(append(out.Bytes, '\n'), held.name), ":{"...)
		for i, c := range held.columns {
			if i > 0 {
				out.Bytes = append(out.Bytes, ',')
			}
			out.Bytes = append(chars.AppendJSON(out.Bytes, c.key), ":["...)
			out.Bytes = append(append(out.Bytes, c.values...), ']')
			if err := out.FlushIfLarge(); err != nil {
				return err
			}
		}
		out.Bytes = append(out.Bytes, '}')
	}

	clear(t.byKey)
	clear(t.newest)
	t.all, t.held, t.last = nil, 0, nil
	return out.FlushIfLarge()
}
