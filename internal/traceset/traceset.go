// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"hash/maphash"
	"math"
	"math/bits"

	"perfdata/internal/delta"
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

	last    delta.Series   // the last trace
	text    []byte         // scratch
	settled map[uint64]int // scratch: the params that count, by the hashes of their keys
	parts   []part         // by the highest bits of the hash
	shift   int            // shifts a hash to these bits
	len     int
	full    bool
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
func (t *Set) AddNext(s *delta.Series, p traceid.Params, line, max int) (earlier int, known bool) {
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

// Again reports whether the last two calls of Add had equal params.
func (t *Set) Again() bool { return len(t.last.Changed) == 0 && !t.last.Rekeyed }

// Has reports whether the trace was added.
func (t *Set) Has(p traceid.Params) bool {
	t.last.Compare(p)
	hash := t.hash(&t.last, p)
	t.last.Accept(p)
	_, found := t.part(hash).find(hash)
	return found
}

// hash returns the hash of the params p, which s has compared. It is not 0.
func (t *Set) hash(s *delta.Series, p traceid.Params) uint64 {
	if t.parts == nil {
		t.keySeed, t.valueSeed = maphash.MakeSeed(), maphash.MakeSeed()
		t.parts, t.shift = []part{t.newPart(minSlots)}, 64
	}
	t.sum(s, p)
	return max(s.Sum, 1)
}

// sum sets the Sum of the params p, which s has compared, and the hashes of the changed ones.
func (t *Set) sum(s *delta.Series, p traceid.Params) {
	hashes := s.Hashes()
	if s.Rekeyed {
		odd := uint64(0)
		for i := range hashes {
			if hashes[i].Key == 0 {
				hashes[i].Key = t.hashKey(p[i].Key)
			}
			odd |= hashes[i].Key & oddKey
			s.Sum += hashes[i].Param
		}
		if odd != 0 {
			s.Sum = t.settle(hashes, p)
		}
	}
	for i := range s.Changed {
		c := &s.Changed[i]
		h := &hashes[c.Index]
		c.Hash = t.hashPair(h.Key, p[c.Index].Value, c.Canonical)
		s.Sum += c.Hash - h.Param
	}
}

// The hash of a key is that of its canonical form, without the lowest bit.
const (
	oddKey  = 1      // the lowest bit: the key is not canonical
	lostKey = oddKey // another key with the same canonical form counts
)

// hashKey returns the hash of a key.
func (t *Set) hashKey(key string) uint64 {
	if swar.Canonical(key) {
		return max(maphash.String(t.keySeed, key)&^oddKey, lostKey+1)
	}
	hash := t.hashText(t.keySeed, key)
	if string(t.text) != key {
		return max(hash|oddKey, lostKey+2)
	}
	return max(hash&^oddKey, lostKey+1)
}

// settle finds out which of the keys that are canonical, or become so, count: see package traceid. It
// sets the hashes, and returns the sum of the params'. Without it, each trace with such keys would
// have to be made canonical as a whole, which takes some hundred microseconds for a thousand params.
func (t *Set) settle(hashes []delta.Hash, p traceid.Params) (sum uint64) {
	clear(t.settled)
	if t.settled == nil {
		t.settled = make(map[uint64]int)
	}
	for i := range hashes {
		hashes[i].Key = t.hashKey(p[i].Key)
		canonical := hashes[i].Key | oddKey
		j, clash := t.settled[canonical]
		if clash && (hashes[j].Key&oddKey == 0 || hashes[i].Key&oddKey != 0 && p[i].Key < p[j].Key) {
			hashes[i].Key = lostKey
			continue
		}
		if clash {
			hashes[j].Key = lostKey
		}
		t.settled[canonical] = i
	}

	for i := range hashes {
		hashes[i].Param = t.hashPair(hashes[i].Key, p[i].Value, false)
		sum += hashes[i].Param
	}
	return sum
}

// hashPair returns the hash of a param, given that of its key.
func (t *Set) hashPair(key uint64, value string, canonical bool) uint64 {
	if key == lostKey {
		return 0
	}
	hi, lo := bits.Mul64(key|oddKey, t.hashValue(value, canonical))
	return hi ^ lo
}

// hashValue returns the hash of a value's canonical form. The value may be known to be canonical.
func (t *Set) hashValue(value string, canonical bool) uint64 {
	if canonical || swar.Canonical(value) {
		return maphash.String(t.valueSeed, value)
	}
	return t.hashText(t.valueSeed, value)
}

// hashText returns the hash of a text's canonical form, which is in t.text then.
func (t *Set) hashText(seed maphash.Seed, text string) uint64 {
	var usual *traceid.Charset
	t.text = usual.AppendString(t.text[:0], text)
	return maphash.Bytes(seed, t.text)
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
