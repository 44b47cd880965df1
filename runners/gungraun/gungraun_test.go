package gungraun

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

// file has a summary of version 6, and one of version 7.
const file = `{"version":"6","module_path":"b::g::fib","id":"n_30","kind":"LibraryBenchmark","benchmark_exe":"/b","profiles":[
{"tool":"Callgrind","summaries":{"parts":[{"x":1}],"total":{"regressions":[],"summary":{"Callgrind":{
"Ir":{"diffs":null,"metrics":{"Both":[{"Int":1734},{"Int":1800}]}},"L1HitRate":{"metrics":{"Left":{"Float":99.5}}},
"Dr":{"metrics":{"Right":{"Int":3}}}}}}}},{"tool":"DHAT","summaries":{"total":{"summary":{"Dhat":{"TotalBytes":{"metrics":{"Left":{"Int":8}}}}}}}}]}
{"version":"7","module_path":"b::g::io","benchmark_exe":"/b","group":"g","profiles":[{"tool":"Callgrind","data":{"total":{
"metrics":{"Ir":{"values":{"new":5,"old":6}},"cycles":{"values":{"new":{"value":7,"unit":"Hz"}}}},"regressions":[]}}}]}
`

func TestRecords(t *testing.T) {
	const old = `{"version":"3","module_path":"a","benchmark_exe":"/b","callgrind_summary":{"callgrind_run":{"segments":[],"total":{` +
		`"summary":{"Ir":{"metrics":{"Both":[1,2]}},"Dw":{"metrics":{"Left":3}}},"regressions":[]}}},"tool_summaries":[` +
		`{"tool":"Memcheck","summaries":{"segments":[],"total":{"ErrorSummary":{"Errors":{"metrics":{"Left":4}}}}}}]}`
	const oldest = `{"version":"1","module_path":"a","benchmark_exe":"/b","callgrind_summary":{"summaries":[{"command":"c",` +
		`"events":{"Ir":{"new":1,"old":2},"Dr":{"old":3}},"regressions":[]}]},"tool_summaries":[{"tool":"Memcheck","summaries":[` +
		`{"summary":{"a":"b"},"error_summary":{"errors":5}}]}]}`
	const attrs = ` benchmark_exe:/b`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "versions 6 and 7",
			in:   file,
			want: []string{
				`id=n_30 metric=Ir name=b::g::fib tool=Callgrind = 1734` + attrs + ` kind:LibraryBenchmark`,
				`id=n_30 metric=L1HitRate name=b::g::fib tool=Callgrind unit=% = 99.5` + attrs + ` kind:LibraryBenchmark`,
				`id=n_30 metric=TotalBytes name=b::g::fib tool=DHAT unit=bytes = 8` + attrs + ` kind:LibraryBenchmark`,
				`metric=Ir name=b::g::io tool=Callgrind = 5` + attrs + ` group:g`,
				`metric=cycles name=b::g::io tool=Callgrind unit=Hz = 7` + attrs + ` group:g`,
			},
		},
		{
			name: "version 3",
			in:   old,
			want: []string{
				`metric=Ir name=a tool=Callgrind = 1` + attrs, `metric=Dw name=a tool=Callgrind = 3` + attrs,
				`metric=Errors name=a tool=Memcheck = 4` + attrs,
			},
		},
		{
			name: "version 1",
			in:   oldest,
			want: []string{`metric=Ir name=a tool=Callgrind = 1` + attrs, `metric=errors name=a tool=Memcheck = 5` + attrs},
		},
		{
			name: "text among documents",
			in:   "running 0 tests\n\n  ok. [{x}]\n\n" + strings.ReplaceAll(oldest, ",", ",\n  ") + "\n\xff trailing {\n" + old + "\nend",
			want: []string{
				`metric=Ir name=a tool=Callgrind = 1` + attrs, `metric=errors name=a tool=Memcheck = 5` + attrs,
				`metric=Ir name=a tool=Callgrind = 1` + attrs, `metric=Dw name=a tool=Callgrind = 3` + attrs,
				`metric=Errors name=a tool=Memcheck = 4` + attrs,
			},
		},
		{
			name: "faults",
			in: `§{"version":"6"}` + "\n" + `{"version":§"8","module_path":"a","profiles":[]}` + "\n" +
				`§{"version":"6","module_path":"b","profiles":[]}` + "\n" + `{"version":"6","module_path":"c","profiles":§3}`,
			want: []string{
				`§: module_path is required`,
				`§: version: a: version "8" is unknown: want 1 to 7`,
				`§: the result has no numbers`,
				`§: profiles: Invalid type. Expected: array, given: integer`,
			},
		},
		{
			name: "NaN",
			in: `{"version":"6","module_path":"a","benchmark_exe":"/b","profiles":[{"tool":"t",` +
				`"summaries":{"total":{"summary":{"T":{` +
				`"XRate":{"metrics":{"Left":§{"Float":null}}},"Ir":{"metrics":{"Left":{"Int":1}}}}}}}}]}`,
			want: []string{`§: profiles.0.summaries.total.summary.T.XRate.metrics.Left: a: XRate has no number`, `metric=Ir name=a tool=t = 1` + attrs},
		},
		{name: "empty", want: []string{`FATAL 1:1: the input is empty`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// A tool without metrics, and a regression, are warnings.
func TestWarnings(t *testing.T) {
	const in = `{"version":"6","module_path":"a","profiles":[{"tool":"Massif","summaries":{"total":{"summary":"None"}}},` +
		`{"tool":"Callgrind","summaries":{"total":{"regressions":[{"Soft":{"limit":"5"}}],"summary":{"Callgrind":{"Ir":{"metrics":{"Left":{"Int":1}}}}}}}}]}`
	var got []string
	for e := range Format().Validate(strings.NewReader(in), format.Options{}) {
		if e.Severity != format.Warning {
			t.Error(e)
		}
		got = append(got, e.Message)
	}
	want := []string{"a: Massif has no new metrics", `a: the runner says that it is a regression: {"Soft":{"limit":"5"}}`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("warnings: %q, want %q", got, want)
	}
}

func Example() {
	for rec, err := range runners.NewReader(strings.NewReader("running 0 tests\n"+file), Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		name, _ := rec.Params.Get("name")
		metric, _ := rec.Params.Get("metric")
		fmt.Printf("%s %s %v%s\n", name, metric, rec.Value, rec.Unit)
	}
	// Output:
	// b::g::fib Ir 1734
	// b::g::fib L1HitRate 99.5%
	// b::g::fib TotalBytes 8bytes
	// b::g::io Ir 5
	// b::g::io cycles 7Hz
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, runnertest.Documents(spec, file)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "gungraun") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, runnertest.Documents(spec, file)) }
