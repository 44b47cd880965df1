package benchfmt

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// prefix begins every result line.
const prefix = "Benchmark"

// Classes of bytes.
const (
	inField  = iota
	isSpace  // as in unicode.IsSpace
	notASCII // the first byte of a character that may be a space
)

var byteClass = func() (class [256]byte) {
	for _, c := range "\t\n\v\f\r " {
		class[c] = isSpace
	}
	for c := utf8.RuneSelf; c < len(class); c++ {
		class[c] = notASCII
	}
	return class
}()

// fieldEnd returns the end of the field that begins at byte i.
func fieldEnd(line []byte, i int) int {
	for i < len(line) {
		switch byteClass[line[i]] {
		case inField:
			i++
		case isSpace:
			return i
		default:
			r, size := utf8.DecodeRune(line[i:])
			if unicode.IsSpace(r) {
				return i
			}
			i += size
		}
	}
	return i
}

// skipSpace returns the end of the white space that begins at byte i.
func skipSpace(line []byte, i int) int {
	return len(line) - len(bytes.TrimLeftFunc(line[i:], unicode.IsSpace))
}

// spaces is eight spaces, as an integer.
const spaces = 0x2020202020202020

// isBlank reports whether c is a space or a tab. Nearly all white space consists of these.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isPlain reports whether c is a visible ASCII character. Nearly all fields consist of these.
func isPlain(c byte) bool { return c-'!' <= '~'-'!' }

// skipBlanks is skipSpace, fast for the usual white space: one space, or a tab with the spaces
// that right-align a number.
func skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
		for i+8 <= len(line) {
			x := binary.LittleEndian.Uint64(line[i:]) ^ spaces
			if x != 0 {
				i += bits.TrailingZeros64(x) / 8
				break
			}
			i += 8
		}
	}
	if i == len(line) || isPlain(line[i]) {
		return i
	}
	return skipSpace(line, i)
}

// configLine returns the key and the value of a configuration line, and false for any other line.
func configLine(line []byte) (key, value []byte, ok bool) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case i == 0 && !unicode.IsLower(r), unicode.IsSpace(r), unicode.IsUpper(r):
			return nil, nil, false
		case r == ':':
			key, value = line[:i], line[i+1:]
			n := 0
			for n < len(value) && isBlank(value[n]) {
				n++
			}
			return key, value[n:], n > 0 || len(value) == 0
		}
		i += size
	}
	return nil, nil, false
}
