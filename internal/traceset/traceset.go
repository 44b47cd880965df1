// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"math"
	"math/bits"

	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A Set remembers traces by hashes of 64 bits of their canonical params, with random seeds: among
// two million different traces, two are taken for the same with a probability of one in ten
// million. If there are many, it takes 13 to 20 bytes for each trace, or 20 to 30 with Lines. The
// zero Set is empty and ready for use.
//
// A [delta.Series] makes the hashes. Consecutive traces of a file share most of their params, above
// all the params of the header, which may be as large as thousands of results. Shared params are
// hashed once.
type Set struct {
	// Lines makes Add remember the line of each trace. Set it before the first call.
	Lines bool

	last  delta.Series // the last trace
	parts []part       // by the highest bits of the hash
	shift int          // shifts a hash to these bits
	len   int
	full  bool
}

// A part is a hash table. A large set has many parts, so that only a small part is in memory twice
// while it grows.
type part struct {
	// A hash is in the slot to which it is proportional, or in the next free one. A free slot has 0.
	slots []uint64
	lines []uint32 // of the hashes, if they are remembered
	len   int
}

const (
	minSlots = 32
	partBits = 8
	maxAlone = 1 << 15 // slots of a single part
)

// Add adds a trace with its line. If the trace was added before, Add returns the line of the first
// time, or 1 without Lines; otherwise 0. If the set has max traces, it does not grow, and the first
// trace that is not added is reported by known = false.
func (t *Set) Add(p traceid.Params, line, max int) (earlier int, known bool) {
	return t.AddHash(t.hash(p), line, max)
}

// AddHash is Add for the hash of a trace. One Series makes the hashes of all traces of a Set.
func (t *Set) AddHash(hash uint64, line, max int) (earlier int, known bool) {
	part := t.partWithRoom(hash)
	i, found := part.find(hash)
	switch {
	case found && part.lines == nil:
		return 1, true
	case found:
		return int(part.lines[i]), true
	case t.full:
		return 0, true
	case t.len >= max:
		t.full = true
		return 0, false
	}

	part.put(i, hash, uint32(min(int64(line), math.MaxUint32)))
	t.len++
	return 0, true
}

// Next adds a trace, and returns its number among those that are equal, from 1: the next one, or the
// given one if that is greater. If the set has max traces, it does not grow, and the number of others
// is 0. The set must have Lines.
func (t *Set) Next(p traceid.Params, number, max int) int {
	hash := t.hash(p)
	part := t.partWithRoom(hash)
	i, found := part.find(hash)
	if !found {
		if t.len >= max {
			t.full = true
			return 0
		}
		part.put(i, hash, 0)
		t.len++
	}
	n := &part.lines[i]
	*n = uint32(min(int64(math.MaxUint32), int64(*n)+1))
	if int64(number) > int64(*n) {
		*n = uint32(min(int64(math.MaxUint32), int64(number)))
	}
	return int(*n)
}

// Again reports whether the last two calls of Add had equal params.
func (t *Set) Again() bool { return t.last.Same() }

// Has reports whether the trace was added.
func (t *Set) Has(p traceid.Params) bool { return t.HasHash(t.hash(p)) }

func (t *Set) hash(p traceid.Params) uint64 {
	t.last.Compare(p)
	hash, _ := t.last.Hash(p)
	t.last.Accept(p)
	return hash
}

// HasHash reports whether the trace with the hash was added.
func (t *Set) HasHash(hash uint64) bool {
	if t.parts == nil {
		return false
	}
	_, found := t.part(hash).find(hash)
	return found
}

func (t *Set) part(hash uint64) *part { return &t.parts[hash>>t.shift] }

// partWithRoom returns the part to which the hash belongs. It has a free slot.
func (t *Set) partWithRoom(hash uint64) *part {
	if t.parts == nil {
		t.parts, t.shift = []part{t.newPart(minSlots)}, 64
	}
	p := t.part(hash)
	if 8*p.len < 5*len(p.slots) {
		return p
	}
	switch size := len(p.slots); {
	case len(t.parts) > 1:
		*p = t.moved(p, size+size/2)
	case size < maxAlone:
		*p = t.moved(p, 4*size) // with 2*size, writing legacy files takes 5% more instructions
	default:
		t.split()
	}
	return t.part(hash)
}

func (t *Set) newPart(slots int) part {
	p := part{slots: make([]uint64, slots)}
	if t.Lines {
		p.lines = make([]uint32, slots)
	}
	return p
}

// moved returns a larger part with the hashes of p.
func (t *Set) moved(p *part, slots int) part {
	larger := t.newPart(slots)
	p.copyTo(func(uint64) *part { return &larger })
	return larger
}

// split distributes the single part over many.
func (t *Set) split() {
	alone := t.parts[0]
	t.parts, t.shift = make([]part, 1<<partBits), 64-partBits
	for i := range t.parts {
		t.parts[i] = t.newPart(len(alone.slots) * 3 / 2 >> partBits)
	}
	alone.copyTo(t.partWithRoom)
}

// find returns the slot of the hash, or the free slot where it belongs.
func (p *part) find(hash uint64) (slot int, found bool) {
	first, _ := bits.Mul64(hash<<partBits, uint64(len(p.slots)))
	for i := int(first); ; {
		if s := p.slots[i]; s == 0 || s == hash {
			return i, s == hash
		}
		if i++; i == len(p.slots) {
			i = 0
		}
	}
}

// put stores a hash in a free slot.
func (p *part) put(slot int, hash uint64, line uint32) {
	p.slots[slot] = hash
	if p.lines != nil {
		p.lines[slot] = line
	}
	p.len++
}

// copyTo copies all hashes to other parts, which have room for them.
func (p *part) copyTo(part func(hash uint64) *part) {
	for i, hash := range p.slots {
		if hash == 0 {
			continue
		}
		line := uint32(0)
		if p.lines != nil {
			line = p.lines[i]
		}
		to := part(hash)
		slot, _ := to.find(hash)
		to.put(slot, hash, line)
	}
}
