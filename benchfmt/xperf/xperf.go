// Package xperf converts results to and from package golang.org/x/perf/benchfmt, for use with
// benchproc, benchmath and the tools that are built on them.
package xperf

import (
	perf "golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"perfdata/benchfmt"
	"perfdata/traceid"
)

// Result returns a copy of res in the type of x/perf. As its packages expect, the values are in
// base units, with the original ones beside them.
func Result(res *benchfmt.Result) *perf.Result {
	out := &perf.Result{Name: perf.Name(res.Name), Iters: res.Iterations}
	for _, p := range res.Config {
		out.Config = append(out.Config, perf.Config{Key: p.Key, Value: []byte(p.Value), File: true})
	}
	for _, v := range res.Values {
		value, unit := benchunit.Tidy(v.Value, v.Unit)
		if unit == v.Unit {
			out.Values = append(out.Values, perf.Value{Value: v.Value, Unit: v.Unit})
		} else {
			out.Values = append(out.Values, perf.Value{Value: value, Unit: unit, OrigValue: v.Value, OrigUnit: v.Unit})
		}
	}
	return out
}

// From returns a copy of a result of x/perf: with the original values, where there are any, and
// the configuration of the file. Configuration that tools added is left out, as the Writer of
// x/perf does.
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
