package drift

import (
	"bytes"
	"hash/maphash"

	"perfdata/traceid"
)

// pairs numbers the pairs of keys and canonical values. The text of a million values is in one piece of
// memory: with a string and an element of a map for each, it would take three times as much.
type pairs struct {
	keys    []key
	numbers map[string]uint32 // of keys, by name

	all   []pair
	texts []byte
	slots []uint32 // numbers of pairs plus 1, by hash, or in the next free slot
	seed  maphash.Seed

	spellings map[uint32][]string // of canonical values, if a file spells one otherwise
}

// A key is a canonical key.
type key struct {
	name  string
	files [2]uint32 // that have it, on each side
	last  uint32    // the last of them, plus 1
}

// A pair is a key and a canonical value.
type pair struct {
	key      uint32
	at, size uint32 // of the value, in texts
	last     uint32 // the last file that has it, plus 1
	files    [2]uint32
	isPlain  bool // a file spells the value in this way
}

// hash returns a number for a pair. The hash of params is the sum of these, so that params are easily
// left out.
func hash(number uint32) uint64 {
	x := uint64(number+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key returns the number of a key.
func (p *pairs) key(name string) uint32 {
	if n, ok := p.numbers[name]; ok {
		return n
	}
	if p.numbers == nil {
		p.numbers = make(map[string]uint32)
		p.seed = maphash.MakeSeed()
	}
	n := uint32(len(p.keys))
	p.keys = append(p.keys, key{name: string(append([]byte(nil), name...))})
	p.numbers[p.keys[n].name] = n
	return n
}

// number returns the number of a pair with a canonical value.
func (p *pairs) number(key uint32, value []byte) uint32 {
	if 8*len(p.all) >= 5*len(p.slots) {
		p.grow()
	}
	slot := p.slot(key, value)
	if p.slots[slot] == 0 {
		p.all = append(p.all, pair{key: key, at: uint32(len(p.texts)), size: uint32(len(value))})
		p.texts = append(p.texts, value...)
		p.slots[slot] = uint32(len(p.all))
	}
	return p.slots[slot] - 1
}

func (p *pairs) slot(key uint32, value []byte) int {
	h := maphash.Bytes(p.seed, value) + hash(key)
	for i := int(h % uint64(len(p.slots))); ; i++ {
		if i == len(p.slots) {
			i = 0
		}
		n := p.slots[i]
		if n == 0 {
			return i
		}
		if known := &p.all[n-1]; known.key == key && bytes.Equal(p.text(known), value) {
			return i
		}
	}
}

func (p *pairs) text(x *pair) []byte { return p.texts[x.at : x.at+x.size] }

// value returns the canonical value of a pair.
func (p *pairs) value(number uint32) string { return string(p.text(&p.all[number])) }

func (p *pairs) grow() {
	p.slots = make([]uint32, max(256, len(p.slots)*3/2))
	for i := range p.all {
		p.slots[p.slot(p.all[i].key, p.text(&p.all[i]))] = uint32(i + 1)
	}
}

// spelled notes how a file spells a value that is not canonical.
func (p *pairs) spelled(number uint32, value string) {
	known := p.spellings[number]
	if len(known) >= maxSpellings {
		return
	}
	for _, s := range known {
		if s == value {
			return
		}
	}
	if p.spellings == nil {
		p.spellings = make(map[uint32][]string)
	}
	p.spellings[number] = append(known, string(append([]byte(nil), value...)))
}

// maxSpellings is the number of spellings of a value that are kept.
const maxSpellings = 8

// shown returns the value of a pair as a file spells it.
func (p *pairs) shown(number uint32) string {
	if known := p.spellings[number]; len(known) == 1 {
		return known[0]
	}
	return p.value(number)
}

// seen notes that a file of a side has a pair.
func (p *pairs) seen(number, file uint32, side Side) {
	x := &p.all[number]
	if x.last == file+1 {
		return
	}
	x.last = file + 1
	x.files[side]++
	if k := &p.keys[x.key]; k.last != file+1 {
		k.last = file + 1
		k.files[side]++
	}
}

// A cell is a param of the last record.
type cell struct {
	param  traceid.Param
	key    uint32
	number uint32
}
