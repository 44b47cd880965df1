package benchfmt

import (
	"encoding/binary"
	"math/bits"

	"perfdata/traceid"
)

// This file is the fast path of reading a name. A name usually has the keys of the one before, and
// begins with the same parts: then follow finds only the ends of the other parts. Without it,
// reading takes 13% more instructions if all names differ, in groups of five with the same keys.
// Otherwise, find finds all separators, and a form is looked up by the keys. Either way, the params
// of an earlier name with the same keys get the new values. The slow path is parsedName.set.

// nameParts are the places of the parts of a name in a line, after the prefix.
type nameParts struct {
	all   [maxParts + 2]span // the base, the other parts, and the number of processors
	count int                // of all; 0 if the parts of the current name are not known
	same  int                // how many of the first parts are equal to the parts of the name before
	last  int                // the end of the parts that may differ
	procs bool               // the last of all is the number of processors
	end   int                // of the name
}

// maxParts is the number of parts of a name, in addition to the base, for which there is room.
const maxParts = 14

// A nameText is a name without the prefix, and what comes after it.
type nameText [len(piece{}) - len(prefix)]byte

// maxName is the length of the longest name that is read so.
const maxName = 400

// A span is the place of a part, and its key.
type span struct {
	value, end int    // of its value
	key        int    // length of its key; 0 for none
	word       uint64 // the first eight bytes of the key, as an integer
}

// read finds the parts of the name at the beginning of text, which goes on after the name, and the
// form that they have, which may be nil. The name before is p's, and has so many first bytes in
// common with text. If read looked for a form, it returns the form's place. It returns false for a
// long name, one without a base or with many parts, and one that is not followed by a blank or has
// other characters than visible ASCII.
func (p *parsedName) read(parts *nameParts, text *nameText, common int) (f *form, place **form, ok bool) {
	n, start := parts.keep(common)
	if f := p.form; f != nil && parts.count > 0 && parts.follow(f, text, n, start) {
		return f, nil, true
	}
	if !parts.find(text, n, start) {
		return nil, nil, false
	}
	f, place = p.formOf(parts, text)
	return f, place, true
}

// follow finds the parts from the n-th on, which begins at start, if the name has the form of the
// name before. Parts that the names have in common are not looked at.
func (p *nameParts) follow(f *form, text *nameText, n, start int) bool {
	count, own := p.count, f.own
	last := count - 1
	if f.procs {
		last--
	}
	if count != len(own) || last < 0 {
		return false
	}
	p.same, p.count, p.procs = n, 0, f.procs

	// Find the ends of the parts.
	for i := n; ; i++ {
		part, o := &p.all[i], &own[i]
		if o.length > 0 {
			if (binary.LittleEndian.Uint64(text[start&mask:])^o.lead)&o.mask != 0 {
				return false
			}
			if o.length >= 8 && !hasKey(text, start, o.key) {
				return false
			}
			start += o.length + 1
		}

		end := text.endOfPart(start, o.also)
		*part = span{value: start, end: end, key: o.length, word: o.word}
		if i == last {
			start = end
			break
		}
		if text[end&mask] != '/' {
			return false
		}
		start = end + 1
	}

	if start > maxName || !isBlank(text[start&mask]) {
		return false
	}

	// Split the number of processors from the last part. It is usually the same as in the name before.
	p.end = start
	p.last = count

	part := &p.all[last]
	if f.procs && start >= max(8, part.value+f.end.size) &&
		(binary.LittleEndian.Uint64(text[(start-8)&mask:])^f.end.word)&f.end.mask == 0 {
		part.end -= f.end.size
		p.last--
	} else {
		dash := procsDash(text[part.value:start])
		if dash >= 0 != f.procs {
			return false
		}
		if f.procs {
			part.end = part.value + dash
		}
	}

	if f.procs {
		p.all[last+1] = span{value: part.end + 1, end: start}
	}
	if p.all[0].end == 0 {
		return false
	}
	p.count = count
	return true
}

// hasKey reports whether a part at byte i has the long key.
func hasKey(text *nameText, i int, key string) bool {
	end := i + len(key)
	return end <= maxName && string(text[i:end]) == key && text[end] == '='
}

// endOfPart returns the index in text, from i on, of the first byte that is a slash, the byte that
// also consists of, or not visible ASCII. It returns maxName or more if there is none before that.
func (text *nameText) endOfPart(i int, also uint64) int {
	for i < maxName {
		if found := separators(binary.LittleEndian.Uint64(text[i&mask:]), also); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	return i
}

// find finds the parts from the n-th on, which begins at start. The parts before it are equal to
// the parts of the name before.
func (p *nameParts) find(text *nameText, n, start int) bool {
	p.same, p.count = n, 0

	part := span{value: start}
	for i := start; i < maxName; i += 8 {
		for found := separators(binary.LittleEndian.Uint64(text[i&mask:]), equals); found != 0; found &= found - 1 {
			at := i + bits.TrailingZeros64(found)/8
			switch c := text[at&mask]; {
			case c == '=':
				if start := part.value; part.key == 0 && n > 0 {
					if start == at {
						return false
					}
					part.key, part.value = at-start, at+1
					part.word = binary.LittleEndian.Uint64(text[start&mask:]) & firstBytes(at-start)
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
func (p *nameParts) splitProcs(text *nameText, n int) {
	last := &p.all[n-1]
	dash := procsDash(text[last.value:last.end])
	p.procs = dash >= 0
	if p.procs {
		dash += last.value
		p.all[n] = span{value: dash + 1, end: last.end}
		last.end = dash
		n++
	}
	if p.all[0].end > 0 && p.end <= maxName {
		p.count, p.last = n, n
	}
}

// separators returns a word in which the highest bit of each byte of x is set that is a slash, the
// byte that also consists of, white space, a control character, or not ASCII.
func separators(x, also uint64) uint64 {
	low := x &^ highest
	others := (low ^ slashes + 0x7f*lowest) & (low ^ also + 0x7f*lowest) & (low + (0x80-'!')*lowest)
	return (^others | x) & highest
}

// Eight slashes and eight equals signs, as integers.
const (
	slashes = '/' * lowest
	equals  = '=' * lowest
)

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
func (p *parsedName) formOf(parts *nameParts, text *nameText) (*form, **form) {
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

// fits reports whether a name with these parts has the form. The first parts, as many as same says,
// are equal to the parts of a name that has the form.
func (f *form) fits(parts *nameParts, text *nameText, same int) bool {
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
	if f.state != current && f.revise(config) {
		same, parts.last = 0, parts.count
	}
	p.text, p.form = text[:parts.end], f
	f.ids.Change()

	spans := parts.all[:parts.last]
	if f.procs && parts.last == parts.count {
		// A value that stays the same string is cheaper for users who compare it.
		last := parts.count - 1
		spans = parts.all[:last]
		value := &f.params[f.own[last].at].Value
		if s := text[parts.all[last].value:parts.all[last].end]; s != *value {
			*value = s
			f.setEnd()
		}
	}
	own := f.own[:len(spans)]
	for i := same; i < len(spans); i++ {
		f.params[own[i].at].Value = text[spans[i].value:spans[i].end]
	}
}

// common returns how many of their first bytes text and s have in common. It may return less if s is
// too long.
func (text *nameText) common(s string) int {
	if len(s) < 8 {
		n := 0
		for n < len(s) && s[n] == text[n] {
			n++
		}
		return n
	}
	if len(s) > maxName {
		return 0
	}
	for n := 0; ; n += 8 {
		n = min(n, len(s)-8)
		if x := binary.LittleEndian.Uint64(text[n&mask:]) ^ firstEight(s[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		if n+8 >= len(s) {
			return len(s)
		}
	}
}
