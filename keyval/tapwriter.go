package keyval

import (
	"io"

	"perfdata/format"
	"perfdata/internal/buffer"
)

// TAP returns the Test Anything Protocol as a format that is only written. Its Writer makes a report
// of iterations: for each it has one successful test for the attributes, and one for the
// performance values, if there are any, each sorted by key.
//
//	1..2
//	ok 1 - results
//	  ---
//	  host_attr: lumpy
//	  ...
//	ok 2 - results
//	  ---
//	  fps_WebGLAquarium_perf: 59.8
//	  ...
//
// It takes and refuses the records that a [Writer] does. It also has the method WriteIteration of
// a Writer. A report begins with the number of its tests, so it is held in memory until Close.
// Values are not quoted, as in the reference: a YAML parser may read an attribute such as [x as
// something else.
func TAP() format.Format {
	return format.Format{
		Name:       "tap",
		Title:      "Test Anything Protocol",
		Holds:      "a report of the iterations of a test",
		Extensions: []string{".tap"},
		NewWriter: func(out io.Writer, _ format.Header) (format.Writer, error) {
			return newTAPWriter(out), nil
		},
	}
}

// A tapWriter is the Writer of [TAP].
type tapWriter struct {
	out    buffer.Output
	check  *Writer // decides to which iteration a record belongs
	it     Iteration
	report tapReport
}

func newTAPWriter(out io.Writer) *tapWriter {
	return &tapWriter{out: buffer.NewOutput(out), check: NewWriter(io.Discard, Header{})}
}

// Write adds a record to the report.
func (t *tapWriter) Write(rec *format.Record) error {
	if err := t.out.Err(); err != nil {
		return err
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

// WriteIteration adds an iteration to the report, after the iteration of the records before it.
func (t *tapWriter) WriteIteration(it *Iteration) error {
	if err := t.out.Err(); err != nil {
		return err
	}
	if err := t.endIteration(); err != nil {
		return err
	}
	return t.report.add(it)
}

// endIteration adds the iteration of records to the report.
func (t *tapWriter) endIteration() error {
	err := t.report.add(&t.it)
	t.it.Attr, t.it.Perf = t.it.Attr[:0], t.it.Perf[:0]
	if err != nil {
		return t.out.Fail(err)
	}
	return nil
}

// Close writes the report. It does not close the io.Writer. After it has returned nil, further calls do
// so too.
func (t *tapWriter) Close() error {
	switch {
	case t.out.Closed():
		return nil
	case t.out.Err() != nil:
		return t.out.Err()
	}
	if err := t.endIteration(); err != nil {
		return err
	}
	if err := t.report.writeTo(&t.out); err != nil {
		return err
	}
	return t.out.Close()
}
