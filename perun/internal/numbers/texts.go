package numbers

import "slices"

// Texts are the texts that Python writes for numbers. They share a string, and Text cuts them out of
// it. Arrays of numbers take 6% to 15% more time if a string for each is held in memory instead: while
// garbage is collected, each pointer that is written to memory is work for the collector.
type Texts struct {
	all    string
	places []place

	parts []byte // what Join makes all of; empty: all is up to date
}

// A place is where a text is in the string.
type place struct{ start, end uint32 }

// maxShared is the length of the longest string that texts share, if there are at most 128. A program
// that keeps one of the texts keeps all of the string.
const maxShared = 3 << 10

// Reset removes all texts. The strings that Text returned stay valid.
func (t *Texts) Reset() { t.all, t.places, t.parts = "", t.places[:0], t.parts[:0] }

// Len returns the number of texts.
func (t *Texts) Len() int { return len(t.places) }

// Text returns the text with the index.
func (t *Texts) Text(i int) string {
	at := t.places[i]
	return t.all[at.start:at.end]
}

// Append appends a text.
func (t *Texts) Append(text string) {
	t.split()
	start := len(t.parts)
	t.parts = append(t.parts, text...)
	t.places = append(t.places, place{uint32(start), uint32(len(t.parts))})
}

// split prepares for appending to parts.
func (t *Texts) split() {
	if len(t.parts) == 0 {
		t.parts = append(t.parts, t.all...)
	}
}

// Join must be called after changes, before Text. In between, a place may lie beyond the end of all,
// because it is one in parts.
func (t *Texts) Join() {
	if len(t.parts) > 0 {
		t.all = string(t.parts)
	}
}

// AppendScanned appends the texts of the numbers at places in the text that Scan found.
func (t *Texts) AppendScanned(text []byte, spans []Span) {
	if len(spans) == 0 {
		return
	}
	from, to := spans[0].Start, spans[len(spans)-1].End
	if int(to-from) > len(spans)*maxShared/128 {
		t.appendEach(text, spans)
		return
	}

	// The separators stay between them: the places leave them out. This copies all texts at once, and
	// each place needs no more than two additions.
	offset := uint32(0)
	if len(t.places) == 0 {
		t.all = string(text[from:to])
	} else {
		t.split()
		offset = uint32(len(t.parts))
		t.parts = append(t.parts, text[from:to]...)
	}
	offset -= from

	first := len(t.places)
	t.places = slices.Grow(t.places, len(spans))[:first+len(spans)]
	places := t.places[first:]
	for i := range places {
		at := &spans[i]
		places[i] = place{at.Start + offset, at.End + offset}
	}

	for i := range places {
		at := &spans[i]
		whole := at.End-at.Start == at.digits
		if !whole && !at.isPython(text) {
			t.correct(text, at, &places[i])
		}
	}
}

// appendEach is AppendScanned without the separators, which are long.
func (t *Texts) appendEach(text []byte, spans []Span) {
	t.split()
	for i := range spans {
		at := &spans[i]
		start := len(t.parts)
		t.parts = append(t.parts, text[at.Start:at.End]...)
		t.places = append(t.places, place{uint32(start), uint32(len(t.parts))})
		if !at.isPython(text) {
			t.correct(text, at, &t.places[len(t.places)-1])
		}
	}
}

// correct moves the place of a number to the text that Python writes for it, if it differs.
func (t *Texts) correct(text []byte, at *Span, to *place) {
	raw := string(text[at.Start:at.End])
	if python := Python(raw); python != raw {
		t.split()
		to.start = uint32(len(t.parts))
		t.parts = append(t.parts, python...)
		to.end = uint32(len(t.parts))
	}
}
