package vitest

import (
	"bytes"
	"cmp"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "vitest",
		Title:   "Vitest and tinybench JSON",
		Holds:   "results of JavaScript benchmarks",
		Aliases: []string{"tinybench"},
	},
	Fits: func(f rows.Facts) bool {
		if f.Array {
			return f.Row.Has("name") && (f.Row.Has("result.latency") || f.Row.Has("result.mean") || f.Row.Has("result.error") ||
				f.Row.Has("latency", "throughput") || f.Row.Has("hz", "mean", "period"))
		}
		// Other reports of tests have results without tasks.
		return f.Row.Has("filepath", "groups") ||
			f.Row.Has("assertionResults", "name") && bytes.Contains(f.Text, []byte(`"tasks"`))
	},
	Sections: []string{"files", "testResults"},
	Row: jsontree.Object(
		jsontree.Member{Name: "filepath", Type: jsontree.Text.Unique().Needed()},
		jsontree.Member{Name: "groups", Type: jsontree.ArrayOf(jsontree.Object(
			jsontree.Member{Name: "fullName", Type: jsontree.Text.Unique().Needed()},
			jsontree.Member{Name: "benchmarks", Type: jsontree.ArrayOf(task().Or(jsontree.Repeats)).Needed()},
		)).Needed()},
		jsontree.Member{Name: "name", Type: jsontree.Text},
		jsontree.Member{Name: "message", Type: jsontree.Text.From("null")},
		jsontree.Member{Name: "assertionResults", Type: assertions},
	),
	RealFiles: "vitest/0*.json",
	Records:   readFile,
	Other: &rows.Spec{
		Row:     task().With(task().Needed(), "result"),
		Records: readTask,
	},
})

// The members of a benchmark, of tinybench's tasks and of their results: first the statistics, which
// are also those of latency.
var statistics = []string{"mean", "median", "min", "max", "p75", "p99", "p995", "p999", "p50"}

func numbers() *jsontree.Type {
	return jsontree.Object().
		With(jsontree.Number.Needed(), statistics[0]).
		With(jsontree.Number, statistics[1:]...).
		With(jsontree.List, "samples").
		With(jsontree.Any, "sampleCount", "samplesCount")
}

func task() *jsontree.Type {
	return numbers().
		With(jsontree.Text.Unique().Needed(), "name").
		With(jsontree.Text, "state").
		With(jsontree.Any, "runtime", "runtimeVersion", "timestampProviderName").
		With(jsontree.Any.From("null"), "error").
		With(numbers().Needed(), "latency").
		With(jsontree.Any.From("false"), "fromStore")
}

// readFile makes the records of a file of Vitest.
func readFile(m *rows.Maker, v jsontree.Value) {
	if v.Get("assertionResults").Has() {
		readReport(m, v)
		return
	}
	path := v.Get("filepath").Text()
	empty := true
	for g := range v.Get("groups").Elements() {
		file, group := split(g.Get("fullName").Text(), path)
		for b := range g.Get("benchmarks").Elements() {
			empty = false
			inFile(m, b, b, path, file, group)
		}
	}
	if empty && !v.Get("groups").Faulty() {
		m.Warn(v, withoutBenchmarks(path))
	}
}

// inFile makes the records of a benchmark in a file, given the part of it that has the numbers.
func inFile(m *rows.Maker, benchmark, numbers jsontree.Value, path, file, group string) {
	if m.Next(); named(m, benchmark) {
		m.Param("file", file)
		m.Param("group", group)
		m.Attr("filepath", path)
		times(m, benchmark, numbers)
	}
}

// split splits the full name of a group into the file, whose path is known, and the names of the
// suites.
func split(full, path string) (file, group string) {
	file, group, _ = strings.Cut(full, " > ")
	if path == "" {
		return file, group
	}
	if rest, ok := strings.CutSuffix(path, file); ok && (rest == "" || file != "" && strings.HasSuffix(rest, "/")) {
		return file, group
	}
	return base(path), full
}

// readTask makes the records of a task of tinybench.
func readTask(m *rows.Maker, v jsontree.Value) {
	if !named(m, v) {
		return
	}
	r := v.Get("result")
	switch {
	case r.Faulty():
		return // an error already
	case !r.Has():
		r = v
	}
	m.Attrs(r, "state", "runtime", "runtimeVersion", "timestampProviderName")

	switch l := r.Get("latency"); {
	case l.Has():
		times(m, r, l)
	case !l.Faulty():
		times(m, r, r)
	}
}

// named adds the name of a benchmark. It returns false if there is none.
func named(m *rows.Maker, benchmark jsontree.Value) bool {
	m.Param("name", benchmark.Get("name").Text())
	return m.Has(benchmark, "name")
}

// times makes the records of a benchmark, given its result and the part of this that has the numbers.
func times(m *rows.Maker, r, v jsontree.Value) {
	if e := r.Get("error"); e.Has() {
		reason := "" // usually {}, because JSON leaves out the message of an error
		if text := e.Text(); text != "{}" && text != "" {
			reason = ": " + text
		}
		m.Fault(e, m.Name()+"the benchmark failed"+reason)
		return
	}

	m.Attr("sampleCount", cmp.Or(v.Get("sampleCount").Text(), v.Get("samplesCount").Text()))

	x := rows.Measure{Unit: "ms", Better: format.Lower}
	list := v.Get("samples")
	m.Numbers(x, list)
	some := len(list.List()) > 0
	if m.Summaries || !some && !list.Faulty() {
		for _, stat := range statistics {
			number := v.Get(stat)
			if x.Stat = stat; stat == "p50" {
				if v.Get("median").Has() {
					continue
				}
				x.Stat = "median"
			}
			some = some || number.Has() || number.Faulty()
			m.Value(x, number)
		}
	}

	if !some && !list.Faulty() {
		m.Fault(r, m.Name()+"the benchmark has no numbers: it threw an error, or did not run")
	}
}

var assertions = jsontree.ArrayOf(jsontree.Object(
	jsontree.Member{Name: "fullName", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "status", Type: jsontree.Text.From(`"passed"`)},
	jsontree.Member{Name: "failureMessages", Type: jsontree.ArrayOf(jsontree.Text)},
	jsontree.Member{Name: "benchmarks", Type: jsontree.ArrayOf(jsontree.Object(
		jsontree.Member{Name: "name", Type: jsontree.Text.Unique().Needed()},
		jsontree.Member{Name: "tasks", Type: jsontree.ArrayOf(task().Or(jsontree.Repeats)).Needed()},
	)).Needed()},
))

// readReport makes the records of a file of tests, which the JSON reporter writes since version 5.
func readReport(m *rows.Maker, v jsontree.Value) {
	path := v.Get("name").Text()
	file := base(path)
	empty := true

	for test := range v.Get("assertionResults").Elements() {
		if test.Get("status").Text() == "failed" {
			empty = false
			why := ""
			for text := range test.Get("failureMessages").Elements() {
				why = ": " + firstLine(text.Text())
				break
			}
			m.Faultf(test, "%s: the test failed%s", test.Get("fullName").Text(), why)
		}
		for c := range test.Get("benchmarks").Elements() {
			for task := range c.Get("tasks").Elements() {
				empty = false
				if !task.Get("fromStore").IsTrue() {
					inFile(m, task, task.Get("latency"), path, file, c.Get("name").Text())
				}
			}
		}
	}

	switch message := v.Get("message").Text(); {
	case message != "":
		m.Faultf(v, "%s: the file failed: %s", file, firstLine(message))
	case empty && !v.Get("assertionResults").Faulty():
		m.Warn(v, withoutBenchmarks(path))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// base returns the last element of a path of any platform.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// withoutBenchmarks is the warning about a file, whose path is known, that has no benchmarks.
func withoutBenchmarks(path string) string {
	const message = "the file has no benchmarks"
	if path == "" {
		return message
	}
	return base(path) + ": " + message
}
