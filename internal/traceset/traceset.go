// Package traceset detects duplicate traces in a file, for the validators and Writers of several
// formats.
package traceset

import (
	"math"
	"math/bits"

	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A Set remembers traces by hashes of 64 bits of their canonical params, with random seeds: among
// two million different traces, two are taken for the same with a probability of one in ten
// million. If there are many, it takes 13 to 20 bytes for each trace, or 19 to 28 with Lines. The
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
	late  []late        // hashes that have a slot, but are not in it yet
	len   int
	full  bool
}

// A part is a hash table. A large set has many parts, so that only a small part is in memory twice
// while it grows.
//
// The slots are in groups of eight. A hash is in the group to which it is proportional, or in the next
// one that has room. A group is filled from its first slot on. Its tags are one word: a byte of each
// hash, or 0 for a free slot. A new hash is found to be new from tags alone, which are an eighth of the
// slots' memory.
type part struct {
	tags  []uint64
	slots []uint64
	lines []uint32 // of the hashes, if they are remembered
	len   int
}

// A late hash is written when others are. The slots of a large set are not in the processor's cache:
// it fetches those of many hashes at a time, but the rest of the program would wait for one. Tags and
// late hashes together, and larger steps of growth, save a fifth of the time of writing 100,000 records
// of Skia v1; late hashes are half of that.
type late struct {
	hash uint64
	slot int
	line uint32
}

const (
	groupSlots = 8
	minGroups  = 4
	partBits   = 6
	maxAlone   = 1 << 12 // groups of a single part
	maxLate    = 64
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
	i, found := t.find(part, hash)
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

	t.len++
	part.reserve(i, hash)
	h := late{hash, i, uint32(min(int64(line), math.MaxUint32))}
	if t.late == nil {
		part.store(h)
		return 0, true
	}
	if t.late = append(t.late, h); len(t.late) == maxLate {
		t.storeLate()
	}
	return 0, true
}

// Next adds a trace, and returns its number among those that are equal, from 1: the next one, or the
// given one if that is greater. If the set has max traces, it does not grow, and the number of others
// is 0. The set must have Lines.
func (t *Set) Next(p traceid.Params, number, max int) int {
	hash := t.hash(p)
	part := t.partWithRoom(hash)
	i, found := t.find(part, hash)
	if !found {
		if t.len >= max {
			t.full = true
			return 0
		}
		t.len++
		part.reserve(i, hash)
		part.store(late{hash: hash, slot: i})
	}
	n := &part.lines[i]
	*n = uint32(min(int64(math.MaxUint32), int64(*n)+1))
	if int64(number) > int64(*n) {
		*n = uint32(min(int64(math.MaxUint32), int64(number)))
	}
	return int(*n)
}

// Last returns the last number that Next returned for a trace, or 0.
func (t *Set) Last(p traceid.Params) int {
	if t.parts == nil {
		return 0
	}
	hash := t.hash(p)
	part := t.part(hash)
	i, found := t.find(part, hash)
	if !found {
		return 0
	}
	return int(part.lines[i])
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
	_, found := t.find(t.part(hash), hash)
	return found
}

func (t *Set) part(hash uint64) *part { return &t.parts[hash>>t.shift] }

// partWithRoom returns the part to which the hash belongs. It has a free slot.
func (t *Set) partWithRoom(hash uint64) *part {
	if t.parts == nil {
		t.parts, t.shift = []part{t.newPart(minGroups)}, 64
	}
	p := t.part(hash)
	if 16*p.len < 11*len(p.slots) {
		return p
	}
	t.storeLate()
	switch groups := len(p.tags); {
	case len(t.parts) > 1:
		*p = t.moved(p, groups+groups/2)
	case groups < maxAlone:
		*p = t.moved(p, 4*groups) // with 2*groups, writing legacy files takes 5% more instructions
	default:
		t.split()
	}
	return t.part(hash)
}

func (t *Set) newPart(groups int) part {
	p := part{tags: make([]uint64, groups), slots: make([]uint64, groups*groupSlots)}
	if t.Lines {
		p.lines = make([]uint32, groups*groupSlots)
	}
	return p
}

// moved returns a larger part with the hashes of p.
func (t *Set) moved(p *part, groups int) part {
	larger := t.newPart(groups)
	p.copyTo(func(uint64) *part { return &larger })
	return larger
}

// split distributes the single part over many, which have four times the slots.
func (t *Set) split() {
	alone := t.parts[0]
	t.parts, t.shift, t.late = make([]part, 1<<partBits), 64-partBits, make([]late, 0, maxLate)
	for i := range t.parts {
		t.parts[i] = t.newPart(4 * len(alone.tags) >> partBits)
	}
	alone.copyTo(t.part)
}

// find returns the slot of the hash in its part, or the free slot where it belongs.
func (t *Set) find(p *part, hash uint64) (slot int, found bool) {
	tag := tagOf(hash) * chars.Lowest
	for g := p.group(hash); ; g = p.after(g) {
		// All bytes that match are found, and perhaps others after them.
		tags := p.tags[g]
		other := tags ^ tag
		match := (other - chars.Lowest) &^ other & chars.Highest
		if match != 0 {
			t.storeLate()
		}
		for ; match != 0; match &= match - 1 {
			if i := g*groupSlots + bits.TrailingZeros64(match)/8; p.slots[i] == hash {
				return i, true
			}
		}
		if n := used(tags); n < groupSlots {
			return g*groupSlots + n, false
		}
	}
}

// storeLate stores all late hashes.
func (t *Set) storeLate() {
	for _, h := range t.late {
		t.part(h.hash).store(h)
	}
	t.late = t.late[:0]
}

// group returns the group to which the hash is proportional.
func (p *part) group(hash uint64) int {
	g, _ := bits.Mul64(hash<<partBits, uint64(len(p.tags)))
	return int(g)
}

// after returns the next group.
func (p *part) after(g int) int {
	if g++; g == len(p.tags) {
		return 0
	}
	return g
}

// used returns how many slots of a group are not free.
func used(tags uint64) int { return (bits.Len64(tags) + 7) / 8 }

func tagOf(hash uint64) uint64 { return max(hash&0xff, 1) }

// reserve gives a free slot to a hash, which is stored later.
func (p *part) reserve(slot int, hash uint64) {
	p.tags[slot/groupSlots] |= tagOf(hash) << (slot % groupSlots * 8)
	p.len++
}

// store stores a hash in its slot.
func (p *part) store(h late) {
	p.slots[h.slot] = h.hash
	if p.lines != nil {
		p.lines[h.slot] = h.line
	}
}

// copyTo copies all hashes to other parts, which have room for them.
func (p *part) copyTo(part func(hash uint64) *part) {
	for g, tags := range p.tags {
		for i := range used(tags) {
			h := late{hash: p.slots[g*groupSlots+i]}
			if p.lines != nil {
				h.line = p.lines[g*groupSlots+i]
			}
			to := part(h.hash)
			free := to.group(h.hash)
			for used(to.tags[free]) == groupSlots {
				free = to.after(free)
			}
			h.slot = free*groupSlots + used(to.tags[free])
			to.reserve(h.slot, h.hash)
			to.store(h)
		}
	}
}
