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
		hasValue := f.Row.Has("*.value") || f.Row.Has("*.values")
		isKnown := f.Row.Has("*.units") || f.Row.Has("*.type") || f.Top.Has("benchmark_name")
		return hasValue && isKnown || f.Row.Has("*.type", "*.units") || f.Row.Has("*.none_value_reason") ||
			f.Top["charts"] == jsonscan.Object && len(f.Row) == 0 && f.Top.Has("benchmark_name")
	},
	Sections: []string{"charts"},
	Head: jsontree.Object().
		With(jsontree.Text.Or(jsontree.Lenient).Needed(), "benchmark_name").
		With(jsontree.Text.Or(jsontree.Lenient), "label").Members,
	Row:   jsontree.ObjectOf(trace).Needed(),
	Shape: rows.ByName,
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		h.Param("benchmark", get("benchmark_name").Text())
		h.Attr("label", get("label").Text())
	},
	RealFiles: "results-chart/*.json",
	NaN:       true,
	Records:   records,
})

var trace = jsontree.Object().
	With(jsontree.Text.From(`"scalar"`, `"list_of_scalar_values"`), "type").
	With(jsontree.Text, "units").
	With(jsontree.Text.From(`"up"`, `"down"`), "improvement_direction").
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

		x := rows.Measure{Unit: t.Get("units").Text(), Better: better[t.Get("improvement_direction").Text()]}
		switch {
		case t.Get("type").Text() == "trace":
			m.Skip()
		case t.Get("values").Has():
			addValues(m, x, t)
		case t.Get("value").Has():
			m.Value(x, t.Get("value"))
		case hasFault(t.Get("buckets")): // an error already: the others have another mean
		case t.Get("buckets").Has():
			if mean, ok := geometricMean(t.Get("buckets")); ok {
				x.Stat = "geomean"
				m.Number(x, mean, t.Get("buckets").Offset())
				continue
			}

			m.Fault(t, m.Name()+"no values")
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

func hasFault(buckets jsontree.Value) bool {
	for b := range buckets.Elements() {
		if b.Get("low").Faulty() || b.Get("high").Faulty() || b.Get("count").Faulty() {
			return true
		}
	}
	return false
}

// geometricMean returns the mean of a histogram, as catapult makes it: of the middles of the
// buckets that are above 0.
func geometricMean(buckets jsontree.Value) (mean float64, ok bool) {
	n, logs := 0.0, 0.0
	for b := range buckets.Elements() {
		middle := b.Get("low").Number()
		if b.Get("high").Has() {
			middle = (middle + b.Get("high").Number()) / 2
		}
		if middle > 0 {
			n += b.Get("count").Number()
			logs += math.Log(middle) * b.Get("count").Number()
		}
	}
	mean = math.Exp(logs / n)
	return mean, n > 0 && !math.IsInf(mean, 0) && !math.IsNaN(mean)
}
