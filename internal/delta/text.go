package delta

import "perfdata/traceid"

// A Text writes params of one record after another as text, such as a JSON object. It remembers the
// last text and its params, and makes only the values that change.
type Text struct {
	// Quote appends a key or a value.
	Quote func(dst []byte, s string) []byte

	// Open and Close surround the params. In between are commas, and a colon after each key.
	Open, Close string

	template
}

// maxText bounds the keys and values of the params that a Text writes, in bytes.
const maxText = 64 << 10

// Append appends the text of the params to dst. It returns false, and appends nothing, if their
// keys and values are too long to be held in memory a second time. There must be params.
func (t *Text) Append(dst []byte, p traceid.Params) ([]byte, bool) {
	if t.fits(p) {
		value := p[t.hot].Value
		before, after, isIn := t.around(value)
		if isIn {
			return append(dst, t.text...), true
		}
		if len(value) <= maxText {
			return append(t.Quote(append(dst, before...), value), after...), true
		}
	}

	size := 0
	for i := range p {
		size += len(p[i].Key) + len(p[i].Value)
	}
	if size > maxText {
		t.known = false
		return dst, false
	}
	s := style{t.Open, ":", t.Close, t.Quote}
	if !t.relearn(p, &s) {
		t.encode(p, &s)
	}
	return append(dst, t.text...), true
}
