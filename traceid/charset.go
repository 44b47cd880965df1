package traceid

import (
	"slices"
	"unicode/utf8"
)

// A Charset is the set of characters that are allowed in canonical trace ids. A nil *Charset, or
// the zero Charset, is the default: A-Z a-z 0-9 . _ and -. An instance of Skia Perf can be
// configured to allow other characters. [NewCharset] makes such a set.
//
// A Charset does not change. Several goroutines may use it.
type Charset struct {
	canonical [256]byte       // by byte: itself if it is in the set, otherwise _, or from 0x80 on 0
	wide      func(rune) bool // for the runes from 0x80 on
}

var defaultCharset = NewCharset(func(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-'
})

// NewCharset returns the set of the characters for which allowed returns true. The separators , =
// and ; are never in the set. The replacement _ always is. The Charset keeps allowed and calls it
// for characters outside ASCII, so allowed must always return the same results, and several
// goroutines must be able to call it at once.
func NewCharset(allowed func(rune) bool) *Charset {
	c := &Charset{wide: allowed}
	for b := range byte(utf8.RuneSelf) {
		c.canonical[b] = '_'
		if b != ',' && b != '=' && b != ';' && allowed(rune(b)) {
			c.canonical[b] = b
		}
	}
	return c
}

func (c *Charset) orDefault() *Charset {
	if c == nil || c.wide == nil {
		return defaultCharset
	}
	return c
}

// ID returns the canonical id of p, or "" if p is empty.
func (c *Charset) ID(p Params) string { return string(c.AppendID(nil, p)) }

// AppendID appends the canonical id of p to dst and returns the extended slice. It appends nothing
// if p is empty. If the keys of p are canonical, it allocates only to extend dst.
func (c *Charset) AppendID(dst []byte, p Params) []byte {
	if len(p) == 0 {
		return dst
	}
	c = c.orDefault()
	for i := range p {
		if i > 0 && p[i].Key <= p[i-1].Key || !c.allows(p[i].Key) {
			// A key changes, and perhaps the order of the keys.
			p = c.Canonical(p)
			break
		}
	}

	dst = append(dst, ',')
	for i := range p {
		dst = append(dst, p[i].Key...)
		dst = append(dst, '=')
		dst = c.appendString(dst, p[i].Value)
		dst = append(dst, ',')
	}
	return dst
}

// Canonical returns p with keys and values that are canonical in c, or p itself if they all are. For
// keys that become equal, see the package comment.
func (c *Charset) Canonical(p Params) Params {
	c = c.orDefault()
	if _, unsorted := p.unsorted(); unsorted {
		p = FromPairs(p...)
	}
	if !slices.ContainsFunc(p, func(x Param) bool { return !c.allows(x.Key) || !c.allows(x.Value) }) {
		return p
	}

	type entry struct {
		Param
		was string // the original key
	}
	entries := make([]entry, len(p))
	for i, x := range p {
		entries[i] = entry{Param{c.canonicalString(x.Key), c.canonicalString(x.Value)}, x.Key}
	}
	// Stable: keys that became equal keep their order.
	slices.SortStableFunc(entries, func(a, b entry) int { return compareKeys(a.Param, b.Param) })
	out := make(Params, 0, len(p))
	settled := false // the last key of out was canonical already
	for i, e := range entries {
		switch {
		case i == 0 || e.Key != entries[i-1].Key:
			out = append(out, e.Param)
		case settled:
			continue
		default:
			out[len(out)-1] = e.Param
		}
		settled = e.was == e.Key
	}
	return out
}

// canonicalString returns s as a key or value of a canonical id. It replaces each rune outside the
// set, and each byte of invalid UTF-8, by _. An empty s becomes _.
func (c *Charset) canonicalString(s string) string {
	c = c.orDefault()
	if c.allows(s) {
		return s
	}
	return string(c.appendString(nil, s))
}

// AppendString appends s as a key or value of a canonical id to dst and returns the extended slice.
// It replaces characters as [CanonicalString] does.
func (c *Charset) AppendString(dst []byte, s string) []byte {
	return c.orDefault().appendString(dst, s)
}

// plain reports whether s is canonical ASCII, or empty. Most strings are, and looking at four bytes
// at a time takes a third of the instructions of replacing each.
func (c *Charset) plain(s string) bool {
	t := &c.canonical
	changes := byte(0)
	for ; len(s) >= 4; s = s[4:] {
		changes |= (t[s[0]] ^ s[0]) | (t[s[1]] ^ s[1]) | (t[s[2]] ^ s[2]) | (t[s[3]] ^ s[3])
	}
	for i := range len(s) {
		changes |= t[s[i]] ^ s[i]
	}
	return changes == 0
}

// allows reports whether s is canonical.
func (c *Charset) allows(s string) bool {
	if c.plain(s) {
		return s != ""
	}
	for i, r := range s {
		if !c.allowsRune(r, s[i:]) {
			return false
		}
	}
	return true
}

// allowsRune reports whether r, the first rune of rest, is in the set.
func (c *Charset) allowsRune(r rune, rest string) bool {
	if r < utf8.RuneSelf {
		return c.canonical[r] == byte(r)
	}
	if r == utf8.RuneError {
		if _, size := utf8.DecodeRuneInString(rest); size == 1 {
			return false // a byte of invalid UTF-8
		}
	}
	return c.wide(r)
}

// appendString appends canonicalString of s.
func (c *Charset) appendString(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, '_')
	}
	start := len(dst)
	if dst = append(dst, s...); c.plain(s) {
		return dst
	}
	for i, b := range dst[start:] {
		if dst[start+i] = c.canonical[b]; dst[start+i] != 0 {
			continue
		}

		// The text is not ASCII.
		dst = dst[:start]
		for i, r := range s {
			if !c.allowsRune(r, s[i:]) {
				r = '_'
			}
			dst = utf8.AppendRune(dst, r)
		}
		break
	}
	return dst
}
