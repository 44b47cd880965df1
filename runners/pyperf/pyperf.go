package pyperf

import (
	"cmp"
	"math"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = rows.Document(&rows.Spec{
	Format: format.Format{
		Name:    "pyperf",
		Title:   "pyperf JSON",
		Holds:   "results of Python benchmarks, by run",
		Aliases: []string{"pyperformance"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Row.Has("runs.values") || f.Row.Has("runs.samples") || f.Row.Has("runs.warmups")
	},
	Sections: []string{"benchmarks"},
	Head:     jsontree.Object().With(object, "metadata", "common_metadata").Members,
	NaN:      true,
	Row: jsontree.Object().
		With(object, "metadata", "common_metadata").
		With(jsontree.ArrayOf(run.Or(jsontree.Repeats)).Needed(), "runs"),
	IfEmpty: "the runner was stopped before it wrote the results",
	Header: func(h *rows.Header, get func(string) jsontree.Value) {
		for _, v := range []jsontree.Value{get("metadata"), get("common_metadata")} {
			h.Param("name", textOf(v.Get("name")))
			h.Unit = cmp.Or(h.Unit, textOf(v.Get("unit")))
			h.Commit = cmp.Or(h.Commit, textOf(v.Get("commit_id")))
			h.Attr("commit-time", textOf(v.Get("commit_date")))
			for key, value := range v.Others() {
				h.Attr(key, textOf(value))
			}
		}
		h.Unit = cmp.Or(h.Unit, "second")
	},
	Records: records,
})

var (
	object = jsontree.ObjectOf(jsontree.Any).
		With(jsontree.Text.Unique(), "name").
		With(jsontree.Text.From(`"second"`, `"byte"`), "unit").
		With(jsontree.Text, "commit_id", "commit_date")
	run = jsontree.Object().
		With(object, "metadata").
		With(jsontree.Any.From("[[1, 0.5]]").Needed(), "warmups").
		With(jsontree.List.From("1", "0.25", "1.5e-6").Needed(), "values").
		With(jsontree.List.From("2"), "samples")
)

// records makes the records of a benchmark.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "runs") {
		return
	}
	for r := range v.Get("runs").Elements() {
		list := r.Get("values")
		if !list.Has() {
			list = r.Get("samples")
		}
		m.Next()
		unit := identify(m, r.Get("metadata"), v.Get("metadata"), v.Get("common_metadata"))

		switch {
		case len(list.List()) > 0:
			for i, n := range list.List() {
				if n.Value > 0 && !math.IsInf(n.Value, 1) {
					m.Number(rows.Measure{Unit: unit}, n.Value, n.Offset)
				} else {
					m.ItemFault(list, i, m.Name()+"want a number above 0")
				}
			}
		case list.Faulty() || r.Get("values").Faulty():
		case r.Get("warmups").Has():
			m.Skip()
		default:
			m.Fault(r, m.Name()+"the run has no values and no warmups")
		}
	}
}

// identify adds what the metadata say, of which the first ones are taken, and returns the unit.
func identify(m *rows.Maker, all ...jsontree.Value) (of string) {
	first := func(member string) string {
		for _, v := range all {
			if text := textOf(v.Get(member)); text != "" {
				return text
			}
		}
		return ""
	}
	m.Param("name", first("name"))
	m.Commit(first("commit_id"))
	m.Attr("commit-time", first("commit_date"))
	for i, v := range all {
		for key, value := range v.Others() {
			if !has(all[:i], key) {
				m.Attr(key, textOf(value))
			}
		}
	}
	return first("unit")
}

// has reports whether any of the objects has a member of the name.
func has(objects []jsontree.Value, name string) bool {
	for _, v := range objects {
		for other := range v.Others() {
			if other == name {
				return true
			}
		}
	}
	return false
}

// textOf returns the text of metadata, without the white space around it that the source ignores.
func textOf(v jsontree.Value) string { return strings.TrimSpace(v.Text()) }
