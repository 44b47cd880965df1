package drift

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"

	"perfdata/series"
)

// pairs numbers the pairs of keys and canonical values.
type pairs struct {
	keys    []key
	numbers map[string]uint32 // of keys, by name

	set   set // of the number of a key, in 4 bytes, and a value
	facts list[pair]

	spellings map[uint32][]string // of canonical values, if a file spells one otherwise

	text   []byte // scratch
	hashes []uint64
}

// A key is a canonical key.
type key struct {
	name  string
	files [2]uint32 // that have it, on each side
	last  uint32    // the last of them, from 1

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
	last uint32 // the last file that has it, from 1
	seen uint32 // flags, and the number of files that have it
}

const (
	keySize = 4 // bytes

	bothSides = 1<<series.Old | 1<<series.New
	isPlain   = 1 << 2 // the bit after the two sides: a file spells the value in this way
	oneFile   = 1 << 3

	maxSpellings = 8 // of a value, that are kept
)

// isOn reports whether files of a side have the pair.
func (x *pair) isOn(side int) bool { return x.seen&(1<<side) != 0 }

// value returns the canonical value of a pair.
func (p *pairs) value(number uint32) []byte { return p.set.text(number)[keySize:] }

// hash returns a number for a pair. The hash of params is the sum of these, so that params are
// easily left out.
func hash(number uint32) uint64 {
	x := uint64(number+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key returns the number of the key of a pair.
func (p *pairs) key(number uint32) uint32 { return p.facts.at(number).key }

// keyName returns the name of the key of a pair.
func (p *pairs) keyName(number uint32) string { return p.keys[p.key(number)].name }

// addKey returns the number of a key.
func (p *pairs) addKey(name []byte) uint32 {
	if n, ok := p.numbers[string(name)]; ok {
		return n
	}
	if p.numbers == nil {
		p.numbers, p.spellings = make(map[string]uint32), make(map[uint32][]string)
	}
	n := uint32(len(p.keys))
	p.keys = append(p.keys, key{name: string(name)})
	p.numbers[p.keys[n].name] = n
	return n
}

// shown returns the value of a pair as a file spells it.
func (p *pairs) shown(number uint32) string { return string(p.appendShown(nil, number)) }

func (p *pairs) appendShown(dst []byte, number uint32) []byte {
	if known := p.spellings[number]; len(known) == 1 {
		return append(dst, known[0]...)
	}
	return append(dst, p.value(number)...)
}

// words returns hashes of the words of a value, in any case: its runs of letters and digits. A
// number has no zeros at its beginning. A key before a "=" is not a word of the value, so that
// Sort/n=64 has the words of Sort/64. The next call overwrites the result.
func (p *pairs) words(number uint32) []uint64 {
	p.text = bytes.ToLower(p.appendShown(p.text[:0], number))
	p.hashes = p.hashes[:0]
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for text := p.text; ; {
		start := bytes.IndexFunc(text, isWord)
		if start < 0 {
			return p.hashes
		}
		text = text[start:]
		end := bytes.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		if end == len(text) || text[end] != '=' {
			p.hashes = append(p.hashes, maphash.Bytes(p.set.seed, trimNumber(text[:end])))
		}
		text = text[end:]
	}
}

// spelling returns a hash of a value that its other spellings share: of the words in their order
// and the text between them, except blanks at the ends; 001 and 1.0 are 1.
func (p *pairs) spelling(number uint32) uint64 {
	text := bytes.TrimSpace(bytes.ToLower(p.appendShown(p.text[:0], number)))
	whole, fraction, ok := bytes.Cut(text, []byte("."))
	if ok && isDigits(whole) && len(bytes.Trim(fraction, "0")) == 0 {
		text = whole
	}
	return maphash.Bytes(p.set.seed, trimNumber(text))
}

// trimNumber returns a number without zeros at its beginning, and another text as it is.
func trimNumber(text []byte) []byte {
	if isDigits(text) {
		if text = bytes.TrimLeft(text, "0"); len(text) == 0 {
			return []byte("0")
		}
	}
	return text
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// hasWords reports whether a value has all words of another one, which has some.
func (p *pairs) hasWords(number, part uint32) bool {
	words, all := slices.Clone(p.words(part)), p.words(number)
	isMissing := func(word uint64) bool { return !slices.Contains(all, word) }
	return len(words) > 0 && !slices.ContainsFunc(words, isMissing)
}
