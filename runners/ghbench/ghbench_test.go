package ghbench

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/ghbench/*", 2)
}

func TestRecords(t *testing.T) {
	of := func(tool, benches string) string {
		return `{"entries":{"S":[{"commit":{"id":"c"},"tool":"` + tool + `","benches":[` + benches + `]}]}}`
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "assigned",
			in: "\nwindow.BENCHMARK_DATA\t= " + `{"entries":{"S":[{"commit":{"id":"c","timestamp":"t","url":"u"},` +
				`"date":1764000000001,"tool":"x","benches":[{"name":"a","value":"1.5","unit":"m","range":"± 2"}]}]}} ;` + "\n",
			want: []string{`name=a suite=S tool=x unit=m = 1.5 commit->u commit-time:t date:2025-11-24T16:00:00.001Z range:± 2`},
		},
		{
			name: "a date that is a text",
			in: `{"entries":{"S":[{"commit":{"id":"c"},"date":"Mon, 24 Nov 2025","tool":"x",` +
				`"benches":[{"name":"a","value":1}]}]}}`,
			want: []string{`name=a suite=S tool=x = 1 date:Mon, 24 Nov 2025`},
		},
		{
			name: "a semicolon after JSON",
			in:   of("x", `{"name":"a","value":1}`) + ";",
			want: []string{`name=a suite=S tool=x = 1`, `FATAL 1:88: data after the end of the document`},
		},
		{
			name: "another variable",
			in:   "window.BENCHMARK = {}",
			want: []string{`FATAL 1:17: found ' ', expected window.BENCHMARK_DATA`},
		},
		{
			name: "no assignment",
			in:   "window.BENCHMARK_DATA: {}",
			want: []string{`FATAL 1:22: found ':', expected =`},
		},
		{
			name: "no entries",
			in:   `window.BENCHMARK_DATA = {"lastUpdate":0,"repoUrl":"","entries":{}}`,
			want: []string{},
		},
		{
			name: "a line of go test is the unit",
			in:   of("go", `{"name":"A","value":1,"unit":"ns/op\t 0 drop_%\t 7 MB/s","extra":"3 times\n4 procs"}`),
			want: []string{
				`name=A suite=S tool=go unit=ns/op = 1 extra:3 times, 4 procs`,
				`name=A suite=S tool=go unit=drop_% = 0 extra:3 times, 4 procs`,
				`name=A suite=S tool=go unit=MB/s = 7 extra:3 times, 4 procs`,
			},
		},
		{
			name: "a line of go test, and its values",
			in: of("go", `{"name":"A","value":1,"unit":"ns/op\t 7 MB/s"},{"name":"A - ns/op","value":1,"unit":"ns/op"},`+
				`{"name":"A - MB/s","value":7,"unit":"MB/s"},{"name":"B - m","value":2,"unit":"m"}`),
			want: []string{
				`name=A suite=S tool=go unit=ns/op = 1`,
				`name=A suite=S tool=go unit=MB/s = 7`,
				`name=B - m suite=S tool=go unit=m = 2`,
			},
		},
		{
			name: "a faulty line of go test",
			in:   of("go", `{"name":"A","value":1,"unit":"ns/op\t x MB/s 5"}`),
			want: []string{
				`name=A suite=S tool=go unit=ns/op = 1`,
				`1:91: entries.S.0.benches.0.unit: A: "x" is not a number`,
				`1:91: entries.S.0.benches.0.unit: A: "5" has no unit`,
			},
		},
		{
			name: "values that are none",
			in: of("googlecpp", `{"name":"A","value":0,"extra":"iterations: 0\ncpu: 0 ns"},{"name":"B"},{"name":"C","value":"Infinity"},`+
				`{"name":"D","value":[]},{"name":"E_RMS"},{"value":1},{"name":"","value":1}`),
			want: []string{
				`1:192: entries.S.0.benches.3.value: Invalid type. Expected: number or string, given: array`,
				`1:89: entries.S.0.benches.0.value: A: the benchmark failed: it has no iterations`,
				`1:127: entries.S.0.benches.1: B: the benchmark has no value`,
				`1:160: entries.S.0.benches.2.value: C: "Infinity" is not a number`,
				`1:213: entries.S.0.benches.5: name is required`,
				`1:225: entries.S.0.benches.6: name is empty`,
			},
		},
		{
			name: "the results of one run",
			in: `[{"name":"A","unit":"req/s","value":1,"extra":"k: v\nx"},{"name":"B","unit":"ms","value":"2","range":3},` +
				`{"name":"C"},{"unit":"ms","value":1}]`,
			want: []string{
				`name=A unit=req/s = 1 extra:x k:v`,
				`name=B unit=ms = 2 range:3`,
				`1:105: 2: C: the benchmark has no value`,
				`1:118: 3: name is required`,
			},
		},
		{
			name: "an entry without benches",
			in:   `{"entries":{"S":[{"commit":{"id":"c"}},{"benches":[]}],"T":1}}`,
			want: []string{
				`1:18: entries.S.0: benches is required`,
				`1:40: entries.S.1: the result has no numbers`,
				`1:60: entries.T: Invalid type. Expected: array, given: integer`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

func TestBetter(t *testing.T) {
	for _, test := range []struct {
		tool, unit string
		want       format.Direction
	}{
		{"pytest", "iter/sec", format.Higher},
		{"benchmarkjs", "runs", format.Higher},
		{"cargo", "ns/iter", format.Lower},
		{"customBiggerIsBetter", "Megabytes", format.Higher},
		{"customSmallerIsBetter", "req/s", format.Higher},
		{"customSmallerIsBetter", "points", format.Lower},
		{"go", "ns/op", format.Unknown},
		{"go", "MB/s", format.Higher},
		{"go", "ops/sec", format.Higher},
		{"jmh", "ops/ms", format.Higher},
		{"jmh", "us/op", format.Unknown},
		{"", "ops", format.Higher},
	} {
		t.Run(test.tool+" "+test.unit, func(t *testing.T) {
			if got := better(test.tool, test.unit); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		prefix string
		want   bool
	}{
		{"window.BENCHMARK_DATA = {", true},
		{"\nwindow.BENCHMARK_DATA", true},
		{"window.BENCHMARK_DATA2 = {}", false},
		{`{"entries":{"S":[{"commit":{"id":"c"},"benches":[`, true},
		{`{"lastUpdate":0,"repoUrl":"","entries":{}}`, true},
		{`{"entries":{"S":[{"commit":"c"}]}}`, false},
		{`{"entries":[]}`, false},
		{`[{"name":"a","unit":"ms","value":1}]`, true},
		{`[{"name":"a","unit":"ms_smallerIsBetter","sampleValues":[1]}]`, false},
	} {
		t.Run(test.prefix, func(t *testing.T) {
			if got := Format().Detect([]byte(test.prefix)).Yes; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// A row of complexity, and the first value of a line that is a bench of its own, are counted.
func TestSkipped(t *testing.T) {
	for name, want := range map[string]int{"data.js": 1, "benchmark-data.json": 1} {
		t.Run(name, func(t *testing.T) {
			r := runners.NewReader(strings.NewReader(testFiles(t)[name]), Format())
			for range r.Records() {
			}
			if r.Skipped() != want {
				t.Errorf("skipped %d, want %d", r.Skipped(), want)
			}
		})
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "github-action-benchmark") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }

// An error has the beginning of a long name, so that many errors take little memory.
func TestLongName(t *testing.T) {
	name := strings.Repeat("n", 10_000)
	in := `{"entries":{"S":[{"tool":"x","benches":[{"name":"` + name + `"}]}]}}`
	for _, err := range runners.NewReader(strings.NewReader(in), Format()).Records() {
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.2000v", err)
		}
	}
}

// Lines that repeat a key, and too many lines.
func TestExtra(t *testing.T) {
	of := func(extra string) string {
		return `{"entries":{"S":[{"tool":"x","benches":[{"name":"a","value":1,"extra":"` + extra + `"}]}]}}`
	}
	for _, test := range []struct{ name, in, want string }{
		{"a key that repeats", of(`k: v\nk: w\ndate: x`), `name=a suite=S tool=x = 1 date:x extra:k: w k:v`},
		{"an attr of the format", of(`extra: 1\nrest`), `name=a suite=S tool=x = 1 attrs.extra:rest extra:1`},
		{"too many", of(list(1001)), `FATAL 1:18: entries.S.0: params, attrs or links of one measurement: more than 1000 (Limits.MaxParams)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, []string{test.want}, runnertest.Show(spec))
		})
	}
}

// list returns n lines of extra.
func list(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `k%d: v\n`, i)
	}
	return b.String()
}
