package perun

import "slices"

// columnTexts are the texts of the values of an array. They share a string, and text cuts them out of it.
// Arrays of numbers take 10% to 15% more time if a string for each is held in memory instead: while
// garbage is collected, each pointer that is written to memory is work for the collector.
type columnTexts struct {
	shared string
	places []textPlace // in shared
	parts  []byte      // what join makes shared of
	single []string    // instead, if one of the texts is long; otherwise nil
}

// A textPlace is where a text is in the string.
type textPlace struct{ start, end uint32 }

// maxShared is the length of the longest text that shares a string with others. A program that keeps
// one of the texts keeps all of the string.
const maxShared = 64

// reset removes all texts. The strings that text returned stay valid.
func (t *columnTexts) reset() { t.places, t.parts, t.single = t.places[:0], t.parts[:0], nil }

// count returns the number of texts.
func (t *columnTexts) count() int { return max(len(t.places), len(t.single)) }

// join must be called after the last change, before text.
func (t *columnTexts) join() { t.shared = string(t.parts) }

// text returns the text with the index.
func (t *columnTexts) text(i int) string {
	if t.single != nil {
		return t.single[i]
	}
	at := t.places[i]
	return t.shared[at.start:at.end]
}

// append appends a text.
func (t *columnTexts) append(text string) {
	if len(text) > maxShared && t.single == nil {
		t.join()
		single := make([]string, len(t.places), len(t.places)+1)
		for i := range single {
			single[i] = t.text(i)
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
func (t *columnTexts) add(text string) textPlace {
	start := len(t.parts)
	t.parts = append(t.parts, text...)
	return textPlace{uint32(start), uint32(len(t.parts))}
}

// appendScanned appends the texts that Python writes for the numbers at places in the text that scanNumbers
// found.
func (t *columnTexts) appendScanned(text []byte, spans []span) {
	if t.single != nil {
		for _, at := range spans {
			t.append(pythonNumber(string(text[at.start:at.end])))
		}
		return
	}
	if len(spans) == 0 {
		return
	}

	// The separators stay between them. This copies all texts at once, and each place needs no more
	// than two additions.
	from, first := spans[0].start, len(t.places)
	offset := uint32(len(t.parts)) - from
	t.parts = append(t.parts, text[from:spans[len(spans)-1].end]...)
	t.places = slices.Grow(t.places, len(spans))[:first+len(spans)]
	places := t.places[first:]
	for i := range places {
		at := &spans[i]
		places[i] = textPlace{at.start + offset, at.end + offset}
	}

	for i := range places {
		at := &spans[i]
		if at.decimals != 0 && (at.decimals < 0 || !isPython(at.integer, int(at.decimals))) {
			places[i] = t.add(pythonNumber(string(text[at.start:at.end])))
		}
	}
}
