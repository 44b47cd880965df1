package main

import (
	"runtime"
	"testing"
)

// each runs do for each contestant of each contest, with the document for the given number of
// results.
func each[T interface {
	Run(string, func(T)) bool
	Skip(...any)
	Fatal(...any)
}](t T, results int, do func(t T, c *contest, one contestant, records int, doc []byte)) {
	for i := range contests {
		c := &contests[i]
		t.Run(c.format+"/"+c.workload, func(t T) {
			d := c.document(c.scale(results))
			doc := d.Bytes()
			contestants, err := c.contestants(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range contestants {
				t.Run(one.name, func(t T) {
					if one.missing != "" {
						t.Skip(one.missing)
					}
					do(t, c, one, d.Records(), doc)
				})
			}
		})
	}
}

func TestContestants(t *testing.T) {
	each(t, 100, func(t *testing.T, c *contest, one contestant, _ int, doc []byte) {
		// Twice, because some reuse their memory.
		for range 2 {
			if err := one.read(doc); err != nil {
				t.Error(err)
			}
		}
		// go-json's Token does not check the structure.
		if c.ended && one.name != "go-json Decoder.Token" {
			if err := one.read(doc[:len(doc)-len("}")]); err == nil {
				t.Error("no error about a document without its end")
			}
		}
	})
}

func BenchmarkContests(b *testing.B) {
	each(b, 10_000, func(b *testing.B, _ *contest, one contestant, records int, doc []byte) {
		b.SetBytes(int64(len(doc)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := 0
		for b.Loop() {
			if err := one.read(doc); err != nil {
				b.Fatal(err)
			}
			n++
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n*records), "allocs/record")
	})
}
