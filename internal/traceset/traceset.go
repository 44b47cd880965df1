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
// million. If there are many, it takes 11 to 16 bytes for each trace, or 16 to 24 with Lines. The
// zero Set is empty and ready for use.
//
// A [delta.Tracker] makes the hashes. Consecutive traces of a file share most of their params, above
// all the params of the header, which may be as large as thousands of results. Shared params are
// hashed once.
type Set struct {
	// Lines makes Add remember the line of each trace. Set it before the first call.
	Lines bool

	last  delta.Tracker // the last trace
	parts []part        // by the highest bits of the hash
	shift int           // shifts a hash to these bits
	len   int
	full  bool
}

// A part is a hash table. A large set has many parts, so that only a small part is in memory twice
// while it grows. A hash is in the slot to which it is proportional, or in the next free one. With
// a map of Go instead, validating Skia v1 takes 19% more CPU time.
type part struct {
	slots []uint64 // 0: free
	lines []uint32 // of the hashes, if they are remembered
	len   int
}

const (
	minSlots = 32
	partBits = 6
	maxAlone = 1 << 15 // slots of a single part
)

// Add adds a trace with its line. If the trace was added before, Add returns the line of the first
// time, or 1 without Lines; otherwise 0. If the set has max traces, it does not grow, and the first
// trace that is not added is reported by known = false.
func (t *Set) Add(p traceid.Params, line, max int) (earlier int, known bool) {
	return t.AddHash(t.hash(p), line, max)
}

// AddHash is Add for the hash of a trace. One Tracker makes the hashes of all traces of a Set.
func (t *Set) AddHash(hash uint64, line, max int) (earlier int, known bool) {
	wasFull := t.full
	p, i, isNew := t.add(hash, max)
	switch {
	case p == nil:
		return 0, wasFull
	case isNew && t.Lines:
		p.lines[i] = uint32(min(int64(line), math.MaxUint32))
		fallthrough
	case isNew:
		return 0, true
	case t.Lines:
		return int(p.lines[i]), true
	}
	return 1, true
}

// Next adds a trace, and returns its number among equal traces, from 1: the next one, or the given
// one if that is greater. It also returns the number before, or 0. If the set has max traces, it
// does not grow, and the number of others is 0. The set must have Lines.
func (t *Set) Next(p traceid.Params, number, max int) (n, before int) {
	hash := t.hash(p)
	part, i, _ := t.add(hash, max)
	if part == nil {
		return 0, 0
	}
	before = int(part.lines[i])
	next := min(math.MaxUint32, int64(before)+1)
	if int64(number) > next {
		next = min(math.MaxUint32, int64(number))
	}
	part.lines[i] = uint32(next)
	return int(next), before
}

// Last returns the last number that Next returned for a trace, or 0.
func (t *Set) Last(p traceid.Params) int {
	if t.parts == nil {
		return 0
	}
	hash := t.hash(p)
	part := t.part(hash)
	if i := part.find(hash); part.slots[i] != 0 {
		return int(part.lines[i])
	}
	return 0
}

// Again reports whether the last two calls of Add had equal params.
func (t *Set) Again() bool { return t.last.Same() }

func (t *Set) hash(p traceid.Params) uint64 {
	t.last.Compare(p)
	hash, _ := t.last.Hash(p)
	t.last.Accept(p)
	return hash
}

func (t *Set) part(hash uint64) *part { return &t.parts[hash>>t.shift] }

// add finds the part and the slot of a hash, which it adds if it is new. There is no part if it is new
// and the set has max hashes.
func (t *Set) add(hash uint64, max int) (p *part, slot int, isNew bool) {
	if t.parts == nil {
		t.parts, t.shift = []part{t.newPart(minSlots)}, 64
	}
	if p = t.part(hash); 4*p.len >= 3*len(p.slots) {
		t.grow(p)
		p = t.part(hash)
	}
	i := p.find(hash)
	switch {
	case p.slots[i] != 0:
		return p, i, false
	case t.len >= max:
		t.full = true
		return nil, 0, true
	}
	p.slots[i] = hash
	p.len++
	t.len++
	return p, i, true
}

// grow makes room in a part, or distributes a large single part over many.
func (t *Set) grow(p *part) {
	old, size := *p, len(p.slots)
	switch {
	case len(t.parts) > 1:
		*p = t.newPart(size + size/2)
	case size < maxAlone:
		*p = t.newPart(3 * size)
	default:
		t.parts, t.shift = make([]part, 1<<partBits), 64-partBits
		for i := range t.parts {
			t.parts[i] = t.newPart(2 * size >> partBits)
		}
	}

	for i, hash := range old.slots {
		if hash == 0 {
			continue
		}
		to := t.part(hash)
		j := to.find(hash)
		to.slots[j] = hash
		to.len++
		if t.Lines {
			to.lines[j] = old.lines[i]
		}
	}
}

func (t *Set) newPart(size int) part {
	p := part{slots: make([]uint64, size)}
	if t.Lines {
		p.lines = make([]uint32, size)
	}
	return p
}

// find returns the slot of the hash, or the free slot where it belongs.
func (p *part) find(hash uint64) int {
	at, _ := bits.Mul64(hash<<partBits, uint64(len(p.slots)))
	i := int(at)
	for p.slots[i] != hash && p.slots[i] != 0 {
		if i++; i == len(p.slots) {
			i = 0
		}
	}
	return i
}
