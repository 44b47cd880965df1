package metamorphic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

// A reading is everything that was read in a document, as text: a line for each record or error,
// and for the header, unless a fatal error has ended the reading.
type reading struct {
	lines  []string
	ended  bool // the last line is a fatal error
	size   bool // that error is about the size of a header or result
	errors int
}

// A view makes readings. Those of two views of a document can be compared.
type view struct {
	text  []byte                    // the input, for the positions of errors
	place func(offset int64) string // what says where in the document an offset in text is
	bare  bool                      // without the format's own header

	// noMessages leaves out the messages of errors, which may quote the text after a fault.
	noMessages bool
}

// byOffset returns places that are offsets, given the offset in the document of an offset in the text.
func byOffset(at func(int64) int64) func(int64) string {
	return func(offset int64) string { return strconv.FormatInt(at(offset), 10) }
}

// byToken returns places that are the tokens of a JSON text.
func byToken(text []byte) func(int64) string {
	return func(offset int64) string {
		token := text[offset:]
		if n := bytes.IndexAny(token, jsonSpace+punctuation); n >= 0 {
			token = token[:max(n, 1)]
		}
		return string(token)
	}
}

// read reads everything that r yields.
func (v view) read(r format.Reader) (got reading) {
	for rec, err := range r.Records() {
		if err != nil {
			got.errors++
			e, ok := errors.AsType[*format.Error](err)
			got.ended = !ok || e.Severity != format.Recoverable
			got.size = got.ended && strings.Contains(err.Error(), ": too many bytes: ")
			got.lines = append(got.lines, v.error(err))
			continue
		}
		at := *rec
		at.Offset = 0
		got.lines = append(got.lines, v.place(rec.Offset)+" "+formattest.ShowStep(&at, nil))
	}
	if !got.ended {
		got.lines = append(got.lines, v.header(r))
	}
	r.Close()
	return got
}

// error returns the text of an error.
func (v view) error(err error) string {
	e, ok := errors.AsType[*format.Error](err)
	if !ok {
		return fmt.Sprintf("not a *format.Error: %v", err)
	}
	message := e.Message
	if v.noMessages {
		message = ""
	}
	return fmt.Sprintf("%s %s: %s, severity %v, cause %v%s", v.place(e.Offset), e.Path, message, e.Severity,
		errors.Unwrap(err), v.badPosition(e))
}

// badPosition returns the fault in the position of an error: its line and column must
// belong to its offset. It does not check this in large documents, because some have many errors.
func (v view) badPosition(e *format.Error) string {
	if len(v.text) > 2*windowSize {
		return ""
	}
	if e.Offset < 0 || e.Offset > int64(len(v.text)) {
		return fmt.Sprintf(" POSITION %d of %d", e.Offset, len(v.text))
	}
	before := v.text[:e.Offset]
	line, column := bytes.Count(before, []byte{'\n'})+1, len(before)-bytes.LastIndexByte(before, '\n')
	if e.Line != line || e.Column != column {
		return fmt.Sprintf(" POSITION %d:%d, want %d:%d", e.Line, e.Column, line, column)
	}
	return ""
}

func (v view) header(r format.Reader) string {
	h, err := r.FileHeader()
	if err != nil {
		return fmt.Sprintf("header: %v", err)
	}
	text := fmt.Sprintf("header %q %q %q params %q links %q", h.Commit, h.Issue, h.Patchset, h.Params, h.Links)
	if err := errors.Join(h.Params.CheckSorted(), h.Links.CheckSorted()); err != nil {
		text += " not sorted"
	}
	if !v.bare {
		native, err := json.Marshal(h.Native)
		text += fmt.Sprintf(" %s %v", native, err)
	}
	return text
}

// difference returns how got differs from want, or nil. If one is only a fatal error,
// because its Reader looked ahead and met the error first, the other may have more before it. Where
// a Reader notices that a header or result is too large depends on where its window ends. It may
// meet another fault before that.
func difference(want, got reading) error {
	n := 0
	for n < min(len(want.lines), len(got.lines)) && want.lines[n] == got.lines[n] {
		n++
	}
	w, g := want.lines[n:], got.lines[n:]
	switch {
	case len(w) == 0 && len(g) == 0:
		return nil
	case want.ended && got.ended && n == 0 && (len(w) == 1 || len(g) == 1) && w[len(w)-1] == g[len(g)-1]:
		return nil
	case (want.size || got.size) && (len(w) <= 1 || len(g) <= 1):
		return nil
	}
	first := func(lines []string) string { return append(lines, "nothing")[0] }
	return fmt.Errorf("after %d equal lines:\n\twant %.1500q\n\tgot  %.1500q", n, first(w), first(g))
}
