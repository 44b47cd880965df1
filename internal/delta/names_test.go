package delta

import (
	"math/rand/v2"
	"testing"
)

// Names has the keys of a map, whatever the previous ones were.
func TestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var names Names
	for round := range 2_000 {
		names.Begin()
		have := map[string]bool{}
		for i := range r.IntN(40) {
			name := string(rune('a' + i))
			if r.IntN(4) == 0 {
				name = string(rune('a' + r.IntN(40)))
			}
			if names.IsNext(name) && have[name] {
				t.Fatalf("round %d: %q is next, and among the names", round, name)
			}
			if r.IntN(2) == 0 && names.Has(name) != have[name] {
				t.Fatalf("round %d has %q: %v, want %v", round, name, !have[name], have[name])
			}
			if !have[name] {
				names.Add(name)
				have[name] = true
			}
			if names.Len() != len(have) {
				t.Fatalf("round %d: %d names, want %d", round, names.Len(), len(have))
			}
		}
	}
}
