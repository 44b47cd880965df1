package keyval

import (
	"math/rand/v2"
	"testing"
)

// A set of keys is that of a map, whatever the iteration before had.
func TestWrittenKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var k writtenKeys
	for iteration := range 2_000 {
		k.begin()
		have := map[string]bool{}
		for i := range r.IntN(40) {
			key := string(rune('a' + i))
			if r.IntN(4) == 0 {
				key = string(rune('a' + r.IntN(40)))
			}
			if k.isNext(key) && have[key] {
				t.Fatalf("iteration %d: %q is next, and the iteration has it", iteration, key)
			}
			if r.IntN(2) == 0 && k.has(key) != have[key] {
				t.Fatalf("iteration %d has %q: %v, want %v", iteration, key, !have[key], have[key])
			}
			if !have[key] {
				k.add(key)
				have[key] = true
			}
			if k.n != len(have) {
				t.Fatalf("iteration %d: %d keys, want %d", iteration, k.n, len(have))
			}
		}
	}
}
