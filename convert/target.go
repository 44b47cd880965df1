package convert

import (
	"io"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
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
