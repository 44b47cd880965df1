package benchfmt

import (
	"io"
	"maps"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/internal/testing/formattest"
)

func TestReset(t *testing.T) {
	files := testFiles(t)
	for name, text := range map[string]string{
		"empty":      "",
		"metadata":   "Unit ns/op param=u better=lower\nUnit ns/op x\na: b\nBenchmarkA 1 2 ns/op\n",
		"same unit":  "BenchmarkA 1 2 ns/op\n",
		"early":      "x: y\nBenchmarkA 1 x ns/op\nBenchmarkB/a=1-8 1 2 ns/op\n",
		"too large":  strings.Repeat("a", 100_000) + ": b\nBenchmarkA 1 2 ns/op\n",
		"unfinished": `{"Action":"output","Package":"p","Output":"goos: linux\nBenchmarkA "}` + "\n",
		"many":       manyPackages(64 + 10),
	} {
		files[name] = text
	}
	for _, tidy := range []bool{false, true} {
		formattest.CheckReset(t, files, func(in io.Reader) formattest.Resetter {
			r := NewReader(in)
			r.Name, r.Tidy, r.Limits.MaxHeaderBytes = "name", tidy, 100_000
			return r
		})
	}
}

// manyPackages returns the events of packages whose output interleaves.
func manyPackages(n int) string {
	var b strings.Builder
	for _, output := range []string{
		`pkg: x\n`,
		`BenchmarkA/b=1-8 1 2 ns/op\n`,
		`BenchmarkA/b=2-8 1 2 ns/op\nBenchmark`,
	} {
		for i := range n {
			b.WriteString(`{"Action":"output","Package":"p` + goname.SubKey(i+1) + `","Output":"` + output + `"}` + "\n")
		}
	}
	return b.String()
}

// The fields that configure a Reader may change from file to file.
func TestResetFields(t *testing.T) {
	const text = "BenchmarkA 1 2 ns/op\nBenchmarkA/b/c 1 2 ns/op\n{\"Action\":\"output\",\"Package\":1,\"Output\":[[[[[\"x\"]]]]]}\n"
	r := NewReader(strings.NewReader(text))
	for _, set := range []func(*Reader){
		func(r *Reader) {},
		func(r *Reader) { r.Tidy = true },
		func(r *Reader) { r.Tidy, r.Name = false, "other" },
		func(r *Reader) { r.Limits.MaxDepth = 2 },
		func(r *Reader) { r.Limits.MaxParams = 2 },
		func(r *Reader) { r.Limits.MaxLineBytes = 10 },
		func(r *Reader) { r.Limits = format.Limits{} },
	} {
		set(r)
		want := NewReader(strings.NewReader(text))
		want.Name, want.Tidy, want.Limits = r.Name, r.Tidy, r.Limits
		got := strings.Join(formattest.All(r), "\n")
		if want := strings.Join(formattest.All(want), "\n"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		r.Reset(strings.NewReader(text))
	}
}

func TestResetUnits(t *testing.T) {
	r := NewReader(strings.NewReader("Unit ns/op better=lower\nBenchmarkA 1 2 ns/op\n"))
	formattest.All(r)
	r.Reset(strings.NewReader("BenchmarkA 1 2 ns/op\n"))
	formattest.All(r)
	if units := r.Units(); len(units) > 0 {
		t.Errorf("units of the previous file: %v", units)
	}
}

// BenchmarkSmallFiles reads all small files of testdata again and again.
func BenchmarkSmallFiles(b *testing.B) {
	files := testFiles(b)
	maps.DeleteFunc(files, func(_, text string) bool { return len(text) > 10_000 })
	read := func(b *testing.B, r *Reader) {
		for _, err := range r.Records() {
			if e, ok := err.(*format.Error); ok && e.Severity != format.Recoverable {
				b.Fatal(e)
			}
		}
	}
	perFile := func(b *testing.B, next func(io.Reader) *Reader) {
		b.ReportAllocs()
		for b.Loop() {
			for _, text := range files {
				read(b, next(strings.NewReader(text)))
			}
		}
		b.ReportMetric(float64(len(files)), "files/op")
	}
	b.Run("way=new", func(b *testing.B) { perFile(b, func(in io.Reader) *Reader { return NewReader(in) }) })
	b.Run("way=reset", func(b *testing.B) {
		r := NewReader(nil)
		perFile(b, func(in io.Reader) *Reader {
			r.Reset(in)
			return r
		})
	})
}
