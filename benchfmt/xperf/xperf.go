// Package xperf converts results to and from the types of golang.org/x/perf/benchfmt, for use with
// benchproc, benchmath and tools that use them.
package xperf

import (
	perf "golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"perfdata/benchfmt"
	"perfdata/traceid"
)

// Result returns a copy of res in the type of x/perf. As x/perf's packages expect, it has the
// values in base units, and also the original values.
func Result(res *benchfmt.Result) *perf.Result {
	out := &perf.Result{Name: perf.Name(res.Name), Iters: res.Iterations}
	for _, p := range res.Config {
		out.Config = append(out.Config, perf.Config{Key: p.Key, Value: []byte(p.Value), File: true})
	}
	for _, v := range res.Values {
		x := perf.Value{Value: v.Value, Unit: v.Unit}
		if value, unit := benchunit.Tidy(v.Value, v.Unit); unit != v.Unit {
			x = perf.Value{Value: value, Unit: unit, OrigValue: v.Value, OrigUnit: v.Unit}
		}
		out.Values = append(out.Values, x)
	}
	return out
}

// From returns a copy of a result of x/perf. It has the original values, if the result does, and
// the configuration of the file. From leaves out configuration that tools added, as x/perf's
// Writer does.
func From(in *perf.Result) *benchfmt.Result {
	res := &benchfmt.Result{Name: string(in.Name), Iterations: in.Iters, Config: []traceid.Param{}}
	_, res.Line = in.Pos()
	for _, c := range in.Config {
		if c.File {
			res.Config = append(res.Config, traceid.Param{Key: c.Key, Value: string(c.Value)})
		}
	}
	for _, v := range in.Values {
		if v.OrigUnit != "" {
			v.Value, v.Unit = v.OrigValue, v.OrigUnit
		}
		res.Values = append(res.Values, benchfmt.Value{Value: v.Value, Unit: v.Unit})
	}
	return res
}
