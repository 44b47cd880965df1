package convert

import (
	"fmt"
	"io"
	"strconv"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// A target makes measurements fit and writes them in one format. It returns the errors of the
// output. A target may also have writeSamples and writeModel.
type target interface {
	write(m *measurement) error
	close() error
}

// A kind says how a format is written.
type kind struct {
	header      any // of the type of the format's own headers
	needsCommit bool
	manyCommits bool
	keepsCommit bool     // beside a param commit that is another one
	samples     bool     // the format has a place for samples
	common      bool     // its header has params that all records have
	bases       []string // the params that a name may begin with, if measurements have names
	start       func(w *Writer) (target, error)
}

// kindOf returns how a format is written: by the type of its Writer. A format whose Writer is none of
// these has the plain target.
func kindOf(f format.Format) kind {
	var w format.Writer
	if f.NewWriter != nil {
		w, _ = f.NewWriter(io.Discard, format.Header{})
	}
	switch w.(type) {
	case *skiav1.Writer:
		return kind{header: skiav1.Header{}, needsCommit: true, keepsCommit: true, common: true, start: toSkiaV1}
	case *nanolegacy.Writer:
		bases := []string{"test", "name", "key", "uid"}
		return kind{
			header: nanolegacy.Header{}, needsCommit: true, common: true, samples: true, bases: bases,
			start: toNanolegacy,
		}
	case *benchfmt.Writer:
		return kind{header: benchfmt.Header{}, manyCommits: true, start: toBenchfmt}
	case interface{ WriteIteration(*keyval.Iteration) error }: // keyvals, or a report of them
		return kind{header: keyval.Header{}, bases: []string{"key", "name", "test", "uid"}, start: toKeyval}
	case *perun.Writer:
		return kind{header: perun.Header{}, bases: []string{"uid", "name", "test", "key"}, start: toPerun}
	}
	return kind{common: true, start: toPlain}
}

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
