package nanolegacy

import "perfdata/internal/number"

// This file makes the text of a file: each test is an object in results, on a line of its own.

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.out.Bytes = w.header.appendJSON(w.out.Bytes)
	w.out.Bytes = append(w.out.Bytes, `,"results":{`...)
}

// An openResult is the result to which text is appended.
type openResult struct {
	some         bool // there is one
	test, config string
}

// append appends the entry. If it does not belong to the open result, append closes that, and
// begins another.
func (w *Writer) append(e *entry) {
	w.begin()
	o := &w.open

	switch {
	case !o.some || e.test != o.test:
		if o.some {
			w.out.Bytes = append(w.out.Bytes, "}},"...)
		}
		w.out.Bytes = append(w.appendName(append(w.out.Bytes, '\n'), e.test), '{')
		w.beginResult(e)
	case e.config != o.config:
		w.out.Bytes = append(w.out.Bytes, "},"...)
		w.beginResult(e)
	default:
		w.out.Bytes = append(w.out.Bytes, ',')
	}

	w.out.Bytes = w.appendName(w.out.Bytes, e.member)
	if e.member != samplesMember {
		w.out.Bytes = number.AppendShortest(w.out.Bytes, e.value)
		return
	}

	w.out.Bytes = append(w.out.Bytes, '[')
	for i, f := range e.samples {
		if i > 0 {
			w.out.Bytes = append(w.out.Bytes, ',')
		}
		w.out.Bytes = number.AppendShortest(w.out.Bytes, f)
	}
	w.out.Bytes = append(w.out.Bytes, ']')
}

// beginResult appends the beginning of the entry's result, up to the entry.
func (w *Writer) beginResult(e *entry) {
	w.open = openResult{true, e.test, e.config}
	w.out.Bytes = append(w.appendName(w.out.Bytes, e.config), '{')
	if len(e.options) > 0 {
		w.out.Bytes = w.appendName(w.out.Bytes, optionsMember)
		w.out.Bytes = w.texts.AppendPairs(w.out.Bytes, e.options)
		w.out.Bytes = append(w.out.Bytes, ',')
	}
}

// appendName appends a member's name and the colon after it.
func (w *Writer) appendName(dst []byte, name string) []byte {
	return append(w.texts.AppendString(dst, name), ':')
}
