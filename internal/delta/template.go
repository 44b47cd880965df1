package delta

import "perfdata/traceid"

// A template is the text of the params of the last record, and knows which part of it each value
// is. So only the values that change are made again. [Layout] and [Text] have one.
//
// One param, the hot one, usually changes more often than all others: that of the statistic, or the
// unit. Its value is not put into the text, which is copied around it.
//
// Invariants while known is true:
//
//   - text is that of the params last, but has hotValue as the value of the hot param;
//   - last has the keys and the values of all params of the last call, the hot one's included;
//   - text[spans[i].start:spans[i].end] is the value of the i-th param.
//
// As last keeps the strings, their memory is not reused for others. So where the address and the
// length of a string are those in last, its text is too, and need not be compared. The opposite does
// not hold: the same text at another address is compared, and then remembered with the new address.
type template struct {
	known    bool
	hot      int // its index
	hotValue string
	varied   bool // the hot param has had another value since the text was made
	last     traceid.Params
	text     []byte
	spans    []span
	spare    []byte // memory for the next text
}

// A span is the place of a value in a text.
type span struct{ start, end int }

// A style is how params become text. Between two of them is a comma.
type style struct {
	open, colon, close string
	quote              func(dst []byte, s string) []byte // of a key or a value
}

// fits reports whether the params are the last ones, except for the value of the hot one. It is one
// comparison of memory, for which last gets that value, whether the others fit or not. That breaks no
// invariant: last is about the last call, and hotValue is what the text has.
//
// A hot value that is not in the text, and comes for the second time in succession, does not fit,
// so that it is put into the text: it may stay, as the uid of a Perun type does for thousands of
// records. With its text made for each of them, reading Perun profiles and making all IDs takes 1.4
// times as long.
func (t *template) fits(p traceid.Params) bool {
	if !t.known || len(p) != len(t.last) {
		return false
	}
	value, last := p[t.hot].Value, &t.last[t.hot]
	if sameString(value, last.Value) && !sameString(value, t.hotValue) {
		return false
	}
	last.Value = value
	return SameParams(p, t.last)
}

// around returns the text before the hot value and after it, if the value is not in it.
func (t *template) around(value string) (before, after []byte, isIn bool) {
	if sameString(value, t.hotValue) {
		return nil, nil, true
	}
	t.varied = true
	at := t.spans[t.hot]
	return t.text[:at.start], t.text[at.end:], false
}

// encode makes the text from scratch.
func (t *template) encode(p traceid.Params, s *style) {
	t.text, t.spans = append(t.text[:0], s.open...), t.spans[:0]
	for i, x := range p {
		if i > 0 {
			t.text = append(t.text, ',')
		}
		t.text = append(s.quote(t.text, x.Key), s.colon...)
		start := len(t.text)
		t.text = s.quote(t.text, x.Value)
		t.spans = append(t.spans, span{start, len(t.text)})
	}
	t.text = append(t.text, s.close...)
	t.last, t.known = append(t.last[:0], p...), true
	t.heat(min(t.hot, len(p)-1))
}

// heat makes the i-th param the hot one.
func (t *template) heat(i int) { t.hot, t.hotValue, t.varied = i, t.last[i].Value, false }

// relearn puts the values that have changed into the text. It returns false if a key has changed:
// then encode must follow. With all of the text made again instead, reading Go benchmarks or Skia
// v1 and making all IDs takes 2.3 times as long, and printing them as JSON 1.3 times: reading
// included, writing to a file not.
func (t *template) relearn(p traceid.Params, s *style) bool {
	if !t.known || len(p) != len(t.last) {
		return false
	}

	// From here to the end, last, spans and text are about the same params again: fits has changed
	// last. If a key has changed, they are about different ones when this returns. encode makes all
	// of them.
	t.last[t.hot].Value = t.hotValue
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
			text = s.quote(text, x.Value)

			// The text after the value moves by the difference of the two ends.
			done, shift = at.end, len(text)-at.end
			*at = span{start, len(text)}
			changed, which, next = changed+1, i, i+1
		}
		*y = *x
	}
	move(spans[next:], shift)

	if changed > 0 {
		t.text, t.spare = append(text, t.text[done:]...), t.text
	}
	// A param that changes alone is likely to do so again. But one that varies, as the unit does,
	// stays the hot one when another changes, as at the next line of Go benchmarks. Otherwise the
	// next record would have to make it the hot one again: a fifth more IDs of Go benchmarks would
	// be made here, and half more of keyvals.
	if changed != 1 || t.varied {
		which = t.hot
	}
	t.heat(which)
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
