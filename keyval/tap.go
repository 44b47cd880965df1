package keyval

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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

// A tapWriter is the Writer of [TAP]: a Writer of keyvals, of which it makes a report.
type tapWriter struct {
	*Writer
	report tapReport
	out    buffer.Output
}

func newTAPWriter(out io.Writer) *tapWriter {
	t := &tapWriter{out: buffer.NewOutput(out)}
	t.report.text = buffer.NewSpool(math.MaxInt64, math.MaxInt64)
	t.Writer = NewWriter(&t.report, Header{})
	return t
}

// Close writes the report. It does not close the io.Writer. After it has returned nil, further calls do
// so too.
func (t *tapWriter) Close() error {
	if t.out.Closed() {
		return nil
	}
	if err := cmp.Or(t.out.Err(), t.Writer.Close()); err != nil {
		return err
	}
	t.out.Bytes = fmt.Appendf(t.out.Bytes, "1..%d\n", t.report.tests)
	t.out.Copy(t.report.text.Reader())
	return t.out.Close()
}

// A tapReport makes a report of the lines that a Writer of keyvals writes to it.
type tapReport struct {
	tests       int
	text        *buffer.Spool // in memory
	line        []byte        // scratch
	attrs, perf []string      // the lines of the open iteration
}

// Write adds whole lines.
func (t *tapReport) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		switch _, tagged, _ := bytes.Cut(line, []byte("{")); {
		case len(line) == len("\n"): // the end of an iteration
			slices.SortFunc(t.perf, func(a, b string) int { return strings.Compare(keyOf(a), keyOf(b)) })
			t.add(t.attrs, "_attr: ")
			t.add(t.perf, "_perf: ")
			t.attrs, t.perf = t.attrs[:0], t.perf[:0]
		case bytes.HasPrefix(tagged, []byte(attrTag[1:])):
			t.attrs = append(t.attrs, string(line))
		default:
			t.perf = append(t.perf, string(line))
		}
	}
	return len(p), nil
}

// keyOf returns the key of a line. No key has a brace.
func keyOf(line string) string { return line[:strings.IndexByte(line, '{')] }

// add adds a test, unless it has no lines.
func (t *tapReport) add(lines []string, kind string) {
	if len(lines) == 0 {
		return
	}
	t.tests++
	fmt.Fprintf(t.text, "ok %d - results\n  ---\n", t.tests)
	for _, line := range lines {
		_, value, _ := strings.Cut(line, "=")
		t.line = append(append(append(append(t.line[:0], "  "...), keyOf(line)...), kind...), value...)
		t.text.Write(t.line)
	}
	io.WriteString(t.text, "  ...\n")
}
