package keyval

import (
	"io"
	"maps"
	"slices"
	"strconv"
)

// A TAPReport is a report of iterations in the Test Anything Protocol. For each iteration it has
// one successful test for the attributes, and one for the performance values, if there are any.
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
// A report begins with the number of its tests, so it is kept in memory until it is written.
// Values are not quoted, as in the reference: a YAML parser may read an attribute such as [x as
// something else. The zero TAPReport is ready for use.
type TAPReport struct {
	tests int
	text  []byte
}

// AddIteration adds an iteration to the report. It accepts and rejects what
// [Writer.WriteIteration] does.
func (t *TAPReport) AddIteration(attr map[string]string, perf map[string]float64) error {
	if err := checkIteration(attr, perf); err != nil {
		return err
	}

	if len(attr) > 0 {
		t.begin()
		for _, key := range slices.Sorted(maps.Keys(attr)) {
			t.text = append(t.text, "  "+key+"_attr: "...)
			t.text = append(t.text, attr[key]...)
			t.text = append(t.text, '\n')
		}
		t.end()
	}

	if len(perf) > 0 {
		t.begin()
		for _, key := range slices.Sorted(maps.Keys(perf)) {
			t.text = append(t.text, "  "+key+"_perf: "...)
			t.text = appendFloat(t.text, perf[key])
			t.text = append(t.text, '\n')
		}
		t.end()
	}
	return nil
}

func (t *TAPReport) begin() {
	t.tests++
	t.text = append(t.text, "ok "...)
	t.text = strconv.AppendInt(t.text, int64(t.tests), 10)
	t.text = append(t.text, " - results\n  ---\n"...)
}

func (t *TAPReport) end() { t.text = append(t.text, "  ...\n"...) }

// WriteTo writes the whole report, each time it is called. It implements [io.WriterTo].
func (t *TAPReport) WriteTo(out io.Writer) (int64, error) {
	text := strconv.AppendInt([]byte("1.."), int64(t.tests), 10)
	text = append(text, '\n')
	text = append(text, t.text...)
	n, err := out.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	return int64(n), err
}
