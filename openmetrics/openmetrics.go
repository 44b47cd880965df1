// Package openmetrics writes the newest values of series as OpenMetrics, for a scraper such as
// Prometheus, or for a file that its node exporter reads. There is no Reader: OpenMetrics has no
// commits and repetitions.
//
//	# TYPE benchmark_value gauge
//	benchmark_value{name="Encode",size="1k",unit="ns/op"} 1200
//	# EOF
//
// Each measurement is a sample of the gauge benchmark_value, whose labels are its params. In their
// names, each character but letters, digits and _ becomes _; of two params of a measurement whose
// labels would be one, the second gets another _ at its end. A label unit says the unit, unless the
// param units does.
//
// A series has one value: the first one that is written. Other repetitions are refused, as are
// params with an empty value, which OpenMetrics takes for absent, if the series has a value without
// them. The commit, attrs, links and directions have no place.
package openmetrics

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/message"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// Target returns the format as package convert writes it.
func Target() format.Format {
	return format.Format{
		Name: "openmetrics", Title: "OpenMetrics", Holds: "the value of each series, for a scraper",
		Aliases: []string{"prometheus"}, Extensions: []string{".prom", ".om"},
		NewWriter: func(out io.Writer, _ format.Header) (format.Writer, error) {
			w := &writer{out: buffer.NewOutput(out), seed: maphash.MakeSeed()}
			w.out.Bytes = append(w.out.Bytes, "# TYPE benchmark_value gauge\n"...)
			return w, nil
		},
	}
}

type writer struct {
	out    buffer.Output
	seed   maphash.Seed
	series traceset.Set
	labels traceid.Params
	text   []byte // of the labels
}

// LacksCommit tells package convert that the format has no place for a commit and a direction.
func (w *writer) LacksCommit() {}

var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace

func (w *writer) Write(rec *format.Record) error {
	if err := w.out.Err(); err != nil {
		return err
	}
	fault := func(text string) error { return fmt.Errorf("measurement %s: %s", rec.TraceID(), text) }
	switch {
	case len(rec.Links) > 0:
		return fault("the format has no links")
	case len(rec.Attrs) > 0:
		return fault("the format has no attributes")
	}
	if err := message.CheckPairs(rec.Params); err != nil {
		return fault(err.Error())
	}

	w.setLabels(rec)
	w.text = w.text[:0]
	for _, l := range w.labels {
		if len(w.text) > 0 {
			w.text = append(w.text, ',')
		}
		w.text = append(append(append(w.text, l.Key...), `="`...), escape(l.Value)...)
		w.text = append(w.text, '"')
	}

	// The seed is random, so that no file can be made whose series have one hash.
	max := format.Limits{}.WithDefaults().MaxUniqueTraces
	switch earlier, known := w.series.AddHash(maphash.Bytes(w.seed, w.text), 1, max); {
	case !known:
		return fault(message.Limit("MaxUniqueTraces", int64(max), "series"))
	case earlier > 0:
		return errors.New("its series has a value already")
	}

	w.out.Bytes = append(append(append(w.out.Bytes, "benchmark_value{"...), w.text...), "} "...)
	w.out.Bytes = append(strconv.AppendFloat(w.out.Bytes, rec.Value, 'g', -1, 64), '\n') // or NaN, +Inf or -Inf
	return w.out.FlushIfLarge()
}

// setLabels makes the labels of a record, sorted. The number of a repetition is not one of them.
func (w *writer) setLabels(rec *format.Record) {
	w.labels = w.labels[:0]
	has := func(name string) bool {
		return slices.ContainsFunc(w.labels, func(l traceid.Param) bool { return l.Key == name })
	}
	add := func(name, value string) {
		for has(name) {
			name += "_"
		}
		w.labels = append(w.labels, traceid.Param{Key: name, Value: value})
	}

	for _, p := range rec.Params {
		if p.Value != "" && !(p.Key == "repetition" && rec.Repetition > 0 && p.Value == strconv.Itoa(rec.Repetition)) {
			name := strings.Map(func(r rune) rune {
				if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
					return r
				}
				return '_'
			}, p.Key)
			// Names that begin with two _ are those of Prometheus itself.
			if name == "" || name[0] <= '9' || strings.HasPrefix(name, "__") {
				name = "param_" + name
			}
			add(name, p.Value)
		}
	}

	if !has("unit") && !has("units") && rec.Unit != "" {
		add("unit", rec.Unit)
	}
	slices.SortFunc(w.labels, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
}

func (w *writer) Close() error { return w.out.End("# EOF\n") }
