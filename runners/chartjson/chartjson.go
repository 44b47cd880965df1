package chartjson

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "chartjson",
		Title:   "Chromium chart JSON",
		Holds:   "results of Chromium's benchmarks, by chart and story",
		Aliases: []string{"results-chart"},
	},
	Fits: func(f rows.Facts) bool {
		if f.Top == nil { // charts alone
			return f.Row.Has("*.type", "*.units", "*.improvement_direction")
		}
		hasValue := f.Row.Has("*.value") || f.Row.Has("*.values")
		isKnown := f.Row.Has("*.units") || f.Row.Has("*.type") || f.Top.Has("benchmark_name")
		return !f.Array && (hasValue && isKnown || f.Row.Has("*.type", "*.units") || f.Row.Has("*.none_value_reason") ||
			f.Top["charts"] == jsonscan.Object && len(f.Row) == 0 && f.Top.Has("benchmark_name"))
	},
	Sections: []string{"charts"},
	Head: jsontree.Object().
		With(jsontree.Text.Or(jsontree.Lenient).Needed(), "benchmark_name").
		With(jsontree.Text.Or(jsontree.Lenient), "label").Members,
	Row:   row,
	Shape: rows.ByName,
	Other: &rows.Spec{Row: row, Shape: rows.ByName, Records: records},
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		h.Param("benchmark", get("benchmark_name").Text())
		h.Attr("label", get("label").Text())
	},
	RealFiles: "results-chart/*.json",
	NaN:       true,
	Records:   records,
})

var row = jsontree.ObjectOf(trace).Needed()

var trace = jsontree.Object().
	With(jsontree.Text.From(`"scalar"`, `"list_of_scalar_values"`).Needed(), "type").
	With(jsontree.Text.Needed(), "units").
	With(jsontree.Text.From(`"up"`, `"down"`).Needed(), "improvement_direction").
	With(jsontree.Number.Needed(), "value").
	With(jsontree.List.Or(jsontree.Gaps), "values").
	With(jsontree.Text, "none_value_reason").
	With(jsontree.Any, "page_id", "interaction_record").
	With(jsontree.ArrayOf(jsontree.Object().With(jsontree.Number, "low", "high", "count")), "buckets")

var better = map[string]format.Direction{"down": format.Lower, "up": format.Higher}

// records makes the records of a chart, which has a trace for each story.
func records(m *rows.Maker, chart jsontree.Value) {
	label, name, ok := strings.Cut(m.Group, "@@")
	if !ok {
		label, name = "", m.Group
	}
	for story, t := range chart.Others() {
		m.Next()
		m.Param("name", name)
		m.Param("label", label)
		if story != "summary" {
			m.Param("story", story)
		}
		m.Attrs(t, "page_id", "interaction_record")

		x := rows.MeasureOf(t.Get("units").Text())
		x.Better = cmp.Or(better[t.Get("improvement_direction").Text()], x.Better)
		switch {
		case t.Get("type").Text() == "trace":
			m.Skip()
		case t.Get("values").Has():
			addValues(m, x, t)
		case t.Get("value").Has():
			m.Value(x, t.Get("value"))
		case t.Get("buckets").Has():
			addMean(m, x, t)
		case t.Get("none_value_reason").Has():
			m.Fault(t, m.Name()+t.Get("none_value_reason").Text())
		case !t.Get("value").Faulty() && !t.Get("values").Faulty():
			m.Fault(t, m.Name()+"no values")
		}
	}
}

// addValues adds the values of a list. Some may be null, which is one error for all of them.
func addValues(m *rows.Maker, x rows.Measure, t jsontree.Value) {
	all, reason := t.Get("values"), t.Get("none_value_reason")
	switch {
	case len(all.List()) > 0:
	case reason.Has():
		m.Fault(reason, m.Name()+reason.Text())
	default:
		m.Fault(t, m.Name()+"no values")
	}

	first, nulls := 0, 0
	for i, n := range all.List() {
		switch {
		case n.Value-n.Value == 0:
			m.Number(x, n.Value, n.Offset)
		case !all.ItemFaulty(i):
			if nulls++; nulls == 1 {
				first = i
			}
		}
	}

	if nulls > 0 {
		message := m.Name() + cmp.Or(reason.Text(), "no value")
		if nulls > 1 {
			message += fmt.Sprintf(" (%d such values)", nulls)
		}
		m.ItemFault(all, first, message)
	}
}

// addMean adds the mean of a histogram, as catapult makes it: of the middles of the buckets that are
// above 0. A faulty bucket is an error already: the others have another mean.
func addMean(m *rows.Maker, x rows.Measure, t jsontree.Value) {
	n, logs := 0.0, 0.0
	for b := range t.Get("buckets").Elements() {
		low, high, count := b.Get("low"), b.Get("high"), b.Get("count")
		if low.Faulty() || high.Faulty() || count.Faulty() {
			return
		}
		middle := low.Number()
		if high.Has() {
			middle = (middle + high.Number()) / 2
		}
		if middle > 0 {
			n += count.Number()
			logs += math.Log(middle) * count.Number()
		}
	}

	mean := math.Exp(logs / n)
	if n <= 0 || mean-mean != 0 {
		m.Fault(t, m.Name()+"no values")
		return
	}
	x.Stat = "geomean"
	m.Number(x, mean, t.Get("buckets").Offset())
}
