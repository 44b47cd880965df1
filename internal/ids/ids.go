// Package ids makes trace IDs again only where a Reader knows that params changed.
package ids

import (
	"slices"

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

	text  []byte // of the ID, except for the values that change
	holes []hole // in the order of the text
	last  int    // index of the last value in the params, or -1

	around []byte // the ID without the last value
	split  int    // where that belongs
}

// A hole is where a value comes.
type hole struct {
	at    int // in Template.text
	param int // its index
}

// A state says what of a Template is known.
type state byte

const (
	nothing state = iota
	keys          // the text
	values        // the text around the last value, too
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
		t.text = append(append(append(t.text, ','), x.Key...), '=')
		if i == last || slices.Contains(changing, i) {
			t.holes = append(t.holes, hole{len(t.text), i})
		} else {
			t.text = charset.AppendString(t.text, x.Value)
		}
	}
	t.text = append(t.text, ',')
}

// reserve makes room for params that have no text yet. As it is in two pieces, reading a file of 6 KB
// with all IDs takes half as many allocations.
func (t *Template) reserve(p traceid.Params, holes int) {
	if t.text == nil {
		const longer = 32 // than these values, later ones may be
		size := longer
		for _, x := range p {
			size += len(x.Key) + len(x.Value) + len(",=_")
		}
		room := make([]byte, 2*size)
		t.text, t.around = room[:0:size], room[size:size]
		t.holes = make([]hole, 0, holes)
	}
	t.text, t.holes = t.text[:0], t.holes[:0]
}

// Append appends the ID of the params, as Params.AppendID does. Canonical says that the last value is
// known to be canonical: to look at it each time takes 10% more instructions of making IDs.
func (t *Template) Append(dst []byte, p traceid.Params, canonical bool) []byte {
	if t.state == strange || len(p) == 0 {
		return p.AppendID(dst)
	}
	if t.state == keys {
		t.fill(p)
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

// fill makes the text around the last value.
func (t *Template) fill(p traceid.Params) {
	done, text, around := 0, t.text, t.around[:0]
	for _, h := range t.holes {
		around = append(around, text[done:h.at]...)
		if done = h.at; h.param == t.last {
			t.split = len(around)
		} else {
			around = charset.AppendString(around, p[h.param].Value)
		}
	}
	t.around = append(around, text[done:]...)
	t.state = values
}

var charset *traceid.Charset // the default
