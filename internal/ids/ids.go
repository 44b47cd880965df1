// Package ids updates trace IDs where a Reader knows that params changed.
package ids

import (
	"slices"

	"perfdata/internal/same"
	"perfdata/traceid"
)

// A Template makes the IDs of params whose keys stay the same. Only some values may change, and one
// of them more often than the others: the last. The zero Template is ready for use.
//
// The text around the last value is kept while only that changes. With a traceid.Encoder instead,
// which must find out what has changed, reading Skia v1 and making all IDs takes 23% more
// instructions, even if shapes vary. With Params.AppendID, it takes 90% more, or 65%.
type Template struct {
	state state
	last  int // index of the last value in the params, or -1

	around []byte // the ID without the last value
	split  int    // where that belongs
	holes  []hole // in around
	spare  []byte // memory for the next around
}

// A hole is where a value comes that may change.
type hole struct {
	param         int // its index
	place, length int // of its canonical form, in Template.around; no length before the first one
	value         string
}

// A state says what of a Template is known.
type state byte

const (
	nothing state = iota
	keys          // the text around the last value, but other values in it may have changed
	values        // the text around the last value
	strange       // the keys are not canonical: each ID is made from scratch
)

// Reset says that all of the params may have changed.
func (t *Template) Reset() { t.state = nothing }

// Change says that the values that may change have changed.
func (t *Template) Change() {
	if t.state == values {
		t.state = keys
	}
}

// Known reports whether Append needs no call of Learn before it.
func (t *Template) Known() bool { return t.state != nothing }

// Learn takes the keys of the params, and the values that do not change until Reset. The others are
// at the indices in changing, and at the index last, unless that is negative.
func (t *Template) Learn(p traceid.Params, changing []int, last int) {
	t.state, t.last = keys, last
	t.reserve(p, len(changing)+1)
	for i, x := range p {
		if i > 0 && x.Key <= p[i-1].Key || traceid.CanonicalString(x.Key) != x.Key {
			t.state = strange
			return
		}
		t.around = append(append(append(t.around, ','), x.Key...), '=')
		switch {
		case i == last:
			t.split = len(t.around)
			fallthrough
		case slices.Contains(changing, i):
			t.holes = append(t.holes, hole{param: i, place: len(t.around)})
		default:
			t.around = charset.AppendString(t.around, x.Value)
		}
	}
	t.around = append(t.around, ',')
}

// reserve makes room for params that have no text yet. As it is in two pieces, reading a file of 6 KB
// with all IDs takes half as many allocations.
func (t *Template) reserve(p traceid.Params, holes int) {
	if t.around == nil {
		size := growth
		for _, x := range p {
			size += len(x.Key) + len(x.Value) + len(",=_")
		}
		room := make([]byte, 2*size)
		t.around, t.spare = room[:0:size], room[size:size]
		t.holes = make([]hole, 0, holes)
	}
	t.around, t.holes = t.around[:0], t.holes[:0]
}

// Append appends the ID of the params, as Params.AppendID does. Canonical says that the last value is
// known to be canonical: to look at it each time takes 10% more instructions of making IDs.
func (t *Template) Append(dst []byte, p traceid.Params, canonical bool) []byte {
	if !t.ready(p) {
		return p.AppendID(dst)
	}
	if t.last < 0 {
		return append(dst, t.around...)
	}

	value := p[t.last].Value
	dst = append(dst, t.around[:t.split]...)
	if canonical {
		dst = append(dst, value...)
	} else {
		dst = charset.AppendString(dst, value)
	}
	return append(dst, t.around[t.split:]...)
}

// IsCanonical reports whether a value is canonical.
func IsCanonical(value string) bool { return value != "" && traceid.CanonicalString(value) == value }

// AppendWith is Append for params whose last value, which they must have, is in canonical form in
// last, with a comma after it: in Go benchmarks, it is one of a few units. With Append, reading
// those and making their IDs takes 15% more instructions, or 26% if names repeat.
func (t *Template) AppendWith(dst []byte, p traceid.Params, last string) []byte {
	if t.state != values && !t.ready(p) {
		return p.AppendID(dst)
	}
	dst = append(dst, t.around[:t.split]...)
	dst = append(dst, last...)
	if rest := t.around[t.split+1:]; len(rest) > 0 {
		dst = append(dst, rest...)
	}
	return dst
}

// ready makes the text around the last value, unless it is known. It returns false if the ID has to
// be made from scratch.
func (t *Template) ready(p traceid.Params) bool {
	if t.state == strange || len(p) == 0 {
		return false
	}
	if t.state == keys {
		t.update(p)
		t.state = values
	}
	return true
}

// growth is by how much values may become longer before Template.around needs more memory.
const growth = 32

// update puts the values that have changed into the text around the last value. To make all of it
// again, reading Go benchmarks whose names all differ and making their IDs takes 10% more
// instructions.
func (t *Template) update(p traceid.Params) {
	t.spare = slices.Grow(t.spare[:0], len(t.around)+growth)
	done, before, around := 0, t.around, t.spare
	for i := range t.holes {
		h := &t.holes[i]
		place := h.place
		h.place += len(around) - done
		if h.param == t.last {
			t.split = h.place
			continue
		}
		if value := p[h.param].Value; h.length == 0 || !same.Text(value, h.value) {
			around = charset.AppendString(append(around, before[done:place]...), value)
			done = place + h.length
			h.value, h.length = value, len(around)-h.place
		}
	}
	if done > 0 {
		t.around, t.spare = append(around, before[done:]...), before
	}
}

var charset *traceid.Charset // the default
