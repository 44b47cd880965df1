package criterion

import (
	"math"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several. It is a format of files and of folders.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:       "criterion",
		Title:      "Criterion.rs results",
		Holds:      "samples of Rust benchmarks",
		Aliases:    []string{"cargo-criterion"},
		Extensions: []string{".json", ".jsonl"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Top["reason"] == jsonscan.String &&
			(f.Top.Has("id", "iteration_count") || f.Top.Has("group_name", "benchmarks"))
	},
	Shape:        rows.InLines,
	Row:          message,
	Records:      records,
	DetectFolder: detectFolder,
	ReadFolder:   readFolder,
}

var (
	message = jsontree.Object(
		jsontree.Member{Name: "reason", Type: jsontree.Text.From(`"benchmark-complete"`).Needed()},
		jsontree.Member{Name: "id", Type: jsontree.Text.Unique().Needed()},
		jsontree.Member{Name: "iteration_count", Type: jsontree.List.From("1", "20", "300").Needed()},
		jsontree.Member{Name: "measured_values", Type: jsontree.List.Needed()},
		jsontree.Member{Name: "unit", Type: jsontree.Text},
		jsontree.Member{Name: "throughput", Type: jsontree.ArrayOf(jsontree.Object(
			jsontree.Member{Name: "per_iteration", Type: jsontree.Literal},
			jsontree.Member{Name: "unit", Type: jsontree.Text},
		))},
	).With(estimate, statistics...)
	estimate = jsontree.Object().With(jsontree.Number, "estimate").With(jsontree.Text, "unit")
)

// statistics are the members of a message that are estimates.
var statistics = []string{"typical", "mean", "median", "slope"}

// records makes the records of a message.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "reason") {
		return
	}
	if v.Get("reason").Text() != "benchmark-complete" {
		m.Skip()
		return
	}
	if !m.Has(v, "id") {
		return
	}

	m.Param("name", v.Get("id").Text())
	var amounts []string
	for t := range v.Get("throughput").Elements() {
		amounts = append(amounts, t.Get("per_iteration").Text()+" "+t.Get("unit").Text())
	}
	m.Attr("throughput", strings.Join(amounts, ", "))

	times := v.Get("measured_values")
	samples(m, v.Get("unit").Text(), times, v.Get("iteration_count"))
	if len(times.List()) > 0 && !m.Summaries {
		return
	}
	for _, stat := range statistics {
		e := v.Get(stat)
		m.Value(rows.Measure{Stat: stat, Unit: e.Get("unit").Text(), Better: format.Lower}, e.Get("estimate"))
	}
}

// samples makes a record of each time, of a number of iterations.
func samples(m *rows.Maker, unit string, times, iterations jsontree.Value) {
	t, n := times.List(), iterations.List()
	if len(t) != len(n) {
		m.Faultf(times, "%s%d samples, but %d numbers of iterations", m.Name(), len(t), len(n))
		return
	}
	for i := range t {
		value := t[i].Value / n[i].Value
		if n[i].Value <= 0 || math.IsInf(value, 0) {
			m.Faultf(times, "%ssample %d has %v iterations", m.Name(), i+1, n[i].Value)
			continue
		}
		m.Number(rows.Measure{Unit: unit, Better: format.Lower}, value, t[i].Offset)
	}
}
