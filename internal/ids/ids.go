// Package ids makes trace IDs again only where a Reader knows that params changed.
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

	text   []byte // of the ID, except for the values that change
	holes  []hole // in the order of the text
	last   int    // index of the last value in the params, or -1
	filled int    // how many of the holes have places and values

	around []byte // the ID without the last value
	split  int    // where that belongs
}

// A hole is where a value comes.
type hole struct {
	at    int // in Template.text
	param int // its index

	place int    // in Template.around
	value string // that is there; none for the last one
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
	t.text, t.holes, t.filled = t.text[:0], t.holes[:0], 0
	for i, x := range p {
		if i > 0 && x.Key <= p[i-1].Key || traceid.CanonicalString(x.Key) != x.Key {
			t.state = strange
			return
		}
		t.text = append(append(append(t.text, ','), x.Key...), '=')
		if i == last || slices.Contains(changing, i) {
			t.holes = append(t.holes, hole{at: len(t.text), param: i})
		} else {
			t.text = charset.AppendString(t.text, x.Value)
		}
	}
	t.text = append(t.text, ',')
}

// Append appends the ID of the params, as Params.AppendID does.
func (t *Template) Append(dst []byte, p traceid.Params) []byte {
	if !t.ready(p) {
		return p.AppendID(dst)
	}
	if t.last < 0 {
		return append(dst, t.around...)
	}
	dst = append(dst, t.around[:t.split]...)
	dst = charset.AppendString(dst, p[t.last].Value)
	return append(dst, t.around[t.split:]...)
}

// AppendWith is Append for params whose last value, which they must have, is in canonical form in
// last, with a comma after it: in Go benchmarks, it is one of a few units.
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
		t.fill(p)
	}
	return true
}

// fill makes the text around the last value. What comes before the first value that has changed
// stays: often, the others are half of the text.
func (t *Template) fill(p traceid.Params) {
	i := 0
	for i < t.filled && (t.holes[i].param == t.last || same.String(p[t.holes[i].param].Value, t.holes[i].value)) {
		i++
	}
	t.filled = len(t.holes)
	t.state = values
	if i == len(t.holes) && i > 0 {
		return
	}

	done, text, around := 0, t.text, t.around[:0]
	if i > 0 {
		around, done = t.around[:t.holes[i].place], t.holes[i].at
	}
	for ; i < len(t.holes); i++ {
		h := &t.holes[i]
		around = append(around, text[done:h.at]...)
		h.place = len(around)
		if done = h.at; h.param == t.last {
			t.split = len(around)
		} else {
			h.value = p[h.param].Value
			around = charset.AppendString(around, h.value)
		}
	}
	t.around = append(around, text[done:]...)
}

var charset *traceid.Charset // the default
