package benchmarktools

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

// trial is an object, and file a document that has it in groups.
const (
	trial = `["BenchmarkTools.Trial",{"allocs":5,"memory":400,"times":[308,310.5],"gctimes":[0,1],` +
		`"params":["BenchmarkTools.Parameters",{"evals":10,"seconds":null}]}]`
	file = `[{"Julia":"1.7.2","BenchmarkTools":"1.0.0"},[["BenchmarkGroup",{"tags":["x"],"data":{
"sort":["BenchmarkGroup",{"tags":[],"data":{"ints":` + trial + `}}],
"sum":["TrialEstimate",{"time":7,"gctime":0,"memory":8,"allocs":1}]}}]]]`
)

func TestRecords(t *testing.T) {
	const attrs = ` BenchmarkTools:1.0.0 Julia:1.7.2`
	of := func(attrs string) []string {
		return []string{
			`metric=time name=sort/ints unit=ns = 308` + attrs, `metric=time name=sort/ints unit=ns = 310.5` + attrs,
			`metric=gctime name=sort/ints unit=ns = 0` + attrs, `metric=gctime name=sort/ints unit=ns = 1` + attrs,
			`metric=memory name=sort/ints unit=bytes = 400` + attrs, `metric=allocs name=sort/ints = 5` + attrs,
		}
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "groups",
			in:   file,
			want: append(of(attrs+` params.evals:10 tags:["x"]`),
				`metric=time name=sum stat=estimate unit=ns = 7`+attrs+` tags:["x"]`,
				`metric=gctime name=sum stat=estimate unit=ns = 0`+attrs+` tags:["x"]`,
				`metric=memory name=sum stat=estimate unit=bytes = 8`+attrs+` tags:["x"]`,
				`metric=allocs name=sum stat=estimate = 1`+attrs+` tags:["x"]`,
			),
		},
		{
			name: "an object alone",
			in:   `["BenchmarkGroup",{"data":{"sort/ints":` + trial + `}}]`,
			want: of(` params.evals:10`),
		},
		{
			name: "PkgBenchmark",
			in: `{"name":"Sort","benchmarkgroup":` +
				strconv.Quote(`[{"Julia":"1.7.2"},[["BenchmarkGroup",{"data":{"sort/ints":`+trial+`}}]]]`) + `,"commit":"dirty","date":"d"}`,
			want: of(` Julia:1.7.2 date:d dirty:true package:Sort params.evals:10`),
		},
		{
			name: "faults",
			in: `[{},[["BenchmarkGroup",{"data":{"a":["Trial",{"times":[],"allocs":1}],"b":["Trial",{"times":[2,"x"]}],` +
				`"c":["Trial"],"d":["TrialEstimate",{"time":"y"}]}}]]]`,
			want: []string{
				`1:96: 1.0.1.data.b.1.times.1: Invalid type. Expected: number, given: string`,
				`1:146: 1.0.1.data.d.1.time: Invalid type. Expected: number, given: string`,
				`1:46: 1.0.1.data.a.1: a: the Trial has no times`,
				`metric=allocs name=a = 1`,
				`metric=time name=b unit=ns = 2`,
				`1:107: 1.0.1.data.c: c: want an array of a type and an object`,
				`1:138: 1.0.1.data.d.1: d: the TrialEstimate has no times`,
			},
		},
		{
			name: "objects that are not arrays",
			in:   `[{"Julia":"1.7.2","BenchmarkTools":"1.0.0"},§{"BenchmarkGroup":{"data":{}}}]`,
			want: []string{`§: 1: want an array of objects, each an array of its type and its members`},
		},
		{
			name: "faults in a text",
			in:   `{"benchmarkgroup":§"[{},[[\"Trial\",{\"times\":[1]}]],","commit":"6a4e1f0"}`,
			want: []string{`metric=time unit=ns = 1`, `§: benchmarkgroup.1: unexpected end of input, expected a value`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// Objects without measurements are warnings.
func TestWarnings(t *testing.T) {
	const in = `[{"Julia":"1"},[["BenchmarkGroup",{"data":{"a":["Parameters",{"evals":1}],"b":["TrialRatio",{"time":2}]}}]]]`
	n := 0
	for e := range Format().Validate(strings.NewReader(in), format.Options{}) {
		if n++; e.Severity != format.Warning {
			t.Error(e)
		}
	}
	if n != 2 {
		t.Errorf("%d warnings, want 2", n)
	}
}

func Example() {
	for rec, err := range runners.NewReader(strings.NewReader(file), Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if metric, _ := rec.Params.Get("metric"); metric == "time" {
			name, _ := rec.Params.Get("name")
			fmt.Println(name, rec.Value, rec.Unit)
		}
	}
	// Output:
	// sort/ints 308 ns
	// sort/ints 310.5 ns
	// sum 7 ns
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, runnertest.Documents(spec, file)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "benchmarktools") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, runnertest.Documents(spec, file)) }
