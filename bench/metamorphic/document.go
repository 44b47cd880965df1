// Package metamorphic reads generated documents in ways that must not matter, and compares the
// results: records, errors and offsets. It needs no expected results, so it can read any number of
// documents: the flag -documents of its test says how many.
package metamorphic

import (
	"fmt"

	"perfdata/internal/testing/plausible"
	"perfdata/perfdatatest"
)

// A Document is an input.
type Document struct {
	Format string
	Seed   uint64
	Size   int
	Kind   string // "valid", or its fault
	Valid  bool
	Text   []byte
}

// String names d, so that Generate can make it again.
func (d Document) String() string { return fmt.Sprintf("%s, seed %d, %s", d.Format, d.Seed, d.Kind) }

// Generate returns the document of a seed. Half are valid, and most others nearly so.
func Generate(format string, seed uint64) Document {
	r := plausible.Random(seed)
	size := plausible.Pick(&r, []int{0, 0, 0, 200, 200, 400, 800, 3000})
	d := Document{Format: format, Seed: seed, Size: size, Kind: "valid"}
	switch {
	case r.Below(1000) == 0:
		d.Text, d.Kind = perfdatatest.Hostile(format, r.Uint64(), 2000)
	case r.Chance(50):
		d.Text, d.Kind = perfdatatest.NearlyValid(format, seed, size)
	default:
		d.Text, d.Valid = perfdatatest.Valid(format, seed, size), true
	}
	return d
}
