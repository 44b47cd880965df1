package benchfmt

import (
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/internal/testing/formattest"
)

// A Reader makes the same trace IDs as the params, whatever changes from line to line.
func TestAppendTraceID(t *testing.T) {
	const names = "BenchmarkA/size=1/x-8 1 2 ns/op 3 MB/s\nBenchmarkA/size=1024/y-8 1 2 ns/op\n" +
		"BenchmarkB/size=1/y-16 1 2 ns/op 3 p50=ns\nBenchmarkB/x=/a,b-8 1 2 ns/op\n" +
		"BenchmarkB/x=c/é=1-8 1 2 ns/op\nBenchmarkB/x=/y-8 1 2 ns/op 3 B/op 4 allocs/op\nBenchmarkB/x=/y 1 2 ns/op\n"
	for name, text := range map[string]string{
		"names": names,
		"other values": "pkg: a\nos: b\n" + names + "pkg: a,=b\n" + names + "os: c\npkg: d\n" + names +
			"pkg: a\n" + names,
		"other keys":          "pkg: a\n" + names + "z: 1\n" + names + "pkg:\n" + names + "pkg: b\n" + names,
		"overridden":          "size: a\n" + names + "size: b\n" + names + "size:\n" + names,
		"not canonical":       "é: b\n" + names + "é: c\n" + names + "é:\n" + names,
		"unit in a param":     "Unit ns/op param=k better=lower\n" + names + "pkg: a\n" + names,
		"unit in no param":    "Unit ns/op param=\nUnit MB/s better=higher\n" + names,
		"unit after a result": names + "Unit ns/op param=size\n" + names,
		"bad values":          names + "BenchmarkC/size=1 1 x ns/op\n" + names + "BenchmarkA/size=7/x-8 1 2 ns/op 3\n" + names,
		"bad end":             names + "Unit ns/op a=b\nBenchmarkA/size=7/x-8 1 2 ns/op 3\n",
		"interleaved":         manyPackages(3),
		"many patterns":       strings.Repeat(manyPatterns(2*maxPatterns), 2),
	} {
		t.Run(name, func(t *testing.T) {
			formattest.All(NewReader(strings.NewReader(text)))
			r := NewReader(strings.NewReader(text))
			for rec, err := range r.Records() {
				if err != nil {
					continue
				}
				if got, want := string(rec.AppendTraceID([]byte("x"))), "x"+rec.Params.ID(); got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			}
		})
	}
}

// manyPatterns returns lines whose names all have other keys.
func manyPatterns(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("BenchmarkA/" + strings.Repeat("k", i%9+1) + goname.SubKey(i+1) + "x=1-8 1 2 ns/op\n")
	}
	return b.String()
}

// A name that is left out has no effect on a later line with the name before it.
func TestNameAfterTooManyParts(t *testing.T) {
	const line = "BenchmarkA/é 1 2 ns/op\n"
	r := NewReader(strings.NewReader(line + "BenchmarkA/é/b/c/d 1 2 ns/op\n" + line))
	r.Limits = format.Limits{MaxParams: 3}
	var got []string
	for rec, err := range r.Records() {
		if err == nil {
			got = append(got, rec.TraceID())
		}
	}
	if want := []string{",name=A,sub1=_,unit=ns_op,", ",name=A,sub1=_,unit=ns_op,"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
