package metamorphic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"perfdata/format"
	"perfdata/traceid"
)

// A reading is everything that was read in a document, as text: a line for each record or error,
// and the header.
type reading struct {
	text   []byte
	last   int  // index of the last line
	ended  bool // the last line is a fatal error
	size   bool // that error is about the size of a header or result
	errors int
}

// A reader reads documents and makes readings.
type reader struct {
	text []byte            // the input, for the positions of errors
	at   func(int64) int64 // the offset in the original document, of an offset in text
	bare bool              // without offsets, and without the format's own header

	// noMessages leaves out the messages of errors, which may quote the text after a fault.
	noMessages bool
}

func same(offset int64) int64 { return offset }

// records appends everything that r yields to dst.
func (rd reader) records(dst []byte, r format.Reader) reading {
	got := reading{text: dst[:0]}
	for rec, err := range r.Records() {
		got.last = len(got.text)
		if err != nil {
			got.errors++
			got.text, got.ended = rd.error(got.text, err)
			got.size = got.ended && bytes.Contains(got.text[got.last:], []byte(": too many bytes: "))
			continue
		}
		got.text = rd.record(got.text, rec)
	}
	if !got.ended {
		got.last = len(got.text)
		got.text = rd.header(got.text, r)
	}
	r.Close()
	return got
}

func (rd reader) record(b []byte, rec *format.Record) []byte {
	if !rd.bare {
		b = strconv.AppendInt(b, rd.at(rec.Offset), 10)
	}
	b = appendPairs(b, " params", rec.Params)
	b = append(b, " = "...)
	b = strconv.AppendUint(b, math.Float64bits(rec.Value), 16)
	b = appendPairs(b, " links", rec.Links)
	b = appendPairs(b, " attrs", rec.Attrs)
	b = append(append(b, " unit "...), rec.Unit...)
	b = append(append(append(b, ' '), rec.Better.String()...), " commit "...)
	b = append(append(b, rec.Commit...), " repetition "...)
	b = strconv.AppendInt(b, int64(rec.Repetition), 10)
	if id := rec.AppendTraceID(nil); string(id) != rec.Params.ID() {
		b = append(append(b, " WRONG ID "...), id...)
	}
	return append(b, '\n')
}

func appendPairs(b []byte, what string, pairs traceid.Params) []byte {
	b = append(b, what...)
	if pairs.CheckSorted() != nil {
		b = append(b, " NOT SORTED"...)
	}
	for _, p := range pairs {
		b = append(append(b, ' '), p.Key...)
		b = append(append(b, '='), p.Value...)
	}
	return b
}

// error appends an error, and reports whether it is fatal.
func (rd reader) error(b []byte, err error) ([]byte, bool) {
	e, ok := errors.AsType[*format.Error](err)
	if !ok {
		return fmt.Appendf(b, "not a *format.Error: %v\n", err), true
	}
	message := e.Message
	if rd.noMessages {
		message = ""
	}
	b = fmt.Appendf(b, "%d %s: %s, recoverable %v, warning %v, cause %v", rd.at(e.Offset), e.Path, message,
		e.Severity == format.Recoverable, e.Severity == format.Warning, errors.Unwrap(err))
	if problem := rd.badPosition(e); problem != "" {
		b = append(append(b, ' '), problem...)
	}
	return append(b, '\n'), e.Severity != format.Recoverable
}

// badPosition returns the fault in the position of an error: its line and column must
// belong to its offset. It does not check this in large documents, because some have many errors.
func (rd reader) badPosition(e *format.Error) string {
	if len(rd.text) > 2*windowSize {
		return ""
	}
	if e.Offset < 0 || e.Offset > int64(len(rd.text)) {
		return fmt.Sprintf("OFFSET %d OF %d", e.Offset, len(rd.text))
	}
	before := rd.text[:e.Offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	if e.Line != line || e.Column != column {
		return fmt.Sprintf("POSITION %d:%d, WANT %d:%d", e.Line, e.Column, line, column)
	}
	return ""
}

func (rd reader) header(b []byte, r format.Reader) []byte {
	h, err := r.FileHeader()
	if err != nil {
		return fmt.Appendf(b, "header: %v\n", err)
	}
	b = fmt.Appendf(b, "header %q %q %q", h.Commit, h.Issue, h.Patchset)
	b = appendPairs(b, " params", h.Params)
	b = appendPairs(b, " links", h.Links)
	if !rd.bare {
		native, err := json.Marshal(h.Native)
		b = fmt.Appendf(append(b, native...), " %v", err)
	}
	return append(b, '\n')
}

// difference returns how got differs from want, or nil. If one is only a fatal error,
// because its Reader looked ahead and met the error first, the other may have more before it. Where
// a Reader notices that a header or result is too large depends on where its window ends. It may
// meet another fault before that.
func difference(want, got reading) error {
	switch {
	case bytes.Equal(want.text, got.text):
		return nil
	case want.ended && got.ended && (want.last == 0 || got.last == 0) &&
		bytes.Equal(want.text[want.last:], got.text[got.last:]):
		return nil
	case want.size || got.size:
		n := min(want.last, got.last)
		if bytes.Equal(want.text[:n], got.text[:n]) {
			return nil
		}
	}
	n := 0
	for n < min(len(want.text), len(got.text)) && want.text[n] == got.text[n] {
		n++
	}
	n = bytes.LastIndexByte(want.text[:n], '\n') + 1
	return fmt.Errorf("after %d equal lines:\n\twant %s\n\tgot  %s", bytes.Count(want.text[:n], []byte{'\n'}),
		firstLine(want.text[n:]), firstLine(got.text[n:]))
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	if len(line) > 1500 {
		line = line[:1500]
	}
	return line
}
