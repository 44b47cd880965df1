// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"hash/maphash"
	"math"
	"math/bits"

	"perfdata/internal/series"
	"perfdata/internal/swar"
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
	text            []byte        // scratch
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
	t.last.Compare(p)
	earlier, known = t.AddNext(&t.last, p, line, max)
	t.last.Accept(p)
	return earlier, known
}

// AddNext is Add for params that a Series has compared. The caller may accept them afterwards. The
// Series keeps the hashes of t. All params that it accepts must have been added to t, and to no
// other Set.
func (t *Set) AddNext(s *series.Series, p traceid.Params, line, max int) (earlier int, known bool) {
	hash := t.hash(s, p)
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

// Has reports whether the trace was added.
func (t *Set) Has(p traceid.Params) bool {
	t.last.Compare(p)
	hash := t.hash(&t.last, p)
	t.last.Accept(p)
	_, found := t.part(hash).find(hash)
	return found
}

// hash returns the hash of the params p, which s has compared. It is not 0.
func (t *Set) hash(s *series.Series, p traceid.Params) uint64 {
	if t.parts == nil {
		t.keySeed, t.valueSeed = maphash.MakeSeed(), maphash.MakeSeed()
		t.parts, t.shift = []part{t.newPart(minSlots)}, 64
	}
	t.sum(s, p)
	if !s.Sum.Odd {
		return max(s.Sum.Hash, 1)
	}
	// Two keys may have the same canonical form.
	p = p.Canonical()
	t.canonical.Compare(p)
	t.sum(&t.canonical, p)
	t.canonical.Accept(p)
	return max(t.canonical.Sum.Hash, 1)
}

// sum sets the Sum of the params p, which s has compared, and the hashes of those that changed.
func (t *Set) sum(s *series.Series, p traceid.Params) {
	hashes := s.Hashes()
	if s.Rekeyed {
		for i := range hashes {
			s.Sum.Hash += hashes[i].Param
			s.Sum.Odd = s.Sum.Odd || hashes[i].Key == oddKey
		}
	}
	for i := range s.Changed {
		c := &s.Changed[i]
		h := &hashes[c.Index]
		if h.Key == 0 {
			h.Key = t.hashKey(p[c.Index].Key)
			s.Sum.Odd = s.Sum.Odd || h.Key == oddKey
		}
		hi, lo := bits.Mul64(h.Key, t.hashValue(p[c.Index].Value, c.Canonical))
		c.Hash = hi ^ lo
		s.Sum.Hash += c.Hash - h.Param
	}
}

// oddKey is the hash of all keys that are not canonical.
const oddKey = 1

// hashKey returns the hash of a key.
func (t *Set) hashKey(key string) uint64 {
	if !swar.Canonical(key) && traceid.CanonicalString(key) != key {
		return oddKey
	}
	return max(maphash.String(t.keySeed, key), oddKey+1)
}

// hashValue returns the hash of a value's canonical form. The value may be known to be canonical.
func (t *Set) hashValue(value string, canonical bool) uint64 {
	if canonical || swar.Canonical(value) {
		return maphash.String(t.valueSeed, value)
	}
	var usual *traceid.Charset
	t.text = usual.AppendString(t.text[:0], value)
	return maphash.Bytes(t.valueSeed, t.text)
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
