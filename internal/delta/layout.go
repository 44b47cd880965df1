package delta

import "perfdata/traceid"

// A Layout makes the trace IDs of params in one place of a Reader's memory, record after record. It
// remembers the last ID, and what it was made of. The zero Layout is ready for use.
//
// One param, the hot one, usually changes more often than all others: that of the statistic, or the
// unit. The ID is the text before it, its canonical value, and the text after it.
type Layout struct {
	last  traceid.Params // a copy of those that id was made of
	id    []byte
	ends  []int // in id, of the value of each param
	hot   int   // its index
	known bool  // last, id and ends are those of params with canonical keys
	spare []byte
}

// A Source is what a Reader knows about its record: the Layout of its params. The zero Source knows
// nothing. It is opaque to users of package format.
type Source struct {
	layout *Layout
	params *traceid.Param // the first one of the Reader's memory
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

	value := p[l.hot].Value
	if sameString(value, l.last[l.hot].Value) {
		return append(dst, l.id...)
	}
	dst = append(dst, l.id[:l.start(l.hot)]...)
	dst = charset.AppendString(dst, value)
	return append(dst, l.id[l.ends[l.hot]:]...)
}

// fits reports whether the params are the last ones, but for the value of the hot one.
func (l *Layout) fits(p traceid.Params) bool {
	if !l.known || len(p) != len(l.last) {
		return false
	}
	hot := l.hot
	return sameString(p[hot].Key, l.last[hot].Key) &&
		sameParams(p[:hot], l.last[:hot]) && sameParams(p[hot+1:], l.last[hot+1:])
}

// start returns the index in id of the value of the i-th param.
func (l *Layout) start(i int) int {
	start := len(",=") + len(l.last[i].Key)
	if i > 0 {
		start += l.ends[i-1]
	}
	return start
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
	l.id, l.ends, l.last, l.known = l.id[:0], l.ends[:0], l.last[:0], false
	for i, x := range p {
		if i > 0 && x.Key <= p[i-1].Key || x.Key == "" || traceid.CanonicalString(x.Key) != x.Key {
			return
		}
		l.id = append(append(append(l.id, ','), x.Key...), '=')
		l.id = charset.AppendString(l.id, x.Value)
		l.ends = append(l.ends, len(l.id))
	}
	l.id = append(l.id, ',')
	l.last = append(l.last, p...)
	l.hot = min(l.hot, len(p)-1)
	l.known = true
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
	l.last, l.ends = make(traceid.Params, 0, len(p)), make([]int, 0, len(p))
}

// relearn puts the values that have changed into the ID. It returns false if a key has changed. To
// make all of the ID again takes twice as long if one value in eight changes.
func (l *Layout) relearn(p traceid.Params) bool {
	id, done, before := l.spare[:0], 0, 0 // done and before are indices in the last ID
	changed, which := 0, 0
	for i := range p {
		x, y := &p[i], &l.last[i]
		if !SameText(x.Key, y.Key) {
			return false
		}
		end := l.ends[i]
		if !SameText(x.Value, y.Value) {
			id = append(id, l.id[done:before+len(",=")+len(x.Key)]...)
			id = charset.AppendString(id, x.Value)
			done = end
			changed, which = changed+1, i
		}
		before = end
		l.ends[i] = end - done + len(id)
	}
	copy(l.last, p)
	if changed == 1 {
		l.hot = which
	}
	if changed > 0 {
		l.id, l.spare = append(id, l.id[done:]...), l.id
	}
	return true
}

var charset *traceid.Charset // the default
