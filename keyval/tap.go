package keyval

import (
	"io"
	"slices"
	"strconv"
)

// A TAPReport is a report of iterations in the Test Anything Protocol. For each iteration it has
// one successful test for the attributes, and one for the performance values, if there are any,
// each sorted by key.
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
	full  [][]byte    // the text; one slice would take several times the memory while it grows
	text  []byte      // the rest
	keys  writtenKeys // of the last iteration
}

// chunkSize is the size in bytes from which text becomes one of full.
const chunkSize = 64 << 10

// AddIteration adds an iteration to the report. It accepts and rejects what
// [Writer.WriteIteration] does.
func (t *TAPReport) AddIteration(it *Iteration) error {
	if err := it.check(&t.keys); err != nil {
		return err
	}

	if len(it.Attr) > 0 {
		t.begin()
		for _, p := range it.Attr {
			t.text = append(t.text, "  "+p.Key+"_attr: "...)
			t.text = append(t.text, p.Value...)
			t.endLine()
		}
		t.end()
	}

	if len(it.Perf) > 0 {
		t.begin()
		for _, kv := range it.sortedPerf() {
			t.text = append(t.text, "  "+kv.Key+"_perf: "...)
			t.text = appendFloat(t.text, kv.Value)
			t.endLine()
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

// endLine ends a line, and begins another chunk if this one is full.
func (t *TAPReport) endLine() {
	t.text = append(t.text, '\n')
	if len(t.text) >= chunkSize {
		t.full = append(t.full, slices.Clone(t.text))
		t.text = t.text[:0]
	}
}

func (t *TAPReport) end() { t.text = append(t.text, "  ...\n"...) }

// WriteTo writes the whole report, each time it is called. It implements [io.WriterTo].
func (t *TAPReport) WriteTo(out io.Writer) (int64, error) {
	begin := strconv.AppendInt([]byte("1.."), int64(t.tests), 10)
	begin = append(begin, '\n')
	total := int64(0)
	for _, text := range slices.Concat([][]byte{begin}, t.full, [][]byte{t.text}) {
		n, err := out.Write(text)
		total += int64(n)
		if err == nil && n < len(text) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
