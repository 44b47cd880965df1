package xperf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	perf "golang.org/x/perf/benchfmt"

	"perfdata/benchfmt"
	"perfdata/benchfmt/xperf"
	"perfdata/traceid"
)

func TestResult(t *testing.T) {
	res := &benchfmt.Result{
		Name:       "X/a=1-8",
		Iterations: 5,
		Values:     []benchfmt.Value{{Value: 1500, Unit: "ns/op"}, {Unit: "ns/op"}, {Value: 7, Unit: "B/op"}},
		Config:     []traceid.Param{{Key: "pkg", Value: "p"}, {Key: "goos", Value: "linux"}},
	}
	want := &perf.Result{
		Config: []perf.Config{
			{Key: "pkg", Value: []byte("p"), File: true},
			{Key: "goos", Value: []byte("linux"), File: true},
		},
		Name:  perf.Name("X/a=1-8"),
		Iters: 5,
		Values: []perf.Value{
			{Value: 1500 * 1e-9, Unit: "sec/op", OrigValue: 1500, OrigUnit: "ns/op"},
			{Unit: "sec/op", OrigUnit: "ns/op"},
			{Value: 7, Unit: "B/op"},
		},
	}
	got := xperf.Result(res)
	if diff := cmp.Diff(want.Clone(), got.Clone(), cmp.AllowUnexported(perf.Result{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got.SetConfig(".file", "x")
	if diff := cmp.Diff(res, xperf.From(got)); diff != "" {
		t.Errorf("and back (-want +got):\n%s", diff)
	}
}
