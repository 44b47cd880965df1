package androidx

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

// file has a benchmark of each kind.
const file = `{"context":{"build":{"model":"Pixel 3","version":{"sdk":31}},"cpuLocked":true,"payload":{"run":"7"}},
"benchmarks":[
{"name":"scroll[size=10]","params":{"size":"10"},"className":"a.B","totalRunTimeNs":7,"metrics":{
"startupMs":{"minimum":1,"maximum":3,"median":2,"runs":[3,1]},"frameCount":{"runs":[5.5]}},
"sampledMetrics":{"frameCpuUs":{"P50":5,"runs":[[5,6],[],[4]]}},"profilerOutputs":[{"type":"x"}]},
{"name":"old","className":"a.B","metrics":{"timeNs":{"minimum":1,"maximum":3,"median":2}},"warmupIterations":3}]}`

func TestRecords(t *testing.T) {
	const context = ` build.model:Pixel 3 build.version.sdk:31 cpuLocked:true`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "all kinds",
			in:   file,
			want: []string{
				`class=a.B metric=startupMs name=scroll size=10 unit=ms = 3` + context + ` payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=startupMs name=scroll size=10 unit=ms = 1` + context + ` payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=frameCount name=scroll size=10 = 5.5` + context + ` payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=frameCpuUs name=scroll size=10 unit=us = 5` + context + ` iteration:0 payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=frameCpuUs name=scroll size=10 unit=us = 6` + context + ` iteration:0 payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=frameCpuUs name=scroll size=10 unit=us = 4` + context + ` iteration:2 payload.run:7 totalRunTimeNs:7`,
				`class=a.B metric=timeNs name=old stat=min unit=ns = 1` + context + ` payload.run:7 warmupIterations:3`,
				`class=a.B metric=timeNs name=old stat=max unit=ns = 3` + context + ` payload.run:7 warmupIterations:3`,
				`class=a.B metric=timeNs name=old stat=median unit=ns = 2` + context + ` payload.run:7 warmupIterations:3`,
			},
		},
		{
			name: "units",
			in:   `{"benchmarks":[{"name":"a","className":"b","metrics":{"cacheBytes":{"runs":[1]},"heapKb":{"runs":[2]},"gpuPercent":{"runs":[3]}}}]}`,
			want: []string{
				`class=b metric=cacheBytes name=a unit=bytes = 1`, `class=b metric=heapKb name=a unit=Kb = 2`,
				`class=b metric=gpuPercent name=a unit=% = 3`,
			},
		},
		{
			name: "a name with brackets that are no parameters",
			in:   `{"benchmarks":[{"name":"a[0]","params":{},"className":"b","metrics":{"m":{"runs":[1]}}}]}`,
			want: []string{`class=b metric=m name=a[0] = 1`},
		},
		{
			name: "values that are NaN or infinite",
			in:   `{"benchmarks":[{"name":"a","metrics":{"n":{"runs":[1,§NaN,2]},"o":{"minimum":§Infinity,"median":3}}}]}`,
			want: []string{
				`metric=n name=a = 1`,
				`§: benchmarks.0.metrics.n.runs.1: a: NaN is not a value`,
				`metric=n name=a = 2`,
				`§: benchmarks.0.metrics.o.minimum: a: Infinity is not a value`,
				`metric=o name=a stat=median = 3`,
			},
		},
		{
			name: "faults",
			in: `{"benchmarks":[§{"className":"b","metrics":{"m":{"runs":[1]}}},{"name":"a","metrics":{` +
				`"n":{"runs":[§"x",2]},"o":{"runs":§3},"m":{"runs":§[]}}},§{"name":"c","metrics":{}},{"name":"d","sampledMetrics":{"p":{"runs":§[[]]}}}]}`,
			want: []string{
				`§: benchmarks.0: name is required`,
				`§: benchmarks.1.metrics.n.runs.0: Invalid type. Expected: number, given: string`,
				`§: benchmarks.1.metrics.o.runs: Invalid type. Expected: array, given: integer`,
				`metric=n name=a = 2`,
				`§: benchmarks.1.metrics.m.runs: a: m has no runs`,
				`§: benchmarks.2: c: the result has no numbers`,
				`§: benchmarks.3.sampledMetrics.p.runs: d: p has no runs`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// With Summaries, the statistics of metrics that have runs are also read.
func TestSummaries(t *testing.T) {
	r := runners.NewReader(strings.NewReader(file), Format())
	r.Summaries = true
	if n := len(formattest.All(r)); n != 13 {
		t.Errorf("%d records, want 13", n)
	}
}

func Example() {
	for rec, err := range runners.NewReader(strings.NewReader(file), Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if name, _ := rec.Params.Get("metric"); name == "startupMs" {
			model, _ := rec.Attrs.Get("build.model")
			fmt.Println(name, rec.Value, rec.Unit, "on", model)
		}
	}
	// Output:
	// startupMs 3 ms on Pixel 3
	// startupMs 1 ms on Pixel 3
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, runnertest.Documents(spec, file)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "androidx") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, runnertest.Documents(spec, file)) }
