package main

import (
	"runtime"
	"testing"
)

func TestPerunContestants(t *testing.T) {
	for _, r := range perunWorkloads {
		t.Run(r.name, func(t *testing.T) {
			d := r.make(2)
			doc := d.Bytes()
			for _, c := range perunContestants(d.Records()) {
				t.Run(c.name, func(t *testing.T) {
					if c.missing != "" {
						t.Skip(c.missing)
					}
					// Twice: some use their memory again.
					for range 2 {
						if err := c.read(doc); err != nil {
							t.Error(err)
						}
					}
					// go-json's Token doesn't look at the structure.
					if err := c.read(doc[:len(doc)-len("}")]); err == nil && c.name != "go-json Decoder.Token" {
						t.Error("no error about a document without its end")
					}
				})
			}
		})
	}
}

func BenchmarkPerun(b *testing.B) {
	for _, r := range perunWorkloads {
		b.Run(r.name, func(b *testing.B) {
			d := r.make(max(1, r.results/50))
			doc := d.Bytes()
			for _, c := range perunContestants(d.Records()) {
				b.Run(c.name, func(b *testing.B) {
					if c.missing != "" {
						b.Skip(c.missing)
					}
					b.SetBytes(int64(len(doc)))
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					n := 0
					for b.Loop() {
						if err := c.read(doc); err != nil {
							b.Fatal(err)
						}
						n++
					}
					runtime.ReadMemStats(&after)
					b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n*d.Records()), "allocs/record")
				})
			}
		})
	}
}
