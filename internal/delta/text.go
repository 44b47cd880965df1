package delta

import "perfdata/traceid"

// A Text writes params of one record after another as text, such as a JSON object. It remembers the
// last text, and what it was made of, and makes only the values that change. As in a [Layout], the
// hot param changes more often than all others: its value is not put into the text that is
// remembered.
//
// Invariants while known is true: text is that of the params last, but has hotValue as the value of
// the hot one; last has the values of all params of the last call; spans are the places of the
// values.
type Text struct {
	// Quote appends a key or a value.
	Quote func(dst []byte, s string) []byte

	// Open and Close surround the params. In between are commas, and a colon after each key.
	Open, Close string

	known    bool
	hot      int // its index
	hotValue string
	varied   bool // the hot param has had another value since the text was made
	last     traceid.Params
	text     []byte
	spans    []span
	spare    []byte // memory for the next text
}

// maxText bounds the keys and values of the params that a Text writes, in bytes.
const maxText = 64 << 10

// Append appends the text of the params to dst. It returns false, and appends nothing, if their
// keys and values are too long to be held in memory a second time. There must be params.
func (t *Text) Append(dst []byte, p traceid.Params) ([]byte, bool) {
	if t.fits(p) {
		value, at := p[t.hot].Value, t.spans[t.hot]
		if sameString(value, t.hotValue) {
			return append(dst, t.text...), true
		}
		if len(value) <= maxText {
			t.varied = true
			dst = t.Quote(append(dst, t.text[:at.start]...), value)
			return append(dst, t.text[at.end:]...), true
		}
	}
	if !t.learn(p) {
		return dst, false
	}
	return append(dst, t.text...), true
}

// fits reports whether the params are the last ones, except for the value of the hot one. It is one
// comparison of memory.
func (t *Text) fits(p traceid.Params) bool {
	if !t.known || len(p) != len(t.last) {
		return false
	}
	t.last[t.hot].Value = p[t.hot].Value
	return sameParams(p, t.last)
}

// learn makes p the last params. It returns false if they are too long.
func (t *Text) learn(p traceid.Params) bool {
	size := 0
	for i := range p {
		size += len(p[i].Key) + len(p[i].Value)
	}
	switch {
	case size > maxText:
		t.known = false
	case !t.known || len(p) != len(t.last) || !t.relearn(p):
		t.encode(p)
	}
	return t.known
}

// encode makes the text from scratch.
func (t *Text) encode(p traceid.Params) {
	t.text, t.spans = append(t.text[:0], t.Open...), t.spans[:0]
	for i, x := range p {
		if i > 0 {
			t.text = append(t.text, ',')
		}
		t.text = append(t.Quote(t.text, x.Key), ':')
		start := len(t.text)
		t.text = t.Quote(t.text, x.Value)
		t.spans = append(t.spans, span{start, len(t.text)})
	}
	t.text = append(t.text, t.Close...)
	t.last, t.known = append(t.last[:0], p...), true
	t.heat(min(t.hot, len(p)-1))
}

// heat makes the i-th param the hot one.
func (t *Text) heat(i int) { t.hot, t.hotValue, t.varied = i, t.last[i].Value, false }

// relearn puts the values that have changed into the text. It returns false if a key has changed. With
// all of the text made again instead, printing Go benchmarks or Skia v1 as JSON takes 1.3 times the CPU
// time: reading included, writing to a file not.
func (t *Text) relearn(p traceid.Params) bool {
	t.last[t.hot].Value = t.hotValue // that of the text
	last, spans := t.last[:len(p)], t.spans[:len(p)]
	text, done := t.spare[:0], 0 // done is an index in the last text
	changed, which := 0, t.hot
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
			text = append(text, t.text[done:at.start]...)
			start := len(text)
			text = t.Quote(text, x.Value)
			done, shift = at.end, len(text)-at.end
			*at = span{start, len(text)}
			changed, which, next = changed+1, i, i+1
		}
		*y = *x
	}
	move(spans[next:], shift)

	if changed > 0 {
		t.spare, t.text = t.text, append(text, t.text[done:]...)
	}
	if changed != 1 || t.varied { // as in a Layout
		which = t.hot
	}
	t.heat(which)
	return true
}
