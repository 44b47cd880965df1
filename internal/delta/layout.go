package delta

import (
	"slices"
	"time"

	"perfdata/internal/chars"
	"perfdata/traceid"
)

// A Layout makes the trace IDs of params in one place of a Reader's memory, record after record. It
// remembers the last ID, and what it was made of. The zero Layout is ready for use.
//
// One param, the hot one, usually changes more often than all others: that of the statistic, or the
// unit. The ID is the text before it, its canonical value, and the text after it.
//
// Invariants while known is true:
//
//   - id is the ID of the params last, but has hotValue as the value of the hot param;
//   - last has the keys and the values of all params of the last call, the hot one's included;
//   - id[spans[i].start:spans[i].end] is the canonical value of the i-th param.
//
// As last keeps the strings, their memory is not reused for others. So where the address and the
// length of a string are those in last, its text is too, and need not be compared. The opposite does
// not hold: the same text at another address is compared, and then remembered with the new address.
//
// With a Layout, reading Go benchmarks, Skia v1 or today's Perun profiles and making all IDs takes 30 to
// 65% of the time that it takes with Params.AppendID, legacy files 85 to 95%, and keyvals, whose IDs
// have two params, as long.
type Layout struct {
	known    bool // last, id and spans are those of params with canonical keys
	hot      int  // its index
	hotValue string
	varied   bool // the hot param has had another value since the ID was made
	last     traceid.Params
	id       []byte
	spans    []span
	spare    []byte // memory for the next id
}

// A span is the place of a value in an ID.
type span struct{ start, end int }

// A Source is what a Reader knows about its record: the Layout of its params. The zero Source knows
// nothing. It is opaque to users of package format.
type Source struct {
	layout *Layout
	params *traceid.Param // the first one of the Reader's memory
	place  *Place
}

// A Place is what a file says about the series of a record, and its repetition. It belongs to the Reader.
type Place struct {
	IsKnown bool // the file says what the identity is: all params but those with the keys LeftOut
	LeftOut []string
	N       int       // number of the repetition, from 1, or 0
	Time    time.Time // of the commit, or zero
}

// WithPlace returns the Source of a record whose file says its place.
func (s Source) WithPlace(p *Place) Source {
	s.place = p
	return s
}

// Place returns what the file says about the place of a record with the params, or nil.
func (s Source) Place(p traceid.Params) *Place {
	if len(p) == 0 || &p[0] != s.params {
		return nil
	}
	return s.place
}

// Clone returns the Source of a clone of a record, which has the params.
func (s Source) Clone(p traceid.Params) Source {
	if s.place == nil || len(p) == 0 {
		return Source{}
	}
	place := *s.place
	place.LeftOut = slices.Clone(place.LeftOut)
	return Source{params: &p[0], place: &place}
}

// Source returns the Source of a record with the params.
func (l *Layout) Source(p traceid.Params) Source {
	if len(p) == 0 {
		return Source{}
	}
	return Source{layout: l, params: &p[0]}
}

// Equal returns true: a Source is not part of a measurement. Package go-cmp calls it.
func (Source) Equal(Source) bool { return true }

// AppendID appends the ID of the params of a record to dst, as Params.AppendID does. Only params in
// the Reader's memory use its Layout: others may belong to another goroutine.
func (s Source) AppendID(dst []byte, p traceid.Params) []byte {
	if s.layout == nil || len(p) == 0 || &p[0] != s.params {
		return p.AppendID(dst)
	}
	return s.layout.AppendID(dst, p)
}

// AppendID appends the ID of the params to dst, as Params.AppendID does.
func (l *Layout) AppendID(dst []byte, p traceid.Params) []byte {
	if !l.fits(p) {
		if len(p) == 0 || !l.learn(p) {
			return p.AppendID(dst)
		}
		return append(dst, l.id...)
	}

	value, at := p[l.hot].Value, l.spans[l.hot]
	if sameString(value, l.hotValue) {
		return append(dst, l.id...)
	}
	l.varied = true
	dst = append(dst, l.id[:at.start]...)
	if chars.Canonical(value) {
		dst = append(dst, value...)
	} else {
		dst = charset.AppendString(dst, value)
	}
	return append(dst, l.id[at.end:]...)
}

// fits reports whether the params are the last ones, except for the value of the hot one. It is one
// comparison of memory, for which last gets that value, whether the others fit or not. That breaks no
// invariant: last is about the last call, and hotValue is what the ID has.
//
// A hot value that is not in the ID, and comes for the second time in succession, does not fit, so that
// it is put into the ID: it may stay, as the uid of a Perun type does for thousands of records. With its
// text made for each of them, reading Perun profiles and making all IDs takes 1.4 times as long.
func (l *Layout) fits(p traceid.Params) bool {
	if !l.known || len(p) != len(l.last) {
		return false
	}
	value, last := p[l.hot].Value, &l.last[l.hot]
	if sameString(value, last.Value) && !sameString(value, l.hotValue) {
		return false
	}
	last.Value = value
	return sameParams(p, l.last)
}

// learn makes p the last params. It returns false if their keys are not canonical.
func (l *Layout) learn(p traceid.Params) bool {
	if !l.known || len(p) != len(l.last) || !l.relearn(p) {
		l.encode(p)
	}
	return l.known
}

// encode makes the ID from scratch.
func (l *Layout) encode(p traceid.Params) {
	if l.last == nil {
		l.reserve(p)
	}
	l.id, l.spans, l.last, l.known = l.id[:0], l.spans[:0], l.last[:0], false
	for i, x := range p {
		if i > 0 && x.Key <= p[i-1].Key || x.Key == "" || traceid.CanonicalString(x.Key) != x.Key {
			return
		}
		l.id = append(append(append(l.id, ','), x.Key...), '=')
		start := len(l.id)
		l.id = charset.AppendString(l.id, x.Value)
		l.spans = append(l.spans, span{start, len(l.id)})
	}
	l.id = append(l.id, ',')
	l.last = append(l.last, p...)
	l.heat(min(l.hot, len(p)-1))
	l.known = true
}

// heat makes the i-th param the hot one.
func (l *Layout) heat(i int) {
	l.hot, l.hotValue, l.varied = i, l.last[i].Value, false
}

// growth is by how much values may become longer before an ID needs more memory.
const growth = 32

// reserve makes room for params. In three pieces, a file of 6 KB takes fewer allocations.
func (l *Layout) reserve(p traceid.Params) {
	size := growth
	for _, x := range p {
		size += len(x.Key) + len(x.Value) + len(",=_")
	}
	room := make([]byte, 2*size)
	l.id, l.spare = room[:0:size], room[size:size]
	l.last, l.spans = make(traceid.Params, 0, len(p)), make([]span, 0, len(p))
}

// relearn puts the values that have changed into the ID. It returns false if a key has changed. With
// all of the ID made again instead, reading Go benchmarks or Skia v1 and making all IDs takes 2.3 times
// as long.
func (l *Layout) relearn(p traceid.Params) bool {
	// From here to the end, last, spans and id are about the same params again: fits has changed last.
	// If a key has changed, they are about different ones when this returns. encode makes all of them.
	l.last[l.hot].Value = l.hotValue
	last, spans := l.last[:len(p)], l.spans[:len(p)]
	id, done := l.spare[:0], 0 // done is an index in the last ID
	changed, which := 0, 0
	next, shift := 0, 0 // the spans from next on move by shift
	for i := range p {
		x, y := &p[i], &last[i]
		if sameParam(x, y) {
			continue
		}
		if !SameText(x.Key, y.Key) {
			return false
		}

		if !SameText(x.Value, y.Value) {
			move(spans[next:i], shift)
			at := &spans[i]
			id = append(id, l.id[done:at.start]...)
			start := len(id)
			if chars.Canonical(x.Value) {
				id = append(id, x.Value...)
			} else {
				id = charset.AppendString(id, x.Value)
			}

			// The text after the value moves by the difference of the two ends.
			done, shift = at.end, len(id)-at.end
			*at = span{start, len(id)}
			changed, which, next = changed+1, i, i+1
		}
		*y = *x
	}
	move(spans[next:], shift)

	if changed > 0 {
		l.id, l.spare = append(id, l.id[done:]...), l.id
	}
	// A param that changes alone is likely to do so again. But one that varies, as the unit does, stays
	// the hot one when another changes, as at the next line of Go benchmarks. Otherwise the next record
	// would have to make it the hot one again: a fifth more IDs of Go benchmarks would be made here, and
	// half more of keyvals.
	if changed != 1 || l.varied {
		which = l.hot
	}
	l.heat(which)
	return true
}

// move moves spans.
func move(spans []span, by int) {
	if by == 0 {
		return
	}
	for i := range spans {
		spans[i].start += by
		spans[i].end += by
	}
}

var charset *traceid.Charset // the default
