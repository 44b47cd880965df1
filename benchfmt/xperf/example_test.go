package xperf_test

import (
	"fmt"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/benchfmt/xperf"
)

// The results of a program that uses x/perf have trace IDs like any others.
func ExampleFrom() {
	res := &perf.Result{
		Name:   perf.Name("Encode/size=1024-8"),
		Iters:  500,
		Values: []perf.Value{{Value: 2.405e-06, Unit: "sec/op", OrigValue: 2405, OrigUnit: "ns/op"}},
	}
	for rec := range xperf.From(res).Records() {
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,gomaxprocs=8,name=Encode,size=1024,unit=ns_op, 2405
}
