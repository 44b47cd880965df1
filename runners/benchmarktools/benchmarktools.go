package benchmarktools

import (
	"slices"
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
		Name:    "benchmarktools",
		Title:   "Julia BenchmarkTools JSON",
		Holds:   "results of Julia benchmarks, by group",
		Aliases: []string{"pkgbenchmark"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Top["benchmarkgroup"] == jsonscan.String && f.Top.Has("julia_commit") ||
			f.Array && (f.Row.Has("Julia", "BenchmarkTools") || isObject(f.Text))
	},
	Sections:  []string{"benchmarkgroup"},
	Head:      jsontree.Object().With(jsontree.Text, "name", "commit").With(jsontree.Any, about...).Members,
	Row:       element,
	RealFiles: "benchmarktools/expectations*.json",
	Shape:     rows.Embedded,
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		switch text := get("commit").Text(); {
		case text == "dirty":
			h.Attr("dirty", "true")
		case len(text) >= 7 && strings.Trim(text, "0123456789abcdefABCDEF") == "":
			h.Commit = text
		}
		h.Attr("package", get("name").Text())
		for _, key := range about {
			h.Attr(key, get(key).Text())
		}
	},
	Records: records,
	Other:   &rows.Spec{Row: element, Records: records},
})

// isObject reports whether a document that is an array is an object of BenchmarkTools.
func isObject(text []byte) bool {
	s := jsonscan.OfBytes(text)
	if s.EnterArray(); !s.Element() || s.Kind() != jsonscan.String {
		return false
	}
	typ, _ := s.Text()
	known := []string{"BenchmarkGroup", "Trial", "TrialEstimate"}
	return slices.Contains(known, strings.TrimPrefix(string(typ), "BenchmarkTools."))
}

// An element of a document is that with the versions, an array of objects, or if the document is an object,
// its type and its members. An object is an array of both.
var element = func() *jsontree.Type {
	data := jsontree.ObjectOf(nil)
	members := func() *jsontree.Type {
		return jsontree.Object().
			With(data, "data").
			With(jsontree.Any, "tags").
			With(jsontree.ArrayOf(jsontree.ObjectOf(jsontree.Any).Or(jsontree.Strings)), "params").
			With(jsontree.List, "times", "gctimes").
			With(jsontree.Number, "time", "gctime", "memory", "allocs")
	}
	data.Others = jsontree.ArrayOf(members().Or(jsontree.Strings))
	return members().With(jsontree.Any, keptJulia, keptTools).Or(jsontree.Strings).OrArrayOf(data.Others)
}()

// about are the members of PkgBenchmark's results that are attrs.
var about = []string{"date", "julia_commit", "vinfo", "benchmarkconfig"}

// The IDs of values that are kept of earlier elements.
const (
	keptJulia = "Julia"
	keptTools = "BenchmarkTools"
	keptType  = "type"
)

// records makes the records of an element.
func records(m *rows.Maker, v jsontree.Value) {
	switch v.Kind() {
	case jsonscan.String:
		m.Keep(v, keptType, v.Text())
	case jsonscan.Array:
		for o := range v.Elements() {
			addObject(m, o, "", "")
		}
		m.Keep(v, keptType, "")
	case jsonscan.Object:
		if typ := m.Kept(keptType); typ != "" {
			add(m, typ, v, "", "")
			return
		} else if m.Kept(keptJulia) != "" {
			m.Fault(v, "want an array of objects, each an array of its type and its members")
		}
		m.Keep(v, keptJulia, v.Get("Julia").Text())
		m.Keep(v, keptTools, v.Get("BenchmarkTools").Text())
	}
}

// addObject makes the records of an object, which is an array of its type and its members.
func addObject(m *rows.Maker, v jsontree.Value, name, tags string) {
	typ := ""
	for part := range v.Elements() {
		switch {
		case part.Kind() == jsonscan.String:
			typ = part.Text()
		case typ != "":
			add(m, typ, part, name, tags)
			return
		}
	}
	m.Faultf(v, "%s: want an array of a type and an object", name)
}

// add makes the records of an object of the type. The name and tags come from the groups that it
// is in.
func add(m *rows.Maker, typ string, v jsontree.Value, name, of string) {
	switch typ = strings.TrimPrefix(typ, "BenchmarkTools."); typ {
	case "BenchmarkGroup":
		if text := v.Get("tags").Text(); text != "[]" && text != "" {
			of = text
		}
		empty := true
		for key, o := range v.Get("data").Others() {
			empty = false
			if name != "" {
				key = name + "/" + key
			}
			addObject(m, o, key, of)
		}

		if empty {
			m.Warn(v, name+": the group is empty")
		}
		return
	case "Trial", "TrialEstimate":
	default:
		m.Warn(v, name+": "+typ+" has no measurements")
		return
	}

	m.Next()
	m.Param("name", name)
	m.Attr("Julia", m.Kept(keptJulia))
	m.Attr("BenchmarkTools", m.Kept(keptTools))
	m.Attr("tags", of)
	for part := range v.Get("params").Elements() {
		for key, value := range part.Others() {
			m.Attr("params."+key, value.Text())
		}
	}

	stat := ""
	if typ == "TrialEstimate" {
		stat = "estimate"
		m.Value(rows.Measure{Metric: "time", Unit: "ns", Stat: stat}, v.Get("time"))
		m.Value(rows.Measure{Metric: "gctime", Unit: "ns", Stat: stat}, v.Get("gctime"))
	} else {
		m.Numbers(rows.Measure{Metric: "time", Unit: "ns"}, v.Get("times"))
		m.Numbers(rows.Measure{Metric: "gctime", Unit: "ns"}, v.Get("gctimes"))
	}
	if !v.Get("time").Has() && len(v.Get("times").List()) == 0 && !v.Get("times").Faulty() {
		m.Fault(v, m.Name()+"the "+typ+" has no times")
	}
	m.Value(rows.Measure{Metric: "memory", Unit: "bytes", Stat: stat}, v.Get("memory"))
	m.Value(rows.Measure{Metric: "allocs", Stat: stat}, v.Get("allocs"))
}
