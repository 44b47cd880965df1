package main

import (
	"runtime"
	"testing"

	"perfdata/bench/workload"
)

func TestKeyvalContestants(t *testing.T) {
	d := workload.NewKeyval(100)
	doc := d.Bytes()
	for _, c := range keyvalContestants(d.Records()) {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				if err := c.read(doc); err != nil {
					t.Error(err)
				}
			}
			if err := c.read(doc[:len(doc)/2]); err == nil {
				t.Error("no error about a document without its second half")
			}
		})
	}
}

func BenchmarkKeyval(b *testing.B) {
	d := workload.NewKeyval(20_000)
	doc := d.Bytes()
	for _, c := range keyvalContestants(d.Records()) {
		b.Run(c.name, func(b *testing.B) {
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
}
