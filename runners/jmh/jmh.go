package jmh

import (
	"cmp"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:  "jmh",
		Title: "JMH JSON",
		Holds: "results of Java benchmarks",
	},
	Fits: func(f rows.Facts) bool {
		return f.Array && f.Row.Has("benchmark", "mode", "primaryMetric")
	},
	Row:     row,
	IfEmpty: "JMH writes an array even if no benchmark was run, so it was stopped before",
	Records: records,
}

var row = jsontree.Object(
	jsontree.Member{Name: "benchmark", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "mode", Type: jsontree.Text.From(`"thrpt"`, `"avgt"`, `"x"`).Needed()},
	jsontree.Member{Name: "threads", Type: jsontree.Literal.From("1", "4").Needed()},
	jsontree.Member{Name: "params", Type: jsontree.ObjectOf(jsontree.Any)},
	jsontree.Member{Name: "primaryMetric", Type: metric.Needed()},
	jsontree.Member{Name: "secondaryMetrics", Type: jsontree.ObjectOf(metric)},
).With(jsontree.Any, attrs...)

var attrs = []string{
	"jmhVersion", "forks", "jvm", "jvmArgs", "jdkVersion", "vmName", "vmVersion", "warmupIterations",
	"warmupTime", "warmupBatchSize", "measurementIterations", "measurementTime", "measurementBatchSize",
}

var metric = jsontree.Object(
	jsontree.Member{Name: "score", Type: number.Needed()},
	jsontree.Member{Name: "scorePercentiles", Type: jsontree.ObjectOf(number)},
	jsontree.Member{Name: "scoreUnit", Type: jsontree.Text},
	jsontree.Member{Name: "rawData", Type: jsontree.ArrayOf(jsontree.ArrayOf(number))},
)

// A number is a string if it is NaN or infinite.
var number = jsontree.Number.Or(jsontree.Strings)

// better is about the primary metric, by mode.
var better = map[string]format.Direction{
	"thrpt": format.Higher, "avgt": format.Lower, "sample": format.Lower, "ss": format.Lower,
}

// records makes the records of a result.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "benchmark") {
		return
	}
	m.Param("name", v.Get("benchmark").Text())
	m.Param("mode", v.Get("mode").Text())
	if t := v.Get("threads"); t.Number() > 1 {
		m.Param("threads", t.Text())
	}
	for key, param := range v.Get("params").Others() {
		m.Param(key, param.Text())
	}

	for _, key := range attrs {
		if text := v.Get(key).Text(); text != "[]" { // no jvmArgs
			m.Attr(key, text)
		}
	}

	if m.Has(v, "primaryMetric") {
		x := rows.Measure{Stat: "mean", Better: better[v.Get("mode").Text()]}
		addMetric(m, v.Get("primaryMetric"), x)
	}
	for name, metric := range v.Get("secondaryMetrics").Others() {
		if metric.Get("scoreUnit").Text() != "---" {
			addMetric(m, metric, rows.Measure{Metric: name, Stat: "score"})
		}
	}
}

// stats are the names of percentiles that have one.
var stats = map[string]string{"0.0": "min", "50.0": "median", "100.0": "max"}

// addMetric adds the values of a metric, or its statistics. The Stat of x is the one of the
// score.
func addMetric(m *rows.Maker, v jsontree.Value, x rows.Measure) {
	x.Unit = v.Get("scoreUnit").Text()
	raw := false
	for fork := range v.Get("rawData").Elements() {
		for value := range fork.Elements() {
			raw = true
			m.Value(rows.Measure{Metric: x.Metric, Unit: x.Unit, Better: x.Better}, value)
		}
	}
	if raw && !m.Summaries {
		return
	}

	if !m.Has(v, "score") {
		return
	}
	m.Value(x, v.Get("score"))
	if v.Get("score").Kind() != jsonscan.Number {
		return // then its percentiles are not numbers, either
	}
	for name, value := range v.Get("scorePercentiles").Others() {
		x.Stat = cmp.Or(stats[name], "p"+strings.TrimSuffix(name, ".0"))
		m.Value(x, value)
	}
}
