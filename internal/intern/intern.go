// Package intern makes strings of bytes that repeat, without making the same string again and again.
package intern

import (
	"hash/maphash"
	"strings"
)

const (
	minSlots  = 1 << 6  // strings remembered at first
	maxSlots  = 1 << 10 // strings remembered at most
	maxLength = 64      // of a string that is remembered
	chunkSize = 1 << 10 // of the memory that strings share
)

// A Table makes strings. It remembers a bounded number of short ones and returns those again when it meets their bytes
// again. New short ones share chunks of memory, so that making a thousand takes some dozens of allocations; a
// string that is kept keeps its chunk. The zero Table is ready for use.
type Table struct {
	seed  maphash.Seed
	table []string // by hash; a newcomer takes the place of whom it meets, so no input can make it slow or large
	added int      // to table
	chunk strings.Builder
}

// String returns b as a string.
func (t *Table) String(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxLength {
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

// New returns b as a string without looking for one that is remembered, and without remembering it: for what
// hardly ever repeats.
func (t *Table) New(b []byte) string {
	if len(b) > chunkSize/4 {
		return string(b)
	}
	return t.add(b)
}

// grow gives the table more slots, for an input of more strings than it began with.
func (t *Table) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.table
	t.table = make([]string, max(minSlots, 4*len(old)))
	t.added = 0
	for _, s := range old {
		if s != "" {
			t.table[maphash.String(t.seed, s)%uint64(len(t.table))] = s
			t.added++
		}
	}
}

// add copies b to the chunk. What a strings.Builder returns stays as it is while more is written behind it.
func (t *Table) add(b []byte) string {
	if t.chunk.Cap()-t.chunk.Len() < len(b) {
		t.chunk.Reset()
		t.chunk.Grow(chunkSize)
	}
	start := t.chunk.Len()
	t.chunk.Write(b)
	return t.chunk.String()[start:]
}
