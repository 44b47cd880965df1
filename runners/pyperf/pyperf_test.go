package pyperf

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

// file has runs of each kind.
const file = `{"benchmarks":[{"metadata":{"name":"telco","loops":64,"tags":["a","b"]},"runs":[
{"metadata":{"calibrate_loops":64},"warmups":[[64,0.5]]},
{"metadata":{"date":"2018-01-09","loops":32},"values":[0.25,1e-3],"warmups":[[64,0.5]]},{"values":[2]}]},
{"metadata":{"name":"rss","unit":"byte","commit_id":"1b2e"},"runs":[{"values":[4096]}]}],
"metadata":{"hostname":" apu ","commit_id":"fe4a402","commit_date":"2018-01-08"},"version":"1.0"}`

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "all kinds",
			in:   file,
			want: []string{
				`name=telco unit=second = 0.25 commit-time:2018-01-08 date:2018-01-09 hostname:apu loops:32 tags:["a","b"]`,
				`name=telco unit=second = 0.001 commit-time:2018-01-08 date:2018-01-09 hostname:apu loops:32 tags:["a","b"]`,
				`name=telco unit=second = 2 commit-time:2018-01-08 hostname:apu loops:64 tags:["a","b"]`,
				`name=rss unit=byte = 4096 commit-time:2018-01-08 hostname:apu`,
			},
		},
		{
			name: "a name of the whole file",
			in:   `{"version":"1.0","benchmarks":[{"runs":[{"values":[1]}]}],"metadata":{"name":"a"}}`,
			want: []string{`name=a unit=second = 1`},
		},
		{
			name: "version 5",
			in: `{"version":5,"benchmarks":[{"common_metadata":{"name":"a","x":1},` +
				`"runs":[{"samples":[1],"metadata":{"x":2}}]}],"common_metadata":{"y":3}}`,
			want: []string{`name=a unit=second = 1 x:2 y:3`},
		},
		{
			name: "faults",
			in: `{"benchmarks":[{"metadata":{"name":"a"},"runs":[{"values":§3},` +
				`{"values":[§"x",§0,§-1,§NaN,§Infinity,2]},§{"metadata":{}}]},§{"metadata":{"name":"b"}},{"runs":[{"values":[],"warmups":[[1,2]]}]}]}`,
			want: []string{
				`§: benchmarks.0.runs.0.values: Invalid type. Expected: array, given: integer`,
				`§: benchmarks.0.runs.1.values.0: Invalid type. Expected: number, given: string`,
				`§: benchmarks.0.runs.1.values.1: a: want a number above 0`,
				`§: benchmarks.0.runs.1.values.2: a: want a number above 0`,
				`§: benchmarks.0.runs.1.values.3: a: want a number above 0`,
				`§: benchmarks.0.runs.1.values.4: a: want a number above 0`,
				`name=a unit=second = 2`,
				`§: benchmarks.0.runs.2: a: the run has no values and no warmups`,
				`§: benchmarks.1: runs is required`,
			},
		},
		{name: "empty", want: []string{`FATAL 1:1: the input is empty: the runner was stopped before it wrote the results`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// Runs that calibrate are counted.
func TestSkipped(t *testing.T) {
	r := runners.NewReader(strings.NewReader(file), Format())
	formattest.All(r)
	if got := r.Skipped(); got != 1 {
		t.Errorf("%d runs were skipped, want 1", got)
	}
}

func Example() {
	for rec, err := range runners.NewReader(strings.NewReader(file), Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		name, _ := rec.Params.Get("name")
		fmt.Println(rec.Commit, name, rec.Value, rec.Unit)
	}
	// Output:
	// fe4a402 telco 0.25 second
	// fe4a402 telco 0.001 second
	// fe4a402 telco 2 second
	// 1b2e rss 4096 byte
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, runnertest.Documents(spec, file)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "pyperf") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, runnertest.Documents(spec, file)) }
