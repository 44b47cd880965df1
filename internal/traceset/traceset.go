// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"hash/maphash"
	"math"
	"math/bits"

	"perfdata/internal/same"
	"perfdata/traceid"
)

// A Set remembers traces by hashes of 64 bits of their canonical params, with random seeds: among
// two million different traces, two are taken for the same with a probability of one in ten
// million. It takes 16 to 30 bytes for each trace. The zero Set is empty and ready for use.
//
// The hash of a trace is the sum of the hashes of its params. Consecutive traces of a file share
// most of their params, above all the params of the header, which may be as large as thousands of
// results. Shared params are hashed once.
type Set struct {
	keySeed, valueSeed maphash.Seed

	verbatim, canonical hashed // the last trace, and the last one with keys that are not canonical
	parts               []part // by the highest bits of the hash
	shift               int    // shifts a hash to these bits
	len                 int
	full                bool
}

// A hashed is a trace's params with their hashes.
type hashed struct {
	params       traceid.Params
	pairs, spare []pair
	sum          uint64 // of the hashes of pairs
	odd          bool   // a key is not canonical
}

// A pair has the hashes of a param.
type pair struct {
	key, hash uint64 // of the key, and of the whole
	odd       bool   // the key is not canonical
}

// A part is a hash table. A large set has many parts, so that only a small part is in memory twice
// while it grows.
type part struct {
	slots []slot // a trace is in the slot to which its hash is proportional, or in the next free one
	len   int
}

// A slot is a trace, or free if its line is 0.
type slot struct {
	hash uint64
	line uint32
}

const (
	minSlots = 16
	partBits = 8
	maxAlone = 1 << 12 // traces in a single part
)

// Add adds a trace with its line. If the trace was added before, Add returns the line of the first
// time; otherwise 0. If the set has max traces, it does not grow, and the first trace that is not
// added is reported by known = false.
func (t *Set) Add(p traceid.Params, line, max int) (earlier int, known bool) {
	want := t.slotOf(p)
	if found := t.part(want.hash).find(&want); found.line > 0 {
		return int(found.line), true
	}
	if t.full {
		return 0, true
	}
	if t.len >= max {
		t.full = true
		return 0, false
	}

	want.line = uint32(min(int64(line), math.MaxUint32))
	if t.len == maxAlone {
		t.split()
	}
	to := t.part(want.hash)
	to.grow()
	to.put(&want)
	t.len++
	return 0, true
}

// Has reports whether the trace was added.
func (t *Set) Has(p traceid.Params) bool {
	want := t.slotOf(p)
	return t.part(want.hash).find(&want).line > 0
}

// slotOf returns the slot of the trace, without a line.
func (t *Set) slotOf(p traceid.Params) slot {
	if t.parts == nil {
		t.keySeed, t.valueSeed = maphash.MakeSeed(), maphash.MakeSeed()
		t.parts, t.shift = []part{{slots: make([]slot, minSlots)}}, 64
	}
	last := &t.verbatim
	if !t.update(p, last) {
		t.sum(p, last)
	}
	if last.odd {
		// Two keys may have the same canonical form.
		last = &t.canonical
		t.sum(p.Canonical(), last)
	}
	return slot{hash: last.sum}
}

// update sets last to p if p has the same keys, and hashes only the values that differ. It returns
// false if p has other keys. It saves 30%
// of the instructions of writing Skia v1.
func (t *Set) update(p traceid.Params, last *hashed) bool {
	if len(p) != len(last.params) {
		return false
	}
	for i := range p {
		x, y := &p[i], &last.params[i]
		if same.String(x.Value, y.Value) && same.String(x.Key, y.Key) {
			continue
		}
		if x.Key != y.Key {
			return false
		}
		if x.Value == y.Value {
			continue
		}

		h := &last.pairs[i]
		last.sum -= h.hash
		h.hash = t.hash(h.key, x.Value)
		last.sum += h.hash
		*y = *x
	}
	return true
}

// sum sets last to p. It reuses the hashes of params that last has too.
func (t *Set) sum(p traceid.Params, last *hashed) {
	last.sum, last.odd = 0, false
	pairs := last.spare[:0]
	j := 0
	for _, x := range p {
		// Comparing strings that share their memory, as the header's do, is fast.
		for j < len(last.params) && last.params[j].Key < x.Key {
			j++
		}
		var h pair
		if j < len(last.params) && last.params[j] == x {
			h = last.pairs[j]
		} else {
			h = t.pair(x)
		}
		pairs = append(pairs, h)
		last.sum += h.hash
		last.odd = last.odd || h.odd
	}
	last.params = append(last.params[:0], p...)
	last.pairs, last.spare = pairs, last.pairs
}

func (t *Set) pair(x traceid.Param) pair {
	key := maphash.String(t.keySeed, x.Key)
	return pair{key: key, hash: t.hash(key, x.Value), odd: traceid.CanonicalString(x.Key) != x.Key}
}

// hash returns the hash of a param, given that of its key.
func (t *Set) hash(key uint64, value string) uint64 {
	hi, lo := bits.Mul64(key, maphash.String(t.valueSeed, traceid.CanonicalString(value)))
	return hi ^ lo
}

func (t *Set) part(hash uint64) *part { return &t.parts[hash>>t.shift] }

// find returns the slot of the trace, or the free slot where it belongs.
func (p *part) find(want *slot) *slot {
	i, _ := bits.Mul64(want.hash<<partBits, uint64(len(p.slots)))
	for {
		s := &p.slots[i]
		if s.line == 0 || s.hash == want.hash {
			return s
		}
		if i++; i == uint64(len(p.slots)) {
			i = 0
		}
	}
}

// split distributes the single part over many.
func (t *Set) split() {
	alone := t.parts[0]
	t.parts, t.shift = make([]part, 1<<partBits), 64-partBits
	for i := range t.parts {
		t.parts[i].slots = make([]slot, 2*maxAlone>>partBits)
	}
	for i := range alone.slots {
		if s := &alone.slots[i]; s.line > 0 {
			p := t.part(s.hash)
			p.grow()
			p.put(s)
		}
	}
}

// grow makes room for one more trace.
func (p *part) grow() {
	if 5*p.len < 4*len(p.slots) {
		return
	}
	old := p.slots
	*p = part{slots: make([]slot, len(old)+len(old)/2)}
	for i := range old {
		if old[i].line > 0 {
			p.put(&old[i])
		}
	}
}

func (p *part) put(s *slot) {
	*p.find(s) = *s
	p.len++
}
