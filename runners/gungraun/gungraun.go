package gungraun

import (
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/message"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:       "gungraun",
		Title:      "Gungraun JSON",
		Holds:      "counts of Valgrind's tools for Rust benchmarks",
		Aliases:    []string{"iai-callgrind"},
		Extensions: []string{".json", ".txt"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Top.Has("module_path", "benchmark_exe") && (f.Top.Has("profiles") || f.Top.Has("callgrind_summary"))
	},
	Shape:   rows.InLines,
	InText:  true,
	Row:     summary,
	Records: records,
}

var summary = jsontree.Object(
	jsontree.Member{Name: "version", Type: jsontree.Text.From(`"6"`, `"4"`, `"7"`).Needed()},
	jsontree.Member{Name: "module_path", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "id", Type: jsontree.Text},
	jsontree.Member{Name: "profiles", Type: jsontree.ArrayOf(profile).Needed()},
	jsontree.Member{Name: "callgrind_summary", Type: jsontree.Object(
		jsontree.Member{Name: "callgrind_run", Type: jsontree.Object(jsontree.Member{Name: "total", Type: jsontree.Object(
			jsontree.Member{Name: "summary", Type: all}, regressions)})},
		jsontree.Member{Name: "summaries", Type: jsontree.ArrayOf(jsontree.Object(
			jsontree.Member{Name: "events", Type: all}, regressions))},
	)},
	jsontree.Member{Name: "tool_summaries", Type: jsontree.ArrayOf(tool)},
	jsontree.Member{Name: "benchmark_exe", Type: jsontree.Any.From(`"/a/b"`).Needed()},
).With(jsontree.Any, attrs...)

// attrs are the members that are attrs, with benchmark_exe.
var attrs = []string{
	"kind", "details", "description", "group", "baselines", "benchmark_file", "package_dir", "project_root",
}

var (
	amount = jsontree.Object().
		With(jsontree.Number, "Int", "Float", "value").
		With(jsontree.Text, "unit").Or(jsontree.Numbers)
	// A metric has values in version 7, metrics before, and in versions 1 and 2 the value itself.
	metric = jsontree.Object().
		With(jsontree.Object().With(amount, "new"), "values").
		With(jsontree.Object().With(amount.Needed(), "Left").With(jsontree.ArrayOf(amount), "Both").Needed(), "metrics").
		With(amount, "new")
	all    = jsontree.ObjectOf(metric).Needed()
	byTool = jsontree.ObjectOf(all).Needed().Or(jsontree.Strings) // or "None"

	regressions = jsontree.Member{Name: "regressions", Type: jsontree.ArrayOf(jsontree.Any)}
)

var (
	profile = jsontree.Object(
		jsontree.Member{Name: "tool", Type: jsontree.Text.From(`"Callgrind"`, `"DHAT"`).Needed()},
		jsontree.Member{Name: "summaries", Type: totalOf(byTool).Needed()},
		jsontree.Member{Name: "data", Type: totalOf(byTool)},
	)
	// In versions 1 and 2, the summaries are an array.
	tool = jsontree.Object().
		With(jsontree.Text, "tool").
		With(jsontree.Object().With(byTool, "total").
			OrArrayOf(jsontree.Object().With(jsontree.ObjectOf(amount), "error_summary")), "summaries")
)

// totalOf returns the type of an object with a total.
func totalOf(summary *jsontree.Type) *jsontree.Type {
	return jsontree.Object(jsontree.Member{Name: "total", Type: jsontree.Object(
		jsontree.Member{Name: "summary", Type: summary},
		jsontree.Member{Name: "metrics", Type: jsontree.ObjectOf(metric)},
		regressions,
	).Needed()})
}

// records makes the records of a summary.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "module_path") || !m.Has(v, "version") {
		return
	}
	if text := v.Get("version").Text(); len(text) != 1 || text < "1" || text > "7" {
		m.Faultf(v.Get("version"), "%s: version %q is unknown: want 1 to 7", v.Get("module_path").Text(), text)
		return
	}

	for p := range v.Get("profiles").Elements() {
		total, next := p.Get("summaries").Get("total"), p.Get("data").Get("total")
		b := begin(m, v, p.Get("tool").Text())
		b.byTool(total.Get("summary"))
		b.metrics(next.Get("metrics"))
		b.end(p, total.Get("regressions"), next.Get("regressions"))
	}

	if c := v.Get("callgrind_summary"); c.Has() {
		total := c.Get("callgrind_run").Get("total")
		b := begin(m, v, "Callgrind")
		b.metrics(total.Get("summary"))
		found := []jsontree.Value{total.Get("regressions")}
		for one := range c.Get("summaries").Elements() {
			b.metrics(one.Get("events"))
			found = append(found, one.Get("regressions"))
		}
		b.end(c, found...)
	}

	for t := range v.Get("tool_summaries").Elements() {
		b := begin(m, v, t.Get("tool").Text())
		b.byTool(t.Get("summaries").Get("total"))
		for one := range t.Get("summaries").Elements() { // of versions 1 and 2
			for name, n := range one.Get("error_summary").Others() {
				b.add(name, n)
			}
		}
		b.end(t)
	}
}

// A benchmark makes the records of one tool.
type benchmark struct {
	m     *rows.Maker
	tool  string
	found bool
}

// begin adds what all values of a tool have in common.
func begin(m *rows.Maker, v jsontree.Value, tool string) *benchmark {
	m.Next()
	m.Param("name", v.Get("module_path").Text())
	m.Param("id", v.Get("id").Text())
	m.Param("tool", tool)
	m.Attrs(v, "benchmark_exe")
	m.Attrs(v, attrs...)
	return &benchmark{m: m, tool: tool}
}

// byTool adds the metrics of a tool, by the name of their kind.
func (b *benchmark) byTool(v jsontree.Value) {
	for _, all := range v.Others() {
		b.metrics(all)
	}
}

// metrics adds the new values of an object of metrics.
func (b *benchmark) metrics(v jsontree.Value) {
	for name, one := range v.Others() {
		either := one.Get("metrics")
		b.add(name, one.Get("values").Get("new"))
		b.add(name, either.Get("Left"))
		for first := range either.Get("Both").Places() {
			b.add(name, first)
			break // the second one is old
		}
		b.add(name, one.Get("new"))
	}
}

// add adds a value, if there is one.
func (b *benchmark) add(name string, v jsontree.Value) {
	x := rows.Measure{Metric: name}
	switch {
	case strings.HasSuffix(name, "Rate"):
		x.Unit = "%"
	case strings.HasSuffix(name, "Bytes"):
		x.Unit = "bytes"
	}

	b.found = b.found || v.Has()
	if v.Kind() == jsonscan.Number {
		b.m.Value(x, v)
		return
	}

	hasNumber := func(member string) bool { return v.Get(member).Has() }
	if v.Kind() == jsonscan.Object && !slices.ContainsFunc([]string{"Int", "Float", "value"}, hasNumber) {
		b.m.Fault(v, b.m.Name()+name+" has no number") // NaN is null
		return
	}
	b.m.Value(x, v.Get("Int"))
	b.m.Value(x, v.Get("Float"))
	if text := v.Get("unit").Text(); text != "" {
		x.Unit = text
	}
	b.m.Value(x, v.Get("value"))
}

// end warns of regressions, and of a tool without values.
func (b *benchmark) end(v jsontree.Value, regressions ...jsontree.Value) {
	for _, list := range regressions {
		for r := range list.Elements() {
			b.m.Warn(r, b.m.Name()+"the runner says that it is a regression: "+message.Shorten(r.Text()))
		}
	}
	if !b.found {
		b.m.Warn(v, b.m.Name()+b.tool+" has no new metrics")
	}
}
