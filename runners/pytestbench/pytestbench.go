package pytestbench

import (
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "pytestbench",
		Title:   "pytest-benchmark JSON",
		Holds:   "results of Python benchmarks, with the machine and the commit",
		Aliases: []string{"pytest-benchmark", "pytest"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("fullname", "stats") || len(f.Row) == 0 && f.Top.Has("machine_info", "commit_info")
	},
	Sections: []string{"benchmarks"},
	Head: jsontree.Object().With(rows.Flat, "machine_info").
		With(jsontree.Object().With(jsontree.Text, "id").With(jsontree.Any, "time", "dirty", "branch"), "commit_info").
		With(jsontree.Any, "datetime", "version").Members,
	NaN:       true,
	Row:       row,
	RealFiles: "pytest-benchmark/0*.json",
	IfEmpty:   "the runner writes nothing if no benchmark ran",
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		info := get("commit_info")
		if id := info.Get("id").Text(); id != "unversioned" && id != "unknown" { // outside of a repository, or without git
			h.Commit = id
		}
		h.Attr("commit-time", info.Get("time").Text())
		h.Attr("dirty", info.Get("dirty").Text())
		h.Attr("branch", info.Get("branch").Text())
		h.Attr("datetime", get("datetime").Text())
		h.Attr("version", get("version").Text())
		h.Flatten("", get("machine_info"))
	},
	Records: records,
})

var row = jsontree.Object().
	With(jsontree.Text, "name").
	With(jsontree.Text.Unique().Needed(), "fullname").
	With(jsontree.Any, "group").
	With(jsontree.ObjectOf(jsontree.Any), "params").
	With(jsontree.Any, "param").
	With(jsontree.ObjectOf(jsontree.Any), "extra_info", "options").
	With(jsontree.Object().
		With(jsontree.Number.Needed(), statistics[0]).
		With(jsontree.Number, statistics[1:]...).
		With(jsontree.List, "data").
		With(jsontree.Any, "iterations").Needed(), "stats")

// statistics are those of stats.
var statistics = []string{"mean", "median", "min", "max", "stddev"}

// records makes the records of a benchmark.
func records(m *rows.Maker, v jsontree.Value) {
	full, name := v.Get("fullname").Text(), v.Get("name")
	switch {
	case full != "":
	case v.Get("fullname").Faulty() || name.Faulty():
		return
	case !name.Has():
		m.Fault(v, "fullname is required")
		return
	default:
		full = name.Text()
	}

	m.Param("name", withoutParams(full, v))
	m.Param("group", v.Get("group").Text())
	for key, value := range v.Get("params").Others() {
		if isAddress(value) {
			m.Attr(key, value.Text())
		} else {
			m.Param(key, value.Text())
		}
	}

	s := v.Get("stats")
	m.Attr("iterations", s.Get("iterations").Text())
	for key, value := range v.Get("options").Others() {
		m.Attr("options."+key, value.Text())
	}
	for key, value := range v.Get("extra_info").Others() {
		m.Attr(key, value.Text())
	}

	x := rows.Measure{Unit: "s", Better: format.Lower}
	times := s.Get("data")
	m.Numbers(x, times)
	if m.Summaries || len(times.List()) == 0 && !times.Faulty() {
		for _, x.Stat = range statistics {
			m.Value(x, s.Get(x.Stat))
		}
	}
}

// withoutParams returns the name of a benchmark without its parameters, if the member params has
// the values of all of them.
func withoutParams(full string, v jsontree.Value) string {
	if !v.Get("params").Has() {
		return full
	}
	for _, value := range v.Get("params").AllOthers() {
		if value.Text() == "" || isAddress(value) {
			return full
		}
	}
	return strings.TrimSuffix(full, "["+v.Get("param").Text()+"]")
}

// isAddress reports whether a parameter is, or contains, what Python's JSON cannot represent. It is
// written as text that usually has an address in memory.
func isAddress(v jsontree.Value) bool { return strings.Contains(v.Text(), "UNSERIALIZABLE[") }
