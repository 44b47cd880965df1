package benchfmt

import (
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

func TestEvents(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "a line split over events, between events of another package",
			in: `{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"a"}
{"Action":"output","Package":"a","Output":"pkg: a\n"}
{"Action":"output","Package":"b","Output":"pkg: b\nk: v\nBenchmarkB \t"}
{"Action":"run","Package":"a","Test":"BenchmarkA"}
{"Action":"output","Package":"a","Test":"BenchmarkA","Output":"BenchmarkA\n"}
{"Action":"output","Package":"a","Test":"BenchmarkA","Output":"Benchmark"}
{"Action":"output","Package":"b","Output":" 1"}
{"Action":"output","Package":"a","Test":"BenchmarkA","Output":"A 1 1 s\r\n"}
{"Action":"output","Package":"b","Output":" 2 s\n"}
{"Action":"pass","Package":"a","Elapsed":0.1}
`,
			want: []string{"name=A pkg=a unit=s = 1 iterations:1", "k=v name=B pkg=b unit=s = 2 iterations:1"},
		},
		{
			name: "a line ended by its package, one ended by the input, and a package that repeats",
			in: `{"Action":"output","Package":"a","Output":"k: v\nBenchmarkA 1 1 s"}
{"Action":"output","Package":"b","Output":"BenchmarkB 1 2 s"}
{"Action":"pass","Package":"a","Test":"x"}
{"Action":"fail","Package":"a"}
{"Action":"fail","Package":"never heard of"}
{"Action":"output","Package":"a","Output":"BenchmarkA 1 3 s\n"}
{"Action":"output","Output":"BenchmarkC 1 4"}`,
			want: []string{
				"k=v name=A unit=s = 1 iterations:1",
				"name=A unit=s = 3 iterations:1",
				"name=B unit=s = 2 iterations:1",
				`in:7:1: missing unit after value "4"`,
			},
		},
		{
			name: "unit metadata for all packages, and text between events",
			in: `{"Action":"output","Package":"a","Output":"Unit s better=lower\nUnit s x\n"}
go: downloading example.com/x v1.0.0
k: v
BenchmarkT 1 1 s
{"Action":"output","Package":"b","Output":"BenchmarkB 1 2 s\n"}
{"not":"an event"}
`,
			want: []string{
				`in:1:1: a: "x": want key=value`,
				"go=downloading example.com/x v1.0.0 k=v name=T unit=s = 1 better:lower iterations:1", // as in x/perf
				"name=B unit=s = 2 better:lower iterations:1",
			},
		},
		{
			name: "faults",
			in: `{"Action":"output","Package":"a","Output":"BenchmarkA 1 x s\n"}
{"Action":"output","Package":"a","Output":"BenchmarkA 1 1 s\n"
{"Action":"output","Package":"a","Output":"BenchmarkA 1 2 s\n"}]
{"Action":"output","Package":"a","Output":"BenchmarkA 1 3 s\n"}
{"Action":"output","Pack`,
			want: []string{
				`in:1:1: a: value "x" is not a number`,
				"in:2:63: Output: event of go test -json: unexpected end of input, expected a comma or }",
				"in:3:64: event of go test -json: data after the end of the document",
				"name=A unit=s = 3 iterations:1",
				"in:5:25: event of go test -json: unexpected end of input, expected the end of the string",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readAll)
		})
	}
}

// Events of real runs yield the records of the text that they carry.
func TestEventFiles(t *testing.T) {
	files := testFiles(t)
	for file, want := range map[string]int{"gotest.json": 50, "split.json": 8, "interleaved.json": 37} {
		got := readAll(strings.NewReader(files["../testdata/benchfmt/"+file]))
		if len(got) != want {
			t.Errorf("%s: %d records, want %d", file, len(got), want)
		}
		for _, rec := range got {
			if strings.HasPrefix(rec, "in:") || !strings.Contains(rec, "pkg=perfdata/") {
				t.Errorf("%s: %s", file, rec)
			}
			if strings.Contains(rec, "name=Parse") && !strings.Contains(rec, "pkg=perfdata/traceid ") ||
				strings.Contains(rec, "lib=xperf") && !strings.Contains(rec, "pkg=perfdata/benchfmt ") {
				t.Errorf("%s: %s: want another package", file, rec)
			}
		}
	}
}
