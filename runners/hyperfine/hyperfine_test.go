package hyperfine

import (
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
	return formattest.Files(t, "../../testdata/conformance/hyperfine/*.json", 2)
}

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "runs",
			in:   `{"results":[{"command":"a b","mean":3,"user":0.5,"system":0.25,"times":[2,4],"exit_codes":[0,0]}]}`,
			want: []string{
				`metric=time name=a b unit=s = 2`,
				`metric=time name=a b unit=s = 4`,
				`metric=user name=a b stat=mean unit=s = 0.5`,
				`metric=system name=a b stat=mean unit=s = 0.25`,
			},
		},
		{
			name: "memory",
			in:   `{"results":[{"command":"a","times":[2,4],"memory_usage_byte":[100,200]}]}`,
			want: []string{
				`metric=time name=a unit=s = 2`,
				`metric=time name=a unit=s = 4`,
				`metric=memory name=a unit=B = 100`,
				`metric=memory name=a unit=B = 200`,
			},
		},
		{
			name: "parameters, one called name",
			in:   `{"results":[{"command":"a","times":[1],"parameters":{"n":"1","name":"x"}}]}`,
			want: []string{`metric=time n=1 name=a params.name=x unit=s = 1`},
		},
		{
			name: "the parameter of an old version",
			in:   `{"results":[{"command":"a","times":[1],"parameter":"5"}]}`,
			want: []string{`metric=time name=a parameter=5 unit=s = 1`},
		},
		{
			name: "only statistics",
			in:   `{"results":[{"command":"a","mean":1,"stddev":null,"median":2,"user":3,"system":4,"min":5,"max":6}]}`,
			want: []string{
				`metric=time name=a stat=mean unit=s = 1`,
				`metric=time name=a stat=median unit=s = 2`,
				`metric=time name=a stat=min unit=s = 5`,
				`metric=time name=a stat=max unit=s = 6`,
				`metric=user name=a stat=mean unit=s = 3`,
				`metric=system name=a stat=mean unit=s = 4`,
			},
		},
		{
			name: "failed runs",
			in: `{"results":[{"command":"a","times":[1,2,3],"memory_usage_byte":[7,8,9],"user":§5,"system":§6,` +
				`"exit_codes":[0,1,null]}]}`,
			want: []string{
				`1:108: results.0.exit_codes.1: a: run 2 failed with the exit code 1`,
				`1:110: results.0.exit_codes.2: a: run 3 failed without an exit code: a signal ended it`,
				`metric=time name=a unit=s = 1`,
				`metric=memory name=a unit=B = 7`,
				`§: results.0.user: a: mean user includes failed runs`,
				`§: results.0.system: a: mean system includes failed runs`,
			},
		},
		{
			name: "a code that is not a number",
			in:   `{"results":[{"command":"a","times":[1,2],"exit_codes":["0",0]}]}`,
			want: []string{
				`1:56: results.0.exit_codes.0: Invalid type. Expected: number, given: string`,
				`1:56: results.0.exit_codes.0: a: run 1 failed: its exit code is not a number`,
				`metric=time name=a unit=s = 2`,
			},
		},
		{
			name: "codes that are not a list",
			in:   `{"results":[{"command":"a","times":[1,2],"exit_codes":§0}]}`,
			want: []string{`§: results.0.exit_codes: Invalid type. Expected: array, given: integer`},
		},
		{
			name: "a time that is not a number, and a failed run",
			in:   `{"results":[{"command":"a","times":["1",2],"exit_codes":[0,1]}]}`,
			want: []string{
				`1:37: results.0.times.0: Invalid type. Expected: number, given: string`,
				`1:60: results.0.exit_codes.1: a: run 2 failed with the exit code 1`,
			},
		},
		{
			name: "values that are NaN or infinite",
			in: `{"results":[{"command":"a","mean":NaN,"times":[1,-Infinity,3],"memory_usage_byte":[4,NaN,6],` +
				`"exit_codes":[0,0,1]},{"command":"b","mean":§NaN,"user":2}]}`,
			want: []string{
				`1:111: results.0.exit_codes.2: a: run 3 failed with the exit code 1`,
				`metric=time name=a unit=s = 1`,
				`1:50: results.0.times.1: a: -Infinity is not a value`,
				`metric=memory name=a unit=B = 4`,
				`1:86: results.0.memory_usage_byte.1: a: NaN is not a value`,
				`§: results.1.mean: b: NaN is not a value`,
				`metric=user name=b stat=mean unit=s = 2`,
			},
		},
		{
			name: "a time that is null, and a failed run after it",
			in:   `{"results":[{"command":"a","times":[1,§null,3,4],"exit_codes":[0,0,1,0]}]}`,
			want: []string{
				`§: results.0.times.1: Invalid type. Expected: number, given: null`,
				`1:67: results.0.exit_codes.2: a: run 3 failed with the exit code 1`,
				`metric=time name=a unit=s = 1`,
				`metric=time name=a unit=s = 4`,
			},
		},
		{
			name: "more times than codes, one of them null",
			in:   `{"results":[{"command":"a","times":§[1,null,3,4,5],"exit_codes":[0,0,1,0]}]}`,
			want: []string{
				`1:39: results.0.times.1: Invalid type. Expected: number, given: null`,
				`1:69: results.0.exit_codes.2: a: run 3 failed with the exit code 1`,
				`§: results.0.times: a: 5 values of time for 4 exit codes`,
			},
		},
		{
			name: "a time that is not a number, and no failed run",
			in:   `{"results":[{"command":"a","times":[§"1",2],"exit_codes":[0,0]}]}`,
			want: []string{
				`§: results.0.times.0: Invalid type. Expected: number, given: string`,
				`metric=time name=a unit=s = 2`,
			},
		},
		{
			name: "more times than codes",
			in:   `{"results":[{"command":"a","times":§[1,2],"exit_codes":[0]}]}`,
			want: []string{`§: results.0.times: a: 2 values of time for 1 exit codes`},
		},
		{
			name: "no command",
			in:   `{"results":[§{"times":[1]}]}`,
			want: []string{`§: results.0: command is required`},
		},
		{
			name: "no numbers",
			in:   `{"results":[§{"command":"a","times":[],"mean":null}]}`,
			want: []string{`§: results.0: a: the result has no numbers`},
		},
		{
			name: "no results",
			in:   `{"result":[]}`,
			want: []string{`FATAL 1:1: (root): results is required`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty: the runner writes nothing if the first command fails`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// The values of failed runs are kept if that is wanted.
func TestKeepFailed(t *testing.T) {
	const in = `{"results":[{"command":"grep","times":[1,2],"exit_codes":[1,null],"user":3}]}`
	info := Format()
	r := info.Open(nil, strings.NewReader(in), format.Options{Settings: map[string]string{"hyperfine.keep-failed": "true"}})
	want := []string{
		`metric=time name=grep unit=s = 1`,
		`metric=time name=grep unit=s = 2`,
		`metric=user name=grep stat=mean unit=s = 3`,
	}
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Statistics of a result that has single values are read only if they are wanted, and not if they
// include failed runs.
func TestSummaries(t *testing.T) {
	const in = `{"results":[{"command":"a","mean":3,"times":[2,4],"exit_codes":[0,0]},` +
		`{"command":"b","mean":3,"times":[2,4],"exit_codes":[0,1]}]}`
	r := runners.NewReader(strings.NewReader(in), Format())
	r.Summaries = true
	want := []string{
		`metric=time name=a unit=s = 2`,
		`metric=time name=a unit=s = 4`,
		`metric=time name=a stat=mean unit=s = 3`,
		`1:125: results.1.exit_codes.1: b: run 2 failed with the exit code 1`,
		`metric=time name=b unit=s = 2`,
		`1:93: results.1.mean: b: mean time includes failed runs`,
	}
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What hyperfine itself writes is read: a run that failed is an error, and every other run a
// record. The test is skipped where hyperfine is not installed.
func TestRunner(t *testing.T) {
	program, err := exec.LookPath("hyperfine")
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.Command(program, "--runs", "3", "--ignore-failure", "--export-json", file, "--style", "none",
		"--parameter-list", "code", "0,3", "sh -c 'exit {code}'")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	type result struct{ Times, Statistics, Errors int }
	got := map[string]result{}
	add := func(code string, times, statistics, errs int) {
		r := got[code]
		got[code] = result{r.Times + times, r.Statistics + statistics, r.Errors + errs}
	}
	for rec, err := range runners.NewReader(strings.NewReader(formattest.ReadFile(t, file)), Format()).Records() {
		if err != nil {
			add("failed", 0, 0, 1)
			continue
		}
		code, _ := rec.Params.Get("code")
		if _, ok := rec.Params.Get("stat"); ok {
			add(code, 0, 1, 0)
		} else {
			add(code, 1, 0, 0)
		}
	}
	want := map[string]result{"0": {3, 2, 0}, "failed": {0, 0, 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// In real files, single values and statistics of one metric never mix.
func TestNoMixture(t *testing.T) {
	for _, name := range []string{"03-scan.json", "09-many.json", "bencher-one.json"} {
		for rec, err := range runners.NewReader(strings.NewReader(runnertest.RealFile(t, "hyperfine", name)), Format()).Records() {
			if err != nil {
				t.Fatal(err)
			}
			metric, _ := rec.Params.Get("metric")
			if _, isStatistic := rec.Params.Get("stat"); isStatistic != (metric != "time") {
				t.Errorf("%s: %s", name, formattest.Show(rec))
			}
		}
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "hyperfine") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }
