package delta

import "perfdata/traceid"

// A Text writes params of one record after another as text, such as a JSON object. It remembers the
// last text, and what it was made of, and makes only the values that change.
//
// With a Text for each of params, attrs and links, "records --as jsonl" takes PLACEHOLDER of the time.
type Text struct {
	// Quote appends a key or a value.
	Quote func(dst []byte, s string) []byte

	// Open and Close surround the params. In between are commas, and a colon after each key.
	Open, Close string

	last  traceid.Params // of text
	text  []byte
	spans []span // in text, of the values
	spare []byte // memory for the next text
	known bool
}

// maxText is the length of the longest text that a Text remembers, so that it never has much memory.
const maxText = 64 << 10

// Append appends the text of the params to dst.
func (t *Text) Append(dst []byte, p traceid.Params) []byte {
	if t.known && len(p) == len(t.last) && (sameParams(p, t.last) || t.update(p)) {
		return append(dst, t.text...)
	}

	start := len(dst)
	dst = t.encode(dst, p)
	if t.known = len(dst)-start <= maxText; t.known {
		t.text = append(t.text[:0], dst[start:]...)
		t.last = append(t.last[:0], p...)
	}
	return dst
}

// encode appends the text from scratch. The spans are in the text, and not in dst.
func (t *Text) encode(dst []byte, p traceid.Params) []byte {
	start := len(dst)
	dst = append(dst, t.Open...)
	t.spans = t.spans[:0]
	for i, x := range p {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(t.Quote(dst, x.Key), ':')
		from := len(dst) - start
		dst = t.Quote(dst, x.Value)
		t.spans = append(t.spans, span{from, len(dst) - start})
	}
	return append(dst, t.Close...)
}

// update puts the values that have changed into the text. It returns false if a key has changed, or
// the text is too long.
func (t *Text) update(p traceid.Params) bool {
	last, spans := t.last[:len(p)], t.spans[:len(p)]
	text, done, shift := t.spare[:0], 0, 0 // done is an index in the last text
	for i := range p {
		x, y, at := &p[i], &last[i], &spans[i]
		if sameString(x.Key, y.Key) && sameString(x.Value, y.Value) {
			at.start += shift
			at.end += shift
			continue
		}
		if x.Key != y.Key {
			t.known = false
			return false
		}

		text = append(text, t.text[done:at.start]...)
		start := len(text)
		text = t.Quote(text, x.Value)
		done, shift = at.end, len(text)-at.end
		*at = span{start, len(text)}
		*y = *x
	}
	t.spare, t.text = t.text, append(text, t.text[done:]...)
	if len(t.text) > maxText {
		t.known, t.text, t.spare = false, nil, nil
	}
	return t.known
}
