package keyval

import (
	"io"

	"perfdata/format"
)

// TAP returns the Test Anything Protocol as a format that is only written: its Writer is a
// [*TAPWriter].
func TAP() format.Format {
	return format.Format{
		Name:       "tap",
		Title:      "Test Anything Protocol",
		Holds:      "a report of the iterations of a test",
		Extensions: []string{".tap"},
		NewWriter: func(out io.Writer, _ format.Header) (format.Writer, error) {
			return NewTAPWriter(out), nil
		},
	}
}

// A TAPWriter writes a [TAPReport] of records. It takes and refuses the records that a [Writer]
// does, and holds the report until Close.
type TAPWriter struct {
	out    io.Writer
	check  *Writer // decides to which iteration a record belongs
	it     Iteration
	report TAPReport
	err    error
	closed bool
}

// NewTAPWriter returns a TAPWriter to out.
func NewTAPWriter(out io.Writer) *TAPWriter {
	return &TAPWriter{out: out, check: NewWriter(io.Discard, Header{})}
}

// Write adds a record to the report.
func (t *TAPWriter) Write(rec *format.Record) error {
	if t.err != nil {
		return t.err
	}
	last := t.check.iteration
	if err := t.check.Write(rec); err != nil {
		return err
	}
	if t.check.iteration != last {
		if err := t.endIteration(); err != nil {
			return err
		}
		t.it.Attr = append(t.it.Attr, rec.Attrs...)
	}
	key, _ := rec.Params.Get(paramKey)
	t.it.Perf = append(t.it.Perf, Keyval{Key: key, Value: rec.Value})
	return nil
}

func (t *TAPWriter) endIteration() error {
	t.err = t.report.AddIteration(&t.it)
	t.it.Attr, t.it.Perf = t.it.Attr[:0], t.it.Perf[:0]
	return t.err
}

// Close writes the report. It does not close the io.Writer. After it has returned nil, further calls do
// so too.
func (t *TAPWriter) Close() error {
	if t.err != nil || t.closed {
		return t.err
	}
	if err := t.endIteration(); err != nil {
		return err
	}
	_, t.err = t.report.WriteTo(t.out)
	t.closed = t.err == nil
	return t.err
}
