package traceid

import (
	"slices"

	"perfdata/internal/same"
)

// An Encoder makes the ids of params, one after the other. It remembers the last id and encodes
// only what differs. That suits the records of a file, which differ from the record before in one
// or two values: then an id takes 60% of the instructions that Params.AppendID takes, or 20% if
// characters have to be replaced, as in ns/op. The ids are the same.
//
// Readers of Go benchmark data and of the Skia Perf format, version 1, know what differs: their
// AppendTraceID is faster still.
//
// The zero Encoder is ready for use. It keeps the strings of the last params. It serves one
// goroutine.
type Encoder struct {
	// Charset of the ids; nil is the default.
	Charset *Charset

	id    []byte
	parts []part // of id, in its order; none if keys had to change
}

// A part is what the last id has of one param.
type part struct {
	Param
	length int // of the value in the id
}

// AppendID appends the canonical id of p to dst and returns the extended slice. It appends nothing
// if p is empty. It keeps the strings of p until the next call.
func (e *Encoder) AppendID(dst []byte, p Params) []byte {
	if len(p) == 0 {
		return dst
	}
	if len(p) != len(e.parts) {
		e.encode(p)
		return append(dst, e.id...)
	}

	for i, at := e.sameParams(p, 0, 1); i < len(p); i, at = e.sameParams(p, i, at) {
		x, y := &p[i], &e.parts[i]
		if x.Key != y.Key {
			e.encode(p)
			break
		}
		at += len(x.Key) + 1
		if x.Value != y.Value {
			e.replace(at, y, x.Value)
		}
		at += y.length + 1
		i++
	}
	return append(dst, e.id...)
}

// sameParams returns the index of the first param, from the i-th on, that may differ from the last
// one in its place, and the index of that one's key in the id, given that of the i-th.
func (e *Encoder) sameParams(p Params, i, at int) (int, int) {
	parts := e.parts[:len(p)]
	for ; i < len(p); i++ {
		x, y := &p[i], &parts[i]
		if !same.String(x.Value, y.Value) || !same.String(x.Key, y.Key) {
			break
		}
		at += len(x.Key) + y.length + 2
	}
	return i, at
}

// encode makes the id of p from scratch.
func (e *Encoder) encode(p Params) {
	c := e.Charset.orDefault()
	e.id, e.parts = append(e.id[:0], ','), e.parts[:0]
	for i, x := range p {
		if !c.allows(x.Key) || i > 0 && x.Key <= p[i-1].Key {
			e.id, e.parts = c.AppendID(e.id[:0], p), e.parts[:0]
			return
		}
		e.id = append(e.id, x.Key...)
		e.id = append(e.id, '=')
		start := len(e.id)
		e.id = c.appendString(e.id, x.Value)
		e.parts = append(e.parts, part{x, len(e.id) - start})
		e.id = append(e.id, ',')
	}
}

// replace gives the part, whose value begins at the index, another value.
func (e *Encoder) replace(at int, y *part, value string) {
	y.Value = value
	c := e.Charset.orDefault()
	if len(value) != y.length {
		e.resize(at, y, len(value))
	}
	place := e.id[at : at+len(value)]
	for i := range place {
		b := c.replaced[value[i]]
		if b == 0 { // not ASCII: a rune takes one byte if it is replaced
			value = c.CanonicalString(value)
			e.resize(at, y, len(value))
			copy(e.id[at:], value)
			return
		}
		place[i] = b
	}
	if value == "" {
		e.resize(at, y, 1)
		e.id[at] = '_'
	}
}

// resize makes the place of a value in the id so long.
func (e *Encoder) resize(at int, y *part, length int) {
	n := len(e.id)
	size := n + length - y.length
	if size > cap(e.id) {
		e.id = slices.Grow(e.id, size-n)
	}
	id := e.id[:max(size, n)]
	copy(id[at+length:], id[at+y.length:n])
	e.id, y.length = id[:size], length
}
