package ghbench

import (
	"fmt"
	"io"
	"strings"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/internal/number"
	"perfdata/internal/rows"
)

// Target returns the custom JSON of github-action-benchmark as convert writes it: the benches of
// one run, which the tools customSmallerIsBetter and customBiggerIsBetter take. It has a Writer and
// no Reader.
//
// The name of a bench is the param name, test, key or uid, and the other params as /KEY=VALUE, but
// for the unit. The attr range has its place, and the other attrs are lines of extra. Repetitions
// are benches of the same name.
func Target() format.Format {
	return format.Format{
		Name: spec.Format.Name, Title: spec.Format.Title, Holds: "the benches of one run", Extensions: []string{".json"},
		NewWriter: func(out io.Writer, _ format.Header) (format.Writer, error) {
			return &writer{out: buffer.NewOutput(out)}, nil
		},
	}
}

type writer struct {
	out  buffer.Output
	some bool // a bench was written
	text []byte
}

// LacksCommit tells package convert that the format has no place for a commit and a direction.
func (w *writer) LacksCommit() {}

func (w *writer) Write(rec *format.Record) error {
	if err := w.out.Err(); err != nil {
		return err
	}
	w.text = rows.AppendName(w.text[:0], rec, "unit", "units")
	if err := rows.CheckWritten(rec, w.text); err != nil {
		return err
	}

	extra, spread := "", ""
	for _, a := range rec.Attrs {
		switch {
		case a.Key == "range":
			spread = a.Value
		case strings.Contains(a.Key+a.Value, "\n") || strings.Contains(a.Key, ": ") || a.Value == "":
			return fmt.Errorf("measurement %s: the attribute %s does not fit a line", rec.TraceID(), a.Key)
		default:
			extra += a.Key + ": " + a.Value + "\n"
		}
	}

	begin := ",\n  {\"name\": "
	if !w.some {
		begin, w.some = "[\n  {\"name\": ", true
	}
	w.out.Bytes = chars.AppendJSON(append(w.out.Bytes, begin...), string(w.text))
	w.out.Bytes = chars.AppendJSON(append(w.out.Bytes, `, "unit": `...), rows.UnitOf(rec.Params, rec.Unit))
	w.out.Bytes = number.AppendShortest(append(w.out.Bytes, `, "value": `...), rec.Value)
	if spread != "" {
		w.out.Bytes = chars.AppendJSON(append(w.out.Bytes, `, "range": `...), spread)
	}
	if extra != "" {
		w.out.Bytes = chars.AppendJSON(append(w.out.Bytes, `, "extra": `...), strings.TrimSuffix(extra, "\n"))
	}
	w.out.Bytes = append(w.out.Bytes, '}')
	return w.out.FlushIfLarge()
}

func (w *writer) Close() error {
	if !w.some {
		return w.out.End("[]\n")
	}
	return w.out.End("\n]\n")
}
