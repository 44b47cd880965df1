package benchfmt

import (
	"io"
	"strings"
	"testing"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/format"
)

func BenchmarkReader(b *testing.B) {
	in := strings.Repeat(testFiles(b)["../testdata/benchfmt/proposal_subbenchmarks.txt"], 10)
	b.Run("lib=perfdata", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		n := 0
		for b.Loop() {
			for _, err := range NewReader(strings.NewReader(in)).Records() {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("lib=xperf", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		n := 0
		for b.Loop() {
			r := perf.NewReader(strings.NewReader(in), "")
			for r.Scan() {
				n += len(r.Result().(*perf.Result).Values)
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
	})
}

func BenchmarkWriter(b *testing.B) {
	var records []*format.Record
	r := NewReader(strings.NewReader(testFiles(b)["../testdata/benchfmt/proposal_subbenchmarks.txt"]))
	h, err := r.Header()
	if err != nil {
		b.Fatal(err)
	}
	for rec, err := range r.Records() {
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, rec.Clone())
	}
	b.ReportAllocs()
	for b.Loop() {
		w := NewWriter(io.Discard, h)
		for _, rec := range records {
			if err := w.Write(rec); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
