package drift

import (
	"bytes"
	"hash/maphash"

	"perfdata/traceid"
)

// pairs numbers the pairs of keys and canonical values. They and their texts are in a few large
// pieces of memory, which is never copied: with a string and an element of a map for each, a
// million would take three times as much.
type pairs struct {
	keys    []key
	numbers map[string]uint32 // of keys, by name

	chunks [][]pair
	len    uint32
	texts  [][]byte
	table  table
	seed   maphash.Seed

	spellings map[uint32][]string // of canonical values, if a file spells one otherwise

	shownText []byte // scratch
	hashes    []uint64
}

// A key is a canonical key.
type key struct {
	name  string
	files [2]uint32 // that have it, on each side
	last  uint32    // the last of them, plus 1

	values      [2]int // on each side: numbers of them
	distinct    int    // values
	places      int    // the numbers of the files of its values, added up
	isSplitting bool

	// Among the IDs that nothing explains, only one side has the key; either side has a value that
	// the other one lacks, and it is not the name; and the sides share no value. See findKeys.
	isOneSided, isChanged, isPure bool

	// Series that are matched are the same without it. Without a removed key that is merging, several series
	// are one; by an added key that is dividing, one series is several.
	isAdded, isRemoved, isMerging, isDividing bool
}

// A pair is a key and a canonical value.
type pair struct {
	key  uint32
	at   uint32 // of the value, in texts; it ends where that of the next pair begins
	last uint32 // the last file that has it, plus 1
	seen uint32 // flags, and the number of files that have it
}

const (
	pairBits  = 12 // of the number of a pair in its chunk
	pairChunk = 1 << pairBits
	textBits  = 20            // of the place of a text in its chunk
	textChunk = 1 << textBits // bytes; a longer text is a chunk

	isPlain = 1 << 2 // the bit after the two sides: a file spells the value in this way
	oneFile = 1 << 3
)

// isOn reports whether files of a side have the pair.
func (x *pair) isOn(side int) bool { return x.seen&(1<<side) != 0 }

// files returns the number of files that have the pair.
func (x *pair) files() int { return int(x.seen / oneFile) }

func (p *pairs) at(number uint32) *pair { return &p.chunks[number>>pairBits][number&(pairChunk-1)] }

// all calls do with each pair.
func (p *pairs) all(do func(number uint32, x *pair)) {
	for number := range p.len {
		do(number, p.at(number))
	}
}

// hash returns a number for a pair. The hash of params is the sum of these, so that params are
// easily left out.
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
		p.numbers, p.table = make(map[string]uint32), make(table)
		p.seed = maphash.MakeSeed()
	}
	n := uint32(len(p.keys))
	p.keys = append(p.keys, key{name: string(append([]byte(nil), name...))})
	p.numbers[p.keys[n].name] = n
	return n
}

// number returns the number of a pair with a canonical value. Files of both sides often have the
// same values in the same order. To try a guess first, without the table, which is too large for
// the processor's caches, saves a fifth of the time of a million names.
func (p *pairs) number(key uint32, value []byte, guess uint32) uint32 {
	if guess < p.len && p.is(guess, key, value) {
		return guess
	}
	sum := maphash.Bytes(p.seed, value) + hash(key)
	number, slot, ok := p.table.find(sum, func(number uint32) bool { return p.is(number, key, value) })
	if !ok {
		number = p.add(key, value)
		p.table[slot] = number
	}
	return number
}

// is reports whether a pair has the key and the value.
func (p *pairs) is(number, key uint32, value []byte) bool {
	return p.at(number).key == key && bytes.Equal(p.text(number), value)
}

// add adds a pair.
func (p *pairs) add(key uint32, value []byte) (number uint32) {
	if n := len(p.texts); n == 0 || len(p.texts[n-1])+len(value) >= textChunk {
		p.texts = append(p.texts, make([]byte, 0, max(textChunk, len(value))))
	}
	last := len(p.texts) - 1
	at := last<<textBits + len(p.texts[last])
	p.texts[last] = append(p.texts[last], value...)

	number = p.len
	if number%pairChunk == 0 {
		p.chunks = append(p.chunks, make([]pair, pairChunk))
	}
	*p.at(number) = pair{key: key, at: uint32(at)}
	p.len++
	return number
}

// text returns the canonical value of a pair.
func (p *pairs) text(number uint32) []byte {
	at := p.at(number).at
	chunk := p.texts[at>>textBits]
	end := len(chunk)
	if number+1 < p.len {
		if next := p.at(number + 1).at; next>>textBits == at>>textBits {
			end = int(next % textChunk)
		}
	}
	return chunk[at%textChunk : end]
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
func (p *pairs) shown(number uint32) string { return string(p.appendShown(nil, number)) }

func (p *pairs) appendShown(dst []byte, number uint32) []byte {
	if known := p.spellings[number]; len(known) == 1 {
		return append(dst, known[0]...)
	}
	return append(dst, p.text(number)...)
}

// see notes that a file of a side has a pair.
func (p *pairs) see(number, file uint32, side int) {
	x := p.at(number)
	if x.last == file+1 {
		return
	}
	x.last = file + 1
	x.seen = (x.seen | 1<<side) + oneFile
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
