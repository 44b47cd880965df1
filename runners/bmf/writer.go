package bmf

import (
	"fmt"
	"io"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/internal/number"
	"perfdata/internal/rows"
)

// Target returns the format as convert writes it. It has a Writer and no Reader.
//
// The name of a benchmark is the param name, test, key or uid, and the other params as /KEY=VALUE.
// The measure is the param metric with the unit in parentheses, as "real_time (ns)", unless one of
// Bencher's measures has the unit; without a metric, it is latency for ns, and else the unit, or
// value. Attrs called lower_value and upper_value are written if they are numbers, and no others.
// Repetitions are members of the same name, of which Bencher takes the last one.
func Target() format.Format {
	return format.Format{
		Name: spec.Format.Name, Title: spec.Format.Title, Holds: spec.Format.Holds, Extensions: []string{".json"},
		NewWriter: func(out io.Writer, _ format.Header) (format.Writer, error) {
			return &writer{out: buffer.NewOutput(out)}, nil
		},
	}
}

// A writer writes measures. Consecutive measures of a benchmark are in one object.
type writer struct {
	out      buffer.Output
	name     string          // of the benchmark whose object is open
	measures map[string]bool // in it
	text     []byte
}

// LacksCommit tells package convert that the format has no place for a commit and a direction.
func (w *writer) LacksCommit() {}

func (w *writer) Write(rec *format.Record) error {
	if err := w.out.Err(); err != nil {
		return err
	}
	w.text = rows.AppendName(w.text[:0], rec, "metric", "unit", "units")
	if err := rows.CheckWritten(rec, w.text); err != nil {
		return err
	}
	for _, a := range rec.Attrs {
		_, err := strconv.ParseFloat(a.Value, 64)
		_, n := number.Parse([]byte(a.Value + " ")) // as JSON has it
		if err != nil || n != len(a.Value) || a.Key != "lower_value" && a.Key != "upper_value" {
			return fmt.Errorf("measurement %s: the format has no attribute %s", rec.TraceID(), a.Key)
		}
	}

	measure := measureOf(rec)
	switch {
	case w.measures == nil:
		w.out.Bytes = append(w.out.Bytes, "{\n"...)
		w.begin()
	case w.name != string(w.text) || w.measures[measure]:
		w.out.Bytes = append(w.out.Bytes, "\n  },\n"...)
		w.begin()
	default:
		w.out.Bytes = append(w.out.Bytes, ",\n"...)
	}

	w.measures[measure] = true
	w.out.Bytes = chars.AppendJSON(append(w.out.Bytes, "    "...), measure)
	w.out.Bytes = number.AppendShortest(append(w.out.Bytes, `: {"value": `...), rec.Value)
	for _, a := range rec.Attrs {
		w.out.Bytes = append(append(append(append(w.out.Bytes, `, "`...), a.Key...), `": `...), a.Value...)
	}
	w.out.Bytes = append(w.out.Bytes, '}')
	return w.out.FlushIfLarge()
}

// begin begins the object of a benchmark.
func (w *writer) begin() {
	w.name, w.measures = string(w.text), map[string]bool{}
	w.out.Bytes = append(chars.AppendJSON(append(w.out.Bytes, "  "...), w.name), ": {\n"...)
}

func (w *writer) Close() error {
	if w.measures == nil {
		return w.out.End("{}\n")
	}
	return w.out.End("\n  }\n}\n")
}

// measureOf returns the measure of a record.
func measureOf(rec *format.Record) string {
	metric, _ := rec.Params.Get("metric")
	switch unit := rows.UnitOf(rec.Params, rec.Unit); {
	case metric == "" && unit == "ns":
		return "latency"
	case metric == "" && unit == "":
		return "value"
	case metric == "":
		return unit
	case unit == "" || unit == unitOf(metric):
		return metric
	default:
		return metric + " (" + unit + ")"
	}
}
