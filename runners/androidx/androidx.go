package androidx

import (
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "androidx",
		Title:   "AndroidX benchmark JSON",
		Holds:   "results of Android's micro- and macrobenchmarks, with the device",
		Aliases: []string{"macrobenchmark", "microbenchmark"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("name", "className", "metrics") || len(f.Row) == 0 && f.Top.Has("context.build", "benchmarks")
	},
	Sections: []string{"benchmarks"},
	Head:     []jsontree.Member{{Name: "context", Type: rows.Flat}},
	Row:      row,
	NaN:      true,
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		h.Flatten("", get("context"))
	},
	Records: records,
})

var row = jsontree.Object(
	jsontree.Member{Name: "name", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "className", Type: jsontree.Text.Needed()},
	jsontree.Member{Name: "params", Type: jsontree.ObjectOf(jsontree.Any)},
	jsontree.Member{Name: "metrics", Type: jsontree.ObjectOf(metricOf(jsontree.List)).Needed()},
	jsontree.Member{Name: "sampledMetrics", Type: jsontree.ObjectOf(metricOf(jsontree.ArrayOf(jsontree.List)))},
).With(jsontree.Any, attrs...)

var attrs = []string{"totalRunTimeNs", "warmupIterations", "repeatIterations", "thermalThrottleSleepSeconds"}

var stats = []string{"minimum", "maximum", "median", "P50", "P90", "P95", "P99"}

// metricOf returns the type of a metric, given that of its runs.
func metricOf(list *jsontree.Type) *jsontree.Type {
	return jsontree.Object().With(list.Needed(), "runs").With(jsontree.Number, stats...)
}

// records makes the records of a benchmark.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "name") {
		return
	}
	identify(m, v)
	for metric, values := range v.Get("metrics").Others() {
		x := rows.Measure{Metric: metric, Unit: unitOf(metric)}
		list := values.Get("runs")
		m.Numbers(x, list)
		addStats(m, x, values, len(list.List()) > 0)
	}

	for metric, values := range v.Get("sampledMetrics").Others() {
		x := rows.Measure{Metric: metric, Unit: unitOf(metric)}
		found, iteration := false, 0
		for list := range values.Get("runs").Places() {
			m.Next()
			identify(m, v)
			m.Attr("iteration", strconv.Itoa(iteration))
			m.Numbers(x, list)
			found = found || len(list.List()) > 0
			iteration++
		}
		m.Next()
		identify(m, v)
		addStats(m, x, values, found)
	}
}

// identify adds what all metrics of a benchmark have in common.
func identify(m *rows.Maker, v jsontree.Value) {
	full, own := v.Get("name").Text(), false
	m.Param("class", v.Get("className").Text())
	for key, value := range v.Get("params").Others() {
		own = true
		m.Param(key, value.Text())
	}
	if i := strings.IndexByte(full, '['); own && i > 0 && strings.HasSuffix(full, "]") {
		full = full[:i]
	}
	m.Param("name", full)
	m.Attrs(v, attrs...)
}

// addStats adds the statistics of a metric, if it has no runs or Summaries is set.
func addStats(m *rows.Maker, x rows.Measure, v jsontree.Value, hasRuns bool) {
	switch list := v.Get("runs"); {
	case hasRuns && !m.Summaries, list.Faulty():
		return
	case list.Has() && !hasRuns:
		m.Fault(list, m.Name()+x.Metric+" has no runs")
		return
	}
	for i, stat := range stats {
		switch x.Stat = strings.ToLower(stat); i {
		case 0, 1:
			x.Stat = x.Stat[:len("min")]
		}
		m.Value(x, v.Get(stat))
	}
}

// unitOf returns the unit that the end of a metric's name says.
func unitOf(metric string) string {
	for _, end := range [...]struct{ suffix, unit string }{
		{"Ns", "ns"}, {"Us", "us"}, {"Ms", "ms"}, {"Kb", "Kb"}, {"Bytes", "bytes"}, {"Percent", "%"},
	} {
		if strings.HasSuffix(metric, end.suffix) {
			return end.unit
		}
	}
	return ""
}
