package benchfmt

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

var noLimits format.Limits

func validate(in io.Reader) []string {
	return formattest.Faults(Format().Validate(in, format.Options{Name: "x", Limits: noLimits}))
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "valid",
			in:   "goos: linux\nUnit s better=lower assume=nothing\nBenchmarkX-8 1 1 s 2 t\nBenchmark 1 2 s\nPASS\n",
			want: []string{},
		},
		{
			name: "empty",
			in:   "",
			want: []string{"x:1:1: warning: no benchmark results found"},
		},
		{
			name: "no results",
			in:   "PASS\nok\n",
			want: []string{"x:1:1: warning: no benchmark results found"},
		},
		{
			name: "names",
			in:   "Benchmarkx 1 1 s\nBenchmarkx 1 1 s\nBenchmark_ 1 1 s\nBenchmarkÉ 1 1 s\n",
			want: []string{
				`x:1:10: warning: benchmark name "x" should begin with an upper case letter; further ones are not reported`,
			},
		},
		{
			name: "units",
			in:   "BenchmarkX 1 1 s 2 t 3 s\n",
			want: []string{`x:1:22: warning: duplicate unit "s"`},
		},
		{
			name: "overridden",
			in:   "unit: u\nname: n\nk: v\nBenchmark 1 1 s\nBenchmarkX/k=v 1 1 s\nBenchmarkX/k=w 1 1 s\n",
			want: []string{
				`x:4:1: warning: this line overrides configuration key "unit"`,
				`x:5:1: warning: this line overrides configuration key "name"`,
				`x:6:1: warning: this line overrides configuration key "k"`,
			},
		},
		{
			name: "metadata",
			in:   "BenchmarkX 1 1 ns/op\nUnit sec/op better=less x\nUnit B assume=exactly\n",
			want: []string{
				`x:2:1: warning: results in "sec/op" before this line are read without it`,
				`x:2:1: warning: better is "less": want higher or lower`,
				`x:2:25: "x": want key=value`,
				`x:3:1: warning: assume is "exactly": want nothing or exact`,
			},
		},
		{
			name: "failed tests, twice",
			in:   "BenchmarkX 1 1 s\n--- FAIL: TestY (0.00s)\nFAIL\nFAIL\tp\t0.1s\nBenchmarkX 1 1 s\nFAIL\n",
			want: []string{"x:3:1: warning: the tests failed: results may be missing"},
		},
		{
			name: "a failure without a name",
			in:   "BenchmarkX 1 1 s\nFAIL\nBenchmarkX 1 1 s\nFAIL\n",
			want: []string{"x:2:1: warning: the tests failed: results may be missing"},
		},
		{
			name: "a failed benchmark, and a test of another package",
			in: "pkg: p\nBenchmarkX 1 1 s\n--- FAIL: BenchmarkY\nFAIL\nexit status 1\nFAIL\tp\t0.1s\n" +
				"--- FAIL: TestZ (0.00s)\nFAIL\nexit status 1\nFAIL\tq\t0.1s\nFAIL\n",
			want: []string{
				`x:3:11: p: "BenchmarkY" failed`,
				"x:8:1: warning: the tests failed: results may be missing",
			},
		},
		{
			name: "a failed package, in events",
			in: `{"Action":"output","Package":"p","Output":"BenchmarkX 1 1 s\nFAIL\tp\t0.1s\n"}` + "\n" +
				`{"Action":"fail","Package":"p"}` + "\n",
			want: []string{`x:1:1: p: package "p" failed: results may be missing`},
		},
		{
			name: "a line that begins with FAIL",
			in:   "BenchmarkX 1 1 s\nFAILED to read\n",
			want: []string{},
		},
		{
			name: "truncated",
			in:   "BenchmarkX 1 1 s",
			want: []string{"x:1:1: warning: the last line has no line end: the input may be truncated"},
		},
		{
			name: "a long last line",
			in:   "BenchmarkX 1 1 s\n" + strings.Repeat("x", 1<<20+1) + "\n",
			want: []string{"x:2:1: bytes of one line: more than 1048576 (Limits.MaxLineBytes)"},
		},
		{
			name: "a long last line, truncated",
			in:   "BenchmarkX 1 1 s\n" + strings.Repeat("x", 1<<20+1),
			want: []string{
				"x:2:1: bytes of one line: more than 1048576 (Limits.MaxLineBytes)",
				"x:2:1: warning: the last line has no line end: the input may be truncated",
			},
		},
		{
			name: "truncated events",
			in: `{"Action":"output","Package":"p","Output":"k: v\nBenchmarkX 1 1 s\n"}` + "\n" +
				`{"Action":"output","Package":"p","Output":"PASS\n"}` + "\n",
			want: []string{"x:2:1: p: warning: the output of this package does not end: the input may be truncated"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, validate)
		})
	}
}

// All files of the project except one are valid.
func TestValidateFiles(t *testing.T) {
	for name, text := range testFiles(t) {
		if strings.Contains(name, "faults") {
			continue
		}
		if got := validate(strings.NewReader(text)); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	text := formattest.ReadFile(t, "../testdata/benchfmt/faults.txt")
	want := []string{
		`x:5:23: missing iteration count after "BenchmarkNoCount-4"`,
		`x:6:28: iteration count "2e3" is not a whole number`,
		`x:7:31: missing value and unit after "BenchmarkNoValue-4   \t     200"`,
		`x:8:37: value "fast" is not a number`,
		`x:9:56: missing unit after value "12"`,
		`x:10:37: value "1e999" is out of range`,
		`x:11:5: missing unit after "Unit"`,
		"x:12:1: warning: results in \"ns/op\" before this line are read without it",
		`x:12:25: "lower": want key=value`,
		`x:13:12: metadata "better" of unit "ns/op" is already set to "lower"`,
	}
	if diff := cmp.Diff(want, validate(strings.NewReader(text))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSniff(t *testing.T) {
	for in, want := range map[string]bool{
		"BenchmarkX 1 2 ns/op": true,
		"goos: linux\nBenchmarkX\nBenchmarkX \nBenchmarkX 1 2 ns/op": true,
		"goos: linux\n":      false,
		"Benchmark results":  false,
		"Benchmarks 10 fast": false,
		"":                   false,
		`{"Time":"2026-11-21T06:04:24Z","Action":"start","Package":"p"}` + "\n" + `{"Action":"output","Package":` +
			`"p","Output":"ok"}`: true,
		`{"Action":"what"}`: false,
		`{"version":1}`:     false,
	} {
		if got := Format().Detect([]byte(in)).Yes; got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}
