package benchfmt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

// What failed is an error that names it, once.
func TestFailures(t *testing.T) {
	const head = "pkg: p\nBenchmarkX-8 1 1 s\n"
	const read = "gomaxprocs=8 name=X pkg=p unit=s = 1 iterations:1"
	for _, test := range []struct {
		name, in string // § marks the place of an error
		want     []string
	}{
		{
			"a benchmark", "--- FAIL: §BenchmarkY\n    y_test.go:5: no data\nFAIL\nexit status 1\nFAIL\tp\t0.1s\nFAIL\n",
			[]string{`in:§: p: "BenchmarkY" failed`},
		},
		{
			"while it ran", "BenchmarkY-8   \t§--- FAIL: BenchmarkY-8\nFAIL\nFAIL\tp\t0.1s\n",
			[]string{`in:§: p: "BenchmarkY-8" failed`},
		},
		{
			"panic", "BenchmarkY-8   \t§panic: no disk\n\ngoroutine 17 [running]:\nexit status 2\nFAIL\tp\t0.1s\nFAIL\n",
			[]string{`in:§: p: "BenchmarkY-8" failed: "panic: no disk"`},
		},
		{
			"exit", "BenchmarkY-8   \t§exit status 3\nFAIL\tp\t0.1s\nFAIL\n",
			[]string{`in:§: p: "BenchmarkY-8" failed: "exit status 3"`},
		},
		{
			"text of another kind", "BenchmarkY-8   \t§what the program says\nFAIL\t§p\t0.1s\n",
			[]string{`in:§: iteration count "what" is not a whole number`, `in:§: package "p" failed: results may be missing`},
		},
		{
			"sub-benchmarks", "--- FAIL: §BenchmarkY/a/b\n--- FAIL: BenchmarkY/a\n--- FAIL: §BenchmarkY/c-8\n--- FAIL: BenchmarkY\n" +
				"--- FAIL: §BenchmarkYs\nFAIL\tp\t0.1s\n",
			[]string{`in:§: p: "BenchmarkY/a/b" failed`, `in:§: p: "BenchmarkY/c-8" failed`, `in:§: p: "BenchmarkYs" failed`},
		},
		{
			"repetitions", "--- FAIL: §BenchmarkY\n--- FAIL: §BenchmarkY\nFAIL\n",
			[]string{`in:§: p: "BenchmarkY" failed`, `in:§: p: "BenchmarkY" failed`},
		},
		{
			"a package", "exit status 3\nFAIL\t§p\t0.1s\nFAIL\n",
			[]string{`in:§: package "p" failed: results may be missing`},
		},
		{
			"packages that do not build", "ok  \tp\t0.1s\nFAIL\t§q [build failed]\nFAIL\t§r [setup failed]\nFAIL\n",
			[]string{
				`in:§: package "q" failed [build failed]: results may be missing`,
				`in:§: package "r" failed [setup failed]: results may be missing`,
			},
		},
		{
			"the next package", "--- FAIL: §BenchmarkY\npkg: q\nFAIL\t§q\t0.1s\n",
			[]string{`in:§: p: "BenchmarkY" failed`, `in:§: package "q" failed: results may be missing`},
		},
		{
			"did not end", "BenchmarkY/n=1\npanic: no disk\nexit status 2\nFAIL\t§p\t0.1s\n",
			[]string{`in:§: "BenchmarkY/n=1" did not end: package "p" failed`},
		},
		{
			"ended with a result, whose name has the processors", "BenchmarkY\nBenchmarkY-8 1 1 s\nFAIL\t§p\t0.1s\n",
			[]string{"gomaxprocs=8 name=Y pkg=p unit=s = 1 iterations:1", `in:§: package "p" failed: results may be missing`},
		},
		{
			"another one ended", "BenchmarkY-8x 1 1 s\nBenchmarkY\nFAIL\t§p\t0.1s\n",
			[]string{"name=Y-8x pkg=p unit=s = 1 iterations:1", `in:§: "BenchmarkY" did not end: package "p" failed`},
		},
		{
			"did not end after a failure", "BenchmarkY\n--- FAIL: §BenchmarkY\nBenchmarkZ\nexit status 2\nFAIL\t§p\t0.1s\n",
			[]string{`in:§: p: "BenchmarkY" failed`, `in:§: "BenchmarkZ" did not end: package "p" failed`},
		},
		{
			"skipped, and then an exit", "BenchmarkY\n--- SKIP: BenchmarkY\nexit status 2\nFAIL\t§p\t0.1s\n",
			[]string{`in:§: package "p" failed: results may be missing`},
		},
		{"skipped", "BenchmarkY\n--- SKIP: BenchmarkY\n    y_test.go:5: no data\nPASS\nok  \tp\t0.1s\n", nil},
		{"a test", "--- FAIL: TestY (0.00s)\n    --- FAIL: TestY/BenchmarkZ (0.00s)\nFAIL\nFAIL\tp\t0.1s\nFAIL\n", nil},
		{"like a failure", "FAILED\n--- FAIL\n---- FAIL: BenchmarkY\n    --- FAIL: BenchmarkY\nok  p\n", nil},
		{
			"an event", `{"Action":"output","Package":"q","Test":"BenchmarkY","Output":"BenchmarkY\n"}` + "\n" +
				`§{"Action":"output","Package":"q","Test":"BenchmarkY","Output":"--- FAIL: BenchmarkY\n"}` + "\n" +
				`{"Action":"output","Package":"q","Output":"FAIL\tq\t0.1s\n"}` + "\n" + `{"Action":"fail","Package":"q"}` + "\n",
			[]string{`in:§: q: "BenchmarkY" failed`},
		},
		{
			"events of a benchmark that did not end",
			`{"Action":"output","Package":"q","Output":"BenchmarkY-8\nBenchmarkY-8 1 1 s\nBenchmarkZ\n"}` + "\n" +
				`§{"Action":"output","Package":"q","Output":"panic: x\nFAIL\tq\t0.1s\n"}` + "\n" + `{"Action":"fail","Package":"q"}` + "\n",
			[]string{"gomaxprocs=8 name=Y unit=s = 1 iterations:1", `in:§: q: "BenchmarkZ" did not end: package "q" failed`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := formattest.Marked(head+test.in, append([]string{read}, test.want...)...)
			formattest.CheckRead(t, test.name, in, want, readAll)

			// Validation has the same errors, once.
			var read, found []string
			for _, err := range newReader(strings.NewReader(in)).Records() {
				if err != nil {
					read = append(read, err.Error())
				}
			}
			for e := range Format().Validate(strings.NewReader(in), format.Options{Name: "in"}) {
				if e.Severity != format.Warning {
					found = append(found, e.Error())
				}
			}
			if diff := cmp.Diff(read, found); diff != "" {
				t.Errorf("(-read +validated):\n%s", diff)
			}
		})
	}
}
