package asv

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// A row is the results of a benchmark, whatever the layout: of each combination of its parameters
// one.
type row struct {
	name    string
	about   jsontree.Value // of benchmarks.json
	version string
	params  [][]string // the values of each parameter
	result  []jsontree.Value
	samples []jsontree.Value
	stats   [len(stats)][]jsontree.Value
}

var stats = [...]string{"q_25", "q_75", "ci_99_a", "ci_99_b"}

// row makes the records of a row.
func (f *folder) row(v jsontree.Value, name string, cells jsontree.Value) {
	about, ok := f.byName[name]
	if !ok {
		about = jsontree.None()
	}
	r := &row{name: name, about: about}
	if names := v.Get("result_columns"); names.Has() {
		all := places(names)
		for i, c := range places(cells) {
			r.set(at(all, i).Text(), c)
		}
	} else {
		r.setOld(cells, v.Get("benchmark_version"))
	}

	version := about.Get("version").Text()
	switch {
	case !ok:
		f.Warn(cells, name+" is not in "+benchmarksFile)
		f.Skip()
	case r.version != "" && r.version != version:
		f.Warn(cells, name+": the version of the benchmark is "+r.version+", and "+benchmarksFile+" has "+version)
		f.Skip()
	case len(r.result) == 0:
		f.Fault(cells, name+": the benchmark failed, or has no result")
	default:
		r.makeRecords(f.Maker)
	}
}

// set sets a column.
func (r *row) set(column string, c jsontree.Value) {
	switch column {
	case "result":
		r.result = places(c)
	case "params":
		r.params = nil
		for list := range c.Elements() {
			var values []string
			for value := range list.Places() {
				values = append(values, value.Text())
			}
			r.params = append(r.params, values)
		}
	case "version":
		r.version = c.Text()
	case "samples":
		r.samples = places(c)
	default:
		if s := slices.Index(stats[:], strings.TrimPrefix(column, "stats_")); s >= 0 {
			r.stats[s] = places(c)
		}
	}
}

// setOld sets what a row of layout 1 has, which is a number, a list or an object.
func (r *row) setOld(c, versions jsontree.Value) {
	for name, version := range versions.Others() {
		if name == r.name {
			r.version = version.Text()
		}
	}
	if c.Kind() != jsonscan.Object {
		r.result = places(c)
		return
	}

	for _, column := range []string{"result", "params", "samples"} {
		r.set(column, c.Get(column))
	}
	for _, s := range places(c.Get("stats")) {
		ends := places(s.Get("ci_99"))
		for i, v := range []jsontree.Value{s.Get("q_25"), s.Get("q_75"), at(ends, 0), at(ends, 1)} {
			r.stats[i] = append(r.stats[i], v)
		}
	}
}

// places returns the elements of an array, or a value as the only one.
func places(v jsontree.Value) []jsontree.Value {
	switch v.Kind() {
	case jsonscan.None:
		return nil
	case jsonscan.Array:
		return slices.Collect(v.Places())
	}
	return []jsontree.Value{v}
}

// at returns the i-th of values, or none.
func at(values []jsontree.Value, i int) jsontree.Value {
	if i < len(values) {
		return values[i]
	}
	return jsontree.None()
}

// makeRecords makes the records of all combinations of parameters.
func (r *row) makeRecords(m *rows.Maker) {
	combinations := 1
	for _, values := range r.params {
		combinations = min(combinations*max(len(values), 1), len(r.result)+1)
	}
	for i, result := range r.result {
		if i >= combinations {
			m.Faultf(result, "%s: %d results for %d combinations of parameters", r.name, len(r.result), combinations)
			return
		}
		m.Next()
		m.Param("name", r.name)
		r.addParams(m, i)
		m.Attr("version", r.version)
		r.add(m, i, result)
	}
	if n := len(r.result); n < combinations && (n > 1 || r.result[0].Has()) { // of [null], all failed
		m.Faultf(r.result[0], "%s: results are missing: want one for each combination of parameters", r.name)
	}
}

// addParams adds the i-th combination of the parameters, of which the last one varies fastest.
func (r *row) addParams(m *rows.Maker, i int) {
	names := places(r.about.Get("param_names"))
	below := 1 // combinations of the parameters that follow
	chosen := make([]string, len(r.params))
	for p, values := range slices.Backward(r.params) {
		if n := len(values); n > 0 {
			chosen[p], below = values[i/below%n], below*n
		}
	}
	for p, value := range chosen {
		m.Param(cmp.Or(at(names, p).Text(), "param"+strconv.Itoa(p+1)), value)
	}
}

// add makes the records of the i-th combination.
func (r *row) add(m *rows.Maker, i int, result jsontree.Value) {
	x := rows.Measure{Unit: r.unit()}
	switch r.about.Get("type").Text() {
	case "time", "memory", "peakmemory":
		x.Better = format.Lower
	}

	switch samples := places(at(r.samples, i)); {
	case result.Kind() == jsonscan.Number && math.IsNaN(result.Number()):
		m.Warn(result, m.Name()+"the benchmark was skipped")
		m.Skip()
		return
	case result.Kind() != jsonscan.Number:
		m.Fault(result, m.Name()+"the benchmark failed, or has no result")
		return
	case len(samples) > 0:
		for _, sample := range samples {
			m.Value(x, sample)
		}

		if !m.Summaries {
			return
		}
	}

	for s := range stats {
		if at(r.stats[s], i).Has() {
			x.Stat = "median"
		}
	}
	m.Value(x, result)
	for s, stat := range stats {
		x.Stat = stat
		m.Value(x, at(r.stats[s], i))
	}
}

// unit returns the unit of the benchmark: that of benchmarks.json, or else of its type, which the
// name says.
func (r *row) unit() string {
	own := r.name[strings.LastIndexByte(r.name, '.')+1:]
	switch u := r.about.Get("unit").Text(); {
	case u != "":
		return u
	case strings.HasPrefix(own, "time"):
		return "seconds"
	case strings.HasPrefix(own, "mem"), strings.HasPrefix(own, "peakmem"):
		return "bytes"
	}
	return "unit"
}
