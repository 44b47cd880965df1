package convert

import (
	"fmt"
	"strconv"

	"perfdata/format"
	"perfdata/traceid"
)

// A plainTarget writes to a format when only its Writer is known. It writes the records that the
// Writer accepts, and counts the ones that it refuses.
type plainTarget struct {
	out  *sink
	w    format.Writer
	bare bool // w has no place for a commit and a direction
}

func toPlain(w *Writer) (target, error) {
	s := w.survey
	if s.to.NewWriter == nil {
		return nil, fmt.Errorf("%w: format %q is not written", format.ErrUnknown, s.to.Name)
	}
	h := s.header
	h.Commit = w.commit
	h.Params = s.headerParams()
	s.members.drop(w.out, format.Header{}, false)
	to, err := s.to.NewWriter(w.out, h)
	_, bare := to.(interface{ LacksCommit() })
	if bare && w.commit != "" {
		w.out.count(lostHeader, paramCommit)
	}
	return &plainTarget{w.out, to, bare}, err
}

func (t *plainTarget) write(m *measurement) error {
	fit := *m.rec
	fit.Params, fit.Value, fit.Attrs, fit.Commit, fit.Repetition = m.params, m.value, m.attrs, m.commit, m.number
	if m.number > 0 {
		fit.Params = traceid.Merge(m.identity, traceid.Of(paramRepetition, strconv.Itoa(m.number)))
	}

	// Attributes are given up before links.
	err := t.w.Write(&fit)
	for _, pairs := range []*traceid.Params{&fit.Attrs, &fit.Links} {
		if err != nil && t.out.err == nil && len(*pairs) > 0 {
			*pairs = nil
			err = t.w.Write(&fit)
		}
	}

	if err == nil {
		if t.bare && fit.Better != format.Unknown {
			t.out.count(lostAttrs, "better")
		}
		if len(fit.Attrs) < len(m.attrs) {
			t.out.countPairs(lostAttrs, m.attrs)
		}
		if len(fit.Links) < len(m.rec.Links) {
			t.out.countPairs(lostLinks, m.rec.Links)
		}
	}
	return t.out.refused(&fit, err)
}

func (t *plainTarget) close() error { return t.w.Close() }
