// Package swar searches text, mainly JSON, eight bytes at a time, each in one lane of a 64-bit word.
package swar

import (
	"encoding/binary"
	"math/bits"
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
// string: a quote, a backslash, a control character or a byte of a longer rune. It stops less
// than eight bytes before the end of b.
func PlainLen(b []byte, i int) int {
	rest := b[i:]
	for len(rest) >= 8 {
		if special := notPlain(binary.LittleEndian.Uint64(rest)) & Highest; special != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(special)/8
		}
		rest = rest[8:]
	}
	return len(b) - len(rest)
}

// PlainBytes returns how many bytes of w come before the first one that is not plain text, as for
// PlainLen: 8 if all are plain.
func PlainBytes(w uint64) int { return bits.TrailingZeros64(notPlain(w)&Highest) / 8 }

// Plain reports whether all of s is plain text in a JSON string.
func Plain(s string) bool {
	var special uint64
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		special |= notPlain(w)
	}
	w := uint64(Lowest * ' ')
	for i := range len(s) {
		w = w<<8 | uint64(s[i])
	}
	return (special|notPlain(w))&Highest == 0
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
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			// The brackets and braces differ only in the bits of 0x26. With these set, y, Y, _
			// and DEL become 0x7f too; the loop below tells them apart.
			bracket := (w | Lowest*0x26) ^ Lowest*0x7f
			quote := w ^ Lowest*'"'
			found := ((bracket - Lowest) &^ bracket) | ((quote - Lowest) &^ quote)
			if found &= Highest; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}

		for ; i < len(b); i++ {
			switch b[i] {
			case '{', '}', '[', ']', '"':
				return i
			}
			if i+8 < len(b) {
				break // a false match: go on with words
			}
		}
		if i >= len(b) {
			return len(b)
		}
		i++
	}
}

// EndOfText returns the index of the quote that ends the JSON string whose rest begins at b[i].
// If b has none, it returns len(b), or the index of a backslash that is the last byte.
func EndOfText(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, backslash := w^Lowest*'"', w^Lowest*'\\'
			found := ((quote - Lowest) &^ quote) | ((backslash - Lowest) &^ backslash)
			if found &= Highest; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}

		for i < len(b) && b[i] != '"' && b[i] != '\\' {
			i++
		}
		if i+1 >= len(b) || b[i] == '"' {
			return i
		}
		i += 2 // a backslash and the byte that it escapes
	}
}
