package histogramset

import (
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:    "histogramset",
		Title:   "Chromium HistogramSet",
		Holds:   "samples of Chromium's benchmarks, by story",
		Aliases: []string{"histograms"},
	},
	Fits: func(f rows.Facts) bool {
		isDiagnostic := func(member string) bool { return f.Row.Has("guid", "type", member) }
		own := []string{"values", "min", "events", "names", "tagsToStoryNames", "diagnostics", "value"}
		return f.Array && (f.Row.Has("name", "unit", "diagnostics") || f.Row.Has("name", "unit", "binBoundaries") ||
			slices.ContainsFunc(own, isDiagnostic))
	},
	Row:     row,
	Records: records,
}

var row = jsontree.Object(append([]jsontree.Member{
	{Name: "name", Type: jsontree.Text.Unique().Needed()},
	{Name: "unit", Type: jsontree.Text.From(`"ms_smallerIsBetter"`, `"count"`, `"score+"`).Needed()},
	{Name: "sampleValues", Type: jsontree.List.Needed()},
	{Name: "running", Type: jsontree.ArrayOf(jsontree.Number)}, // the third may be null
	{Name: "numNans", Type: jsontree.Literal.From("0")},
	{Name: "diagnostics", Type: jsontree.ObjectOf(jsontree.Object(diagnostic...).Or(jsontree.Strings)).Needed()},
}, diagnostic...)...)

var diagnostic = []jsontree.Member{
	{Name: "type", Type: jsontree.Text.From(`"GenericSet"`, `"DateRange"`)},
	{Name: "guid", Type: jsontree.Text},
	{Name: "values", Type: jsontree.ArrayOf(jsontree.Any).Or(jsontree.Objects | jsontree.Lenient)},
	{Name: "min", Type: jsontree.Any},
}

// params are the diagnostics that are params, and their keys. The others are attrs.
var params = map[string]string{
	"benchmarks": "benchmark", "stories": "story", "architectures": "architecture", "osNames": "os",
}

// records makes the records of a histogram, or keeps a diagnostic.
func records(m *rows.Maker, v jsontree.Value) {
	if v.Get("type").Has() && v.Get("guid").Has() {
		m.Keep(v, v.Get("guid").Text(), text(v))
		return
	}
	if !m.Has(v, "name") {
		return
	}

	m.Param("name", v.Get("name").Text())
	for key, d := range v.Get("diagnostics").Others() {
		value := text(d)
		if id := d.Text(); id != "" {
			value = m.Kept(id)
		}
		if param := params[key]; param != "" {
			m.Param(param, value)
		} else {
			m.Attr(key, value)
		}
	}

	if n := v.Get("numNans"); n.Number() > 0 {
		m.Fault(n, m.Name()+n.Text()+" samples are not numbers")
	}
	x := rows.MeasureOf(v.Get("unit").Text())
	if len(v.Get("sampleValues").List()) > 0 {
		m.Numbers(x, v.Get("sampleValues"))
		return
	}

	// They are the count, the maximum, the mean of the logarithms, the mean, the minimum, the sum and the variance.
	stats := slices.Collect(v.Get("running").Places())
	if len(stats) != 7 || stats[0].Number() <= 0 {
		m.Skip()
		return
	}
	for _, s := range []struct {
		stat string
		at   int
	}{{"mean", 3}, {"min", 4}, {"max", 1}} {
		x.Stat = s.stat
		m.Value(x, stats[s.at])
	}
	x.Stat = "stddev"
	m.Number(x, math.Sqrt(max(0, stats[6].Number())), stats[6].Offset())
}

// text returns the values of a diagnostic.
func text(d jsontree.Value) string {
	switch d.Get("type").Text() {
	case "GenericSet":
		var all []string
		for value := range d.Get("values").Elements() {
			all = append(all, value.Text())
		}
		return strings.Join(all, ",")
	case "DateRange":
		return d.Get("min").Text()
	}
	return ""
}
