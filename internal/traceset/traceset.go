// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"hash/maphash"
	"math"
	"math/bits"

	"perfdata/internal/series"
	"perfdata/traceid"
)

// A Set remembers traces by hashes of 64 bits of their canonical params, with random seeds: among
// two million different traces, two are taken for the same with a probability of one in ten
// million. If there are many, it takes 13 to 20 bytes for each trace, or 20 to 30 with Lines. The
// zero Set is empty and ready for use.
//
// The hash of a trace is the sum of the hashes of its params. Consecutive traces of a file share
// most of their params, above all the params of the header, which may be as large as thousands of
// results. Shared params are hashed once.
type Set struct {
	// Lines makes Add remember the line of each trace. Set it before the first call.
	Lines bool

	keySeed, valueSeed maphash.Seed

	last, canonical series.Series // the last trace, and the last one with keys that are not canonical
	parts           []part        // by the highest bits of the hash
	shift           int           // shifts a hash to these bits
	len             int
	full            bool
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
	t.last.Next(p)
	return t.AddLast(&t.last, line, max)
}

// AddLast is Add for the last params of a Series. The Series keeps the hashes of t, and must not be
// used with other Sets.
func (t *Set) AddLast(s *series.Series, line, max int) (earlier int, known bool) {
	hash := t.hash(s)
	p := t.partWithRoom(hash)
	i, found := p.find(hash)
	switch {
	case found && p.lines == nil:
		return 1, true
	case found:
		return int(p.lines[i]), true
	case t.full:
		return 0, true
	case t.len >= max:
		t.full = true
		return 0, false
	}

	p.put(i, hash, uint32(min(int64(line), math.MaxUint32)))
	t.len++
	return 0, true
}

// Has reports whether the trace was added.
func (t *Set) Has(p traceid.Params) bool {
	t.last.Next(p)
	hash := t.hash(&t.last)
	_, found := t.part(hash).find(hash)
	return found
}

// hash returns the hash of the last params of s. It is not 0.
func (t *Set) hash(s *series.Series) uint64 {
	if t.parts == nil {
		t.keySeed, t.valueSeed = maphash.MakeSeed(), maphash.MakeSeed()
		t.parts, t.shift = []part{t.newPart(minSlots)}, 64
	}
	sum, ok := t.sum(s)
	if !ok {
		// Two keys may have the same canonical form.
		p := make(traceid.Params, len(s.Pairs))
		for i := range p {
			p[i] = s.Pairs[i].Param
		}
		t.canonical.Next(p.Canonical())
		sum, _ = t.sum(&t.canonical)
	}
	return max(sum, 1)
}

// sum returns the sum of the hashes of the pairs. It returns false if a key is not canonical.
func (t *Set) sum(s *series.Series) (sum uint64, ok bool) {
	pairs := s.Pairs
	for i := range pairs {
		x := &pairs[i]
		if x.Hash == 0 && !t.hashPair(x) {
			return 0, false
		}
		sum += x.Hash
	}
	return sum, true
}

// hashPair completes the hashes of x, unless its key is not canonical.
func (t *Set) hashPair(x *series.Pair) bool {
	if x.KeyHash == 0 {
		x.KeyHash = maphash.String(t.keySeed, x.Key)
		x.OddKey = traceid.CanonicalString(x.Key) != x.Key
	}
	if x.OddKey {
		return false
	}
	hi, lo := bits.Mul64(x.KeyHash, maphash.String(t.valueSeed, traceid.CanonicalString(x.Value)))
	x.Hash = hi ^ lo
	return true
}

func (t *Set) part(hash uint64) *part { return &t.parts[hash>>t.shift] }

// partWithRoom returns the part to which the hash belongs. It has a free slot.
func (t *Set) partWithRoom(hash uint64) *part {
	p := t.part(hash)
	if 8*p.len < 5*len(p.slots) {
		return p
	}
	switch size := len(p.slots); {
	case len(t.parts) > 1:
		*p = t.moved(p, size+size/2)
	case size < maxAlone:
		*p = t.moved(p, 2*size)
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
