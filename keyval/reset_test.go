package keyval

import (
	"io"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

func TestReset(t *testing.T) {
	files := formattest.Files(t, "../testdata/keyval/*.keyval", 5)
	for name, text := range map[string]string{
		"empty":     "",
		"repeating": strings.Repeat("a{attr}=b\nx{perf}=1\n\n", 5),
		"unended":   "a{attr}=b\nx{perf}=2",
		"many keys": strings.Repeat("a=1\n", 3) + "b=2\nc=3\nd=4\ne=5\nf=6\ng=7\nh=8\ni=9\n\nb=2\n",
		"too large": "a{attr}=b\nx{perf}=1\n\n" + strings.Repeat("y{perf}=1\n", 200),
		"utf-16":    "\xff\xfea\x00",
	} {
		files[name] = text
	}
	formattest.CheckReset(t, files, func(in io.Reader) formattest.Resetter {
		r := NewReader(in)
		r.Name, r.Params, r.Limits.MaxResultBytes = "name", traceid.Of("test", "t"), 1000
		return r
	})
}

// The fields that configure a Reader may change from file to file.
func TestResetFields(t *testing.T) {
	const text = "a=1\nb\n\na=2\n"
	r := NewReader(strings.NewReader(text))
	for _, set := range []func(*Reader){
		func(r *Reader) {},
		func(r *Reader) { r.Params = traceid.Of("test", "t", "host", "h") },
		func(r *Reader) { r.Params, r.Name = nil, "other" },
		func(r *Reader) { r.Limits.MaxLineBytes = 2 },
		func(r *Reader) { r.Limits = format.Limits{} },
	} {
		set(r)
		want := NewReader(strings.NewReader(text))
		want.Name, want.Params, want.Limits = r.Name, r.Params, r.Limits
		got := strings.Join(formattest.All(r), "\n")
		if want := strings.Join(formattest.All(want), "\n"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		r.Reset(strings.NewReader(text))
	}
}

// BenchmarkSmallFiles reads all files of testdata again and again.
func BenchmarkSmallFiles(b *testing.B) {
	files := formattest.Files(b, "../testdata/keyval/*.keyval", 5)
	perFile := func(b *testing.B, next func(io.Reader) *Reader) {
		b.ReportAllocs()
		for b.Loop() {
			for _, text := range files {
				for range next(strings.NewReader(text)).Records() {
				}
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
