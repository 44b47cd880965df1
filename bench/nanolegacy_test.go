package main

import (
	"runtime"
	"testing"
)

func TestNanolegacyContestants(t *testing.T) {
	for _, r := range nanolegacyWorkloads {
		t.Run(r.name, func(t *testing.T) {
			d := r.make(100)
			doc := d.Bytes()
			for _, c := range nanolegacyContestants(d.Records()) {
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

func BenchmarkNanolegacy(b *testing.B) {
	for _, r := range nanolegacyWorkloads {
		b.Run(r.name, func(b *testing.B) {
			d := r.make(10_000)
			doc := d.Bytes()
			for _, c := range nanolegacyContestants(d.Records()) {
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
