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
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		// With its second bit flipped, a quote comes right after the control characters.
		special := ((w ^ Lowest*0x02) - Lowest*0x21) | ((w ^ Lowest*'\\') - Lowest) | w
		if special &= Highest; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	return i
}

// ASCII reports whether all of s is ASCII. For short strings, it is faster than utf8.ValidString.
func ASCII(s string) bool {
	var all uint64
	for ; len(s) >= 8; s = s[8:] {
		all |= uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	for i := range len(s) {
		all |= uint64(s[i])
	}
	return all&Highest == 0
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
