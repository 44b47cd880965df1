package chars

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Lowest and Highest have the lowest and the highest bit of each byte set.
//
// The expressions in this package set the highest bit of each byte that matches. They may also set
// it, falsely, for later bytes, so only the first match is used.
const (
	Lowest  = 0x0101010101010101
	Highest = 0x8080808080808080
)

// PlainLen returns the index in b, from i on, of the first byte that is not plain text in a JSON
// string, or len(b): of a quote, a backslash, a control character or a byte of a longer rune.
func PlainLen(b []byte, i int) int {
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// Plain reports whether all of s is plain text in a JSON string.
func Plain(s string) bool {
	special := notPlain(end(s))
	for ; len(s) > 8; s = s[8:] {
		special |= notPlain(word(s))
	}
	return special&Highest == 0
}

// Canonical reports whether s is canonical in a trace ID with the default characters: whether it is
// not empty, and has only letters, digits, underscores, dots and dashes.
func Canonical(s string) bool {
	other := notCanonical(end(s))
	for ; len(s) > 8; s = s[8:] {
		other |= notCanonical(word(s))
	}
	return other&Highest == 0 && s != ""
}

// Hash returns a hash of s, and whether s is canonical. The seed and the factor are random, and the
// factor is odd. In two passes, with hash/maphash, writing Skia v1 takes 10% longer.
func Hash(s string, seed, factor uint64) (hash uint64, canonical bool) {
	last := end(s)
	other := notCanonical(last)
	hash = bits.RotateLeft64(seed, len(s))
	for ; len(s) > 8; s = s[8:] {
		w := word(s)
		other |= notCanonical(w)
		hash = fold(hash^w, factor)
	}
	return fold(hash^last, factor), other&Highest == 0 && s != ""
}

// fold returns a product of 128 bits as 64.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// word returns the first eight bytes of s.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// end returns the last eight bytes of s. If s is shorter, end returns each of its bytes at least once,
// and the digit 0.
func end(s string) uint64 {
	switch n := len(s); {
	case n >= 8:
		return word(s[n-8:])
	case n >= 4:
		return half(s) | half(s[n-4:])<<32
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16 | Lowest*'0'>>24<<24
	}
	return Lowest * '0'
}

// half returns the first four bytes of s.
func half(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// notCanonical sets the highest bit of each byte of w that is not a letter, a digit, an underscore, a
// dot or a dash. All matches are certain, unless w has bytes from 0x80 on.
func notCanonical(w uint64) uint64 {
	// Adding 0x80-c sets the highest bit of bytes from c on. Letters become lower case first.
	lower := w | Lowest*0x20
	letter := (lower + Lowest*(0x80-'a')) &^ (lower + Lowest*(0x7f-'z'))
	digit := (w + Lowest*(0x80-'-')) &^ (w + Lowest*(0x7f-'9')) // or a dot, a dash or a slash
	slash := (w ^ Lowest*'/') + Lowest*0x7f                     // not set: it is a slash
	underscore := (w ^ Lowest*'_') + Lowest*0x7f                // not set: it is an underscore
	return underscore&^letter&^(digit&slash) | w
}

// notPlain sets the highest bit of each byte of w that is not plain text in a JSON string. Only the
// lowest one is certain.
func notPlain(w uint64) uint64 {
	// With its second bit flipped, a quote comes right after the control characters.
	return ((w ^ Lowest*0x02) - Lowest*0x21) | ((w ^ Lowest*'\\') - Lowest) | w
}

// NextBracketOrQuote returns the index in b, from i on, of the first bracket, brace or quote, or
// len(b).
func NextBracketOrQuote(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case '{', '}', '[', ']', '"':
			return i
		}
	}
	return len(b)
}

// AfterSpace returns the index in b, from i on, of the first byte that is not JSON's white space, or
// len(b). In an indented array of numbers, a quarter of the text is white space.
func AfterSpace(b []byte, i int) int {
	const spaces = ' ' * Lowest
	for i < len(b) {
		switch b[i] {
		case '\n', ' ':
			// Usually a line's indentation follows, or one space.
			for i++; i+8 <= len(b); i += 8 {
				if x := binary.LittleEndian.Uint64(b[i:]) ^ spaces; x != 0 {
					i += bits.TrailingZeros64(x) / 8
					break
				}
			}
		case '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// EndOfText returns the index of the quote that ends the JSON string whose rest begins at b[i].
// If b has none, it returns len(b), or the index of a backslash that is the last byte.
func EndOfText(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch {
		case b[i] == '"', b[i] == '\\' && i+1 == len(b):
			return i
		case b[i] == '\\':
			i++ // and the byte that it escapes
		}
	}
	return len(b)
}

// JSONText goes over the text of a JSON string, from i on. It returns the index of the quote that ends the
// text, of the first control character or escape sequence that is not good, or len(b); and what the text
// before has.
func JSONText(b []byte, i int) (end int, escaped, ascii bool) {
	for ascii = true; ; {
		i = PlainLen(b, i)
		switch {
		case i == len(b) || b[i] == '"' || b[i] < ' ':
			return i, escaped, ascii
		case b[i] == '\\':
			n, ok := EscapeLen(b[i:])
			if !ok {
				return i, escaped, ascii
			}
			escaped = true
			i += n
		default:
			ascii = false
			i++
		}
	}
}

// EscapeLen returns the length of the escape sequence that b begins with. If it is not good, EscapeLen
// returns the index of the first wrong byte, or len(b) if the rest is missing.
func EscapeLen(b []byte) (n int, ok bool) {
	switch {
	case len(b) == 1 || b[1] != 'u' && strings.IndexByte(`"\/bfnrt`, b[1]) < 0:
		return 1, false
	case b[1] != 'u':
		return 2, true
	}
	for n = 2; n < len(`\u0000`); n++ {
		if n == len(b) || b[n]-'0' > 9 && b[n]|0x20-'a' > 5 {
			return n, false
		}
	}
	return n, true
}
