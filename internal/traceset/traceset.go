// Package traceset finds traces that a file measures twice: what validation of several formats needs.
package traceset

import (
	"hash/maphash"

	"perfdata/traceid"
)

// A Set remembers traces by two hashes of their ids under random seeds, 128 bits, so that none are taken for
// the same by accident.
type Set struct {
	lines map[[2]uint64]int // that have the traces
	seeds [2]maphash.Seed
	id    []byte
	full  bool
}

// Add adds the trace that is measured on the line. It returns the line that has it already, or 0; known is false
// for the first one, and only the first one, that isn't added because there are max traces already.
func (t *Set) Add(p traceid.Params, line, max int) (earlier int, known bool) {
	if t.lines == nil {
		t.lines = make(map[[2]uint64]int)
		t.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	t.id = p.AppendID(t.id[:0])
	hash := [2]uint64{maphash.Bytes(t.seeds[0], t.id), maphash.Bytes(t.seeds[1], t.id)}
	if earlier = t.lines[hash]; earlier > 0 {
		return earlier, true
	}
	if t.full {
		return 0, true
	}
	if len(t.lines) == max {
		t.full = true
		return 0, false
	}
	t.lines[hash] = line
	return 0, true
}
