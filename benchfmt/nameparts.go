package benchfmt

import (
	"encoding/binary"
	"math/bits"

	"perfdata/traceid"
)

// This file is the fast path of reading a name: it finds the parts of the name in one look, and
// gives the params of an earlier name with the same keys the values that differ. The slow path is
// parsedName.set. With the slow path only, reading takes twice the instructions if all names
// differ.

// nameParts are the places of the parts of a name in a line, after the prefix.
type nameParts struct {
	all   [maxParts + 2]span // the base, the other parts, and the number of processors
	count int                // of all; 0 if the parts of the current name are not known
	same  int                // how many of all are those of the name before
	procs bool               // the last of all is the number of processors
	end   int                // of the name
}

// maxParts is the number of parts of a name, in addition to the base, for which there is room.
const maxParts = 14

// A span is the place of a part, and its key.
type span struct {
	value, end int    // of its value
	key        int    // length of its key; 0 for none
	word       uint64 // the first eight bytes of the key, as an integer
}

// find finds the parts of the name at the beginning of text, which goes on after the name. The name
// before is the one whose parts p has. find returns false for a long
// name, one without a base or with many parts, and one that is not followed by a blank or has other
// characters than visible ASCII.
func (p *nameParts) find(text []byte, before string) bool {
	n, start := p.keep(commonPrefix(text, before))
	p.same, p.count = n, 0

	part := span{value: start}
	for i := start; i+8 <= len(text) && i <= longName; i += 8 {
		for found := separators(binary.LittleEndian.Uint64(text[i:])); found != 0; found &= found - 1 {
			at := i + bits.TrailingZeros64(found)/8
			switch c := text[at]; {
			case c == '=':
				if start := part.value; part.key == 0 && n > 0 {
					if start == at || start+8 > len(text) {
						return false
					}
					part.key, part.value = at-start, at+1
					part.word = binary.LittleEndian.Uint64(text[start:]) & firstBytes(at-start)
				}

			case c != '/' && !isBlank(c) || n > maxParts:
				return false

			default:
				part.end = at
				p.all[n] = part
				n++
				if c != '/' {
					p.end = at
					p.splitProcs(text, n)
					return p.count > 0
				}
				part = span{value: at + 1}
			}
		}
	}
	return false
}

// keep returns how many parts end, with the slash after them, within the first bytes of the name, so
// many, and where the next part begins.
func (p *nameParts) keep(common int) (n, next int) {
	last := p.count - 1 // the part that ends with the name
	if p.procs {
		last--
	}
	for n < last && p.all[n].end < common {
		next = p.all[n].end + 1
		n++
	}
	return n, next
}

// splitProcs splits the number of processors from the last of n parts, and sets p.count unless the
// base is empty or the name is long.
func (p *nameParts) splitProcs(text []byte, n int) {
	last := &p.all[n-1]
	dash := procsDash(text[last.value:last.end])
	p.procs = dash >= 0
	if p.procs {
		dash += last.value
		p.all[n] = span{value: dash + 1, end: last.end}
		last.end = dash
		n++
	}
	if p.all[0].end > 0 && p.end <= longName {
		p.count = n
	}
}

// separators returns a word in which the highest bit of each byte of x is set that is a slash, an
// equals sign, white space, a control character, or not ASCII.
func separators(x uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	low := x &^ highs
	others := (low ^ '/'*ones + 0x7f*ones) & (low ^ '='*ones + 0x7f*ones) & (low + (0x80-'!')*ones)
	return (^others | x) & highs
}

// firstWord returns the first eight bytes of a key as an integer.
func firstWord(key string) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.LittleEndian.Uint64(first[:])
}

// firstEight returns the first eight bytes of s as an integer.
func firstEight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// firstBytes returns the bits of the first n bytes of an integer, or of all eight.
func firstBytes(n int) uint64 { return ^uint64(0) >> (64 - 8*min(n, 8)) }

// formOf returns the form of a name with these parts, or nil, and the place for it.
func (p *parsedName) formOf(parts *nameParts, text []byte) (*form, **form) {
	if f := p.form; f != nil && f.fits(parts, text, parts.same) {
		return f, nil
	}

	hash := uint64(parts.count)
	for i := range parts.all[:parts.count] {
		x := &parts.all[i]
		hash = (hash ^ x.word ^ uint64(x.key)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	parts.same = 0
	for i := range uint64(maxProbes) {
		place := &p.forms[(hash+i)%maxForms]
		if f := *place; f == nil || f.fits(parts, text, 0) {
			return f, place
		}
	}
	return nil, &p.forms[hash%maxForms]
}

// fits reports whether a name with these parts has the form, if the first ones of them, so many, are
// those of a name that has the form.
func (f *form) fits(parts *nameParts, text []byte, same int) bool {
	spans := parts.all[:parts.count]
	if len(spans) != len(f.own) || parts.procs != f.procs || !f.base {
		return false
	}
	own := f.own[:len(spans)]
	for i := same; i < len(spans); i++ {
		x, o := &spans[i], &own[i]
		if x.word != o.word || x.key != o.length || x.key > 8 && string(text[x.value-1-x.key:x.value-1]) != o.key {
			return false
		}
	}
	return true
}

// take makes p the name with this form and these parts, which text begins with.
func (p *parsedName) take(f *form, parts *nameParts, text string, config traceid.Params) {
	same := parts.same
	if !f.merged {
		f.merge(config)
		same = 0
	}
	p.text, p.form = text[:parts.end], f

	spans := parts.all[:parts.count]
	own := f.own[:len(spans)]
	for i := same; i < len(spans); i++ {
		// A value that stays the same string is cheaper for users who compare it.
		value := &f.params[own[i].at].Value
		if s := text[spans[i].value:spans[i].end]; s != *value {
			*value = s
		}
	}
}

// commonPrefix returns how many of their first bytes text and s have in common. If all of one are in
// the other, it may leave out the last seven.
func commonPrefix(text []byte, s string) int {
	n := 0
	for len(text) >= 8 && len(s) >= 8 {
		if x := binary.LittleEndian.Uint64(text) ^ firstEight(s); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		text, s = text[8:], s[8:]
		n += 8
	}
	return n
}
