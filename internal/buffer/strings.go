package buffer

import (
	"hash/maphash"
	"strings"
)

const (
	minSlots   = 1 << 7  // strings remembered at first
	maxSlots   = 1 << 10 // strings remembered at most
	maxLength  = 64      // of a string that is remembered
	sharedSize = 1 << 10 // of memory that strings share
)

// Strings converts bytes to strings. It remembers a bounded number of short strings and returns
// them again for the same bytes. New short strings share chunks of memory: a thousand of them take
// a few dozen allocations, and a string that is kept keeps its chunk. The zero Strings is ready for
// use.
type Strings struct {
	seed  maphash.Seed
	table []string // by hash; a colliding string evicts the old one, so memory and time are bounded
	added int      // strings added to table
	chunk strings.Builder
}

// String returns b as a string.
func (t *Strings) String(b []byte) string {
	if len(b) == 0 || len(b) > maxLength {
		return string(b)
	}
	if t.added >= len(t.table) && len(t.table) < maxSlots {
		t.grow()
	}
	slot := &t.table[maphash.Bytes(t.seed, b)%uint64(len(t.table))]
	if *slot != string(b) {
		*slot = t.add(b)
		t.added++
	}
	return *slot
}

// New returns b as a new string, which it does not remember. It is for bytes that rarely repeat.
func (t *Strings) New(b []byte) string {
	if len(b) > sharedSize/4 {
		return string(b)
	}
	return t.add(b)
}

// grow gives the table more slots.
func (t *Strings) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.table
	t.table = make([]string, max(minSlots, 2*len(old)))
	t.added = 0
	for _, s := range old {
		if s != "" {
			t.table[maphash.String(t.seed, s)%uint64(len(t.table))] = s
			t.added++
		}
	}
}

// add copies b to the chunk. The string that a strings.Builder returned stays valid while more is
// appended.
func (t *Strings) add(b []byte) string {
	if t.chunk.Cap()-t.chunk.Len() < len(b) {
		t.chunk.Reset()
		t.chunk.Grow(sharedSize)
	}
	start := t.chunk.Len()
	t.chunk.Write(b)
	return t.chunk.String()[start:]
}
