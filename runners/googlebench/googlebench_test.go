package googlebench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/googlebench/*.json", 2)
}

func TestRecords(t *testing.T) {
	row := func(members string) string { return `{"context":{"num_cpus":2},"benchmarks":[{` + members + `}]}` }
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "times and counters",
			in: row(`"name":"BM_A/8","run_name":"BM_A/8","run_type":"iteration","repetition_index":0,"threads":1,` +
				`"iterations":100,"real_time":1.5,"cpu_time":2,"time_unit":"us","bytes_per_second":7,"misses":3,"label":"l"`),
			want: []string{
				`metric=real_time name=BM_A/8 unit=us = 1.5 iterations:100 label:l num_cpus:2`,
				`metric=cpu_time name=BM_A/8 unit=us = 2 iterations:100 label:l num_cpus:2`,
				`metric=bytes_per_second name=BM_A/8 = 7 iterations:100 label:l num_cpus:2`,
				`metric=misses name=BM_A/8 = 3 iterations:100 label:l num_cpus:2`,
			},
		},
		{
			name: "parts of the name",
			in: row(`"name":"A::B/k:v/iterations:5/repeats:3/min_time:0.5/process_time/real_time/64/threads:4",` +
				`"threads":4,"real_time":1,"time_unit":"ns"`),
			want: []string{`k=v metric=real_time name=A::B/64 threads=4 unit=ns = 1 iterations:5 min_time:0.5 num_cpus:2 ` +
				`process_time:true real_time:true repeats:3`},
		},
		{
			name: "threads, and a parameter called name",
			in:   row(`"name":"A/name:x","threads":2,"real_time":1`),
			want: []string{`metric=real_time name=A params.name=x threads=2 = 1 num_cpus:2`},
		},
		{
			name: "an aggregate whose name is empty",
			in:   `{"benchmarks":[{"name":"A","run_type":"aggregate","aggregate_name":§"","real_time":1,"cpu_time":1,"time_unit":"ns"}]}`,
			want: []string{`§: benchmarks.0.aggregate_name: A: want the name of an aggregate`},
		},
		{
			name: "an aggregate alone",
			in: row(`"name":"A_cv","run_name":"A","run_type":"aggregate","aggregate_name":"cv","aggregate_unit":"percentage",` +
				`"real_time":0.01,"time_unit":"ns"`),
			want: []string{`metric=real_time name=A stat=cv unit=1 = 0.01 num_cpus:2`},
		},
		{
			name: "an old file",
			in:   row(`"name":"A_stddev","iterations":3,"real_time":1,"time_unit":"ns"`),
			want: []string{`metric=real_time name=A stat=stddev unit=ns = 1 iterations:3 num_cpus:2`},
		},
		{
			name: "failed",
			in:   row(`"name":"A","real_time":0,"error_occurred":true,"error_message":"no\ndata"`),
			want: []string{`1:41: benchmarks.0: A failed: no\ndata`},
		},
		{
			name: "counters called like members of a row",
			in: row(`"name":"A","iterations":5,"real_time":1,"time_unit":"ns","iterations":7,"label":9,"ok":2,"real_time":8,` +
				`"label":"l"`),
			want: []string{
				`1:99: benchmarks.0.iterations: duplicate member "iterations": only the first one is read`,
				`1:122: benchmarks.0.label: Invalid type. Expected: string, given: integer`,
				`1:131: benchmarks.0.real_time: duplicate member "real_time": only the first one is read`,
				`1:145: benchmarks.0.label: duplicate member "label": only the first one is read`,
				`metric=real_time name=A unit=ns = 1 iterations:5 num_cpus:2`,
				`metric=ok name=A = 2 iterations:5 num_cpus:2`,
			},
		},
		{
			name: "a custom context called like a member of the context",
			in:   `{"context":{"num_cpus":2,"num_cpus":"x"},"benchmarks":[{"name":"A","real_time":1}]}`,
			want: []string{
				`1:26: context.num_cpus: duplicate member "num_cpus": only the first one is read`,
				`metric=real_time name=A = 1 num_cpus:2`,
			},
		},
		{
			name: "no numbers",
			in:   row(`"name":"A"`),
			want: []string{`1:41: benchmarks.0: A: the result has no numbers`},
		},
		{
			name: "no name",
			in:   row(`"real_time":1`),
			want: []string{`1:41: benchmarks.0: name is required`},
		},
		{
			name: "not a number",
			in:   row(`"name":"A","real_time":NaN,"cpu_time":-Infinity,"c":1`),
			want: []string{
				`1:65: benchmarks.0.real_time: A: NaN is not a value`,
				`1:80: benchmarks.0.cpu_time: A: -Infinity is not a value`,
				`metric=c name=A = 1 num_cpus:2`,
			},
		},
		{
			name: "the context comes last",
			in:   `{"benchmarks":[{"name":"A","real_time":1}],"context":{"num_cpus":2}}`,
			want: []string{`metric=real_time name=A = 1 num_cpus:2`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty: the runner writes nothing if no benchmark matches its filter`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// A benchmark that has repetitions has no records of its aggregates, unless they are wanted.
func TestAggregates(t *testing.T) {
	count := func(summaries bool) (n, skipped int) {
		r := runners.NewReader(strings.NewReader(testFiles(t)["repetitions.json"]), Format())
		r.Summaries = summaries
		for _, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n, r.Skipped()
	}
	if n, skipped := count(false); n != 14 || skipped != 1 {
		t.Errorf("%d records, %d skipped; want 14 and 1", n, skipped)
	}
	if n, skipped := count(true); n != 17 || skipped != 0 {
		t.Errorf("with summaries: %d records, %d skipped; want 17 and 0", n, skipped)
	}
}

// Validation warns about rows that are skipped on purpose.
func TestValidate(t *testing.T) {
	info := Format()
	got := formattest.Faults(info.Validate(strings.NewReader(testFiles(t)["faults.json"]), format.Options{}))
	for _, want := range []string{"warning: BM_GPU was skipped: no device", `BM_Open/1 failed: no such file: "a\tb"`} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "googlebenchmark") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }

// What Google Benchmark itself writes is read: a benchmark that failed is an error, and every other
// row has records. The test is skipped where the library or a compiler is not installed.
func TestRunner(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.cc"), filepath.Join(dir, "a")
	const text = `#include <benchmark/benchmark.h>
static void BM_Copy(benchmark::State& s) { for (auto _ : s) {} s.counters["things"] = 5; }
BENCHMARK(BM_Copy)->ArgName("n")->Arg(8)->Repetitions(2)->Iterations(10);
static void BM_Error(benchmark::State& s) { s.SkipWithError("no data"); for (auto _ : s) {} }
BENCHMARK(BM_Error);
BENCHMARK_MAIN();
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-o", program, source, "-lbenchmark", "-lpthread").CombinedOutput(); err != nil {
		t.Skipf("compiling: %v\n%.300s", err, out)
	}
	out, err := exec.Command(program, "--benchmark_format=json").Output()
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for rec, err := range runners.NewReader(bytes.NewReader(out), Format()).Records() {
		if err != nil {
			_, message, _ := strings.Cut(err.Error(), "BM_")
			got = append(got, "error: "+message)
			continue
		}
		got = append(got, fmt.Sprint(rec.Params, " ", rec.Repetition))
	}
	var want []string
	for _, repetition := range []string{"1", "2"} {
		for _, metric := range []string{"real_time", "cpu_time"} {
			want = append(want, `[{metric `+metric+`} {n 8} {name BM_Copy} {unit ns}] `+repetition)
		}
		want = append(want, `[{metric things} {n 8} {name BM_Copy}] `+repetition)
	}
	if diff := cmp.Diff(append(want, "error: Error failed: no data"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
