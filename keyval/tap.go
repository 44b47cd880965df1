package keyval

import (
	"slices"
	"strconv"

	"perfdata/internal/buffer"
	"perfdata/internal/delta"
)

// A tapReport is the report that a tapWriter holds.
type tapReport struct {
	tests int
	full  [][]byte    // the text; one slice would take several times the memory while it grows
	text  []byte      // the rest
	keys  delta.Names // of the last iteration
}

// chunkSize is the size in bytes from which text becomes one of full.
const chunkSize = 64 << 10

// add adds an iteration to the report.
func (t *tapReport) add(it *Iteration) error {
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

func (t *tapReport) begin() {
	t.tests++
	t.text = append(t.text, "ok "...)
	t.text = strconv.AppendInt(t.text, int64(t.tests), 10)
	t.text = append(t.text, " - results\n  ---\n"...)
}

// endLine ends a line, and begins another chunk if this one is full.
func (t *tapReport) endLine() {
	t.text = append(t.text, '\n')
	if len(t.text) >= chunkSize {
		t.full = append(t.full, slices.Clone(t.text))
		t.text = t.text[:0]
	}
}

func (t *tapReport) end() { t.text = append(t.text, "  ...\n"...) }

// writeTo writes the whole report.
func (t *tapReport) writeTo(out *buffer.Output) error {
	out.Bytes = append(out.Bytes, "1.."...)
	out.Bytes = strconv.AppendInt(out.Bytes, int64(t.tests), 10)
	out.Bytes = append(out.Bytes, '\n')
	for _, text := range append(t.full, t.text) {
		out.Bytes = append(out.Bytes, text...)
		if err := out.FlushIfLarge(); err != nil {
			return err
		}
	}
	return nil
}
