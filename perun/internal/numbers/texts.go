package numbers

import (
	"slices"
)

// Texts are the texts of the values of an array. They share a string, and Text cuts them out of it.
// Arrays of numbers take 10% to 15% more time if a string for each is held in memory instead: while
// garbage is collected, each pointer that is written to memory is work for the collector.
type Texts struct {
	shared string
	places []place  // in shared
	parts  []byte   // what Join makes shared of
	single []string // instead, if one of the texts is long; otherwise nil
}

// A place is where a text is in the string.
type place struct{ start, end uint32 }

// maxShared is the length of the longest text that shares a string with others. A program that keeps
// one of the texts keeps all of the string.
const maxShared = 64

// Reset removes all texts. The strings that Text returned stay valid.
func (t *Texts) Reset() { t.places, t.parts, t.single = t.places[:0], t.parts[:0], nil }

// Len returns the number of texts.
func (t *Texts) Len() int { return max(len(t.places), len(t.single)) }

// Join must be called after the last change, before Text.
func (t *Texts) Join() { t.shared = string(t.parts) }

// Text returns the text with the index.
func (t *Texts) Text(i int) string {
	if t.single != nil {
		return t.single[i]
	}
	at := t.places[i]
	return t.shared[at.start:at.end]
}

// Append appends a text.
func (t *Texts) Append(text string) {
	if len(text) > maxShared && t.single == nil {
		t.Join()
		single := make([]string, len(t.places), len(t.places)+1)
		for i := range single {
			single[i] = t.Text(i)
		}
		t.single = single
	}
	if t.single != nil {
		t.single = append(t.single, text)
		return
	}
	t.places = append(t.places, t.add(text))
}

// add adds a text to the string.
func (t *Texts) add(text string) place {
	start := len(t.parts)
	t.parts = append(t.parts, text...)
	return place{uint32(start), uint32(len(t.parts))}
}

// AppendScanned appends the texts that Python writes for the numbers at places in the text that Scan
// found.
func (t *Texts) AppendScanned(text []byte, spans []Span) {
	if t.single != nil {
		for _, at := range spans {
			t.Append(Python(string(text[at.Start:at.End])))
		}
		return
	}
	if len(spans) == 0 {
		return
	}

	// The separators stay between them. This copies all texts at once, and each place needs no more
	// than two additions.
	from, first := spans[0].Start, len(t.places)
	offset := uint32(len(t.parts)) - from
	t.parts = append(t.parts, text[from:spans[len(spans)-1].End]...)
	t.places = slices.Grow(t.places, len(spans))[:first+len(spans)]
	places := t.places[first:]
	for i := range places {
		at := &spans[i]
		places[i] = place{at.Start + offset, at.End + offset}
	}

	for i := range places {
		at := &spans[i]
		if at.decimals != 0 && (at.decimals < 0 || !isPython(at.integer, int(at.decimals))) {
			places[i] = t.add(Python(string(text[at.Start:at.End])))
		}
	}
}
