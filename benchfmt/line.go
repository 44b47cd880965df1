package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// What a byte of a line is.
const (
	inField  = iota
	isSpace  // as unicode.IsSpace has it
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

// fieldEnd returns the end of the field that begins at i.
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

// skipSpace returns where the white space that begins at i ends.
func skipSpace(line []byte, i int) int {
	for i < len(line) {
		switch byteClass[line[i]] {
		case inField:
			return i
		case isSpace:
			i++
		default:
			r, size := utf8.DecodeRune(line[i:])
			if !unicode.IsSpace(r) {
				return i
			}
			i += size
		}
	}
	return i
}

// spaces is what eight spaces are, read as an integer.
const spaces = 0x2020202020202020

// isBlank reports whether c is what nearly all white space consists of.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isPlain reports whether c is in a field, as nearly all bytes there are.
func isPlain(c byte) bool { return c-'!' <= '~'-'!' }

// skipBlanks is skipSpace, made for white space as it mostly is: one space, or some, a tab and the spaces that
// right-align a number.
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
	if i < len(line) && isPlain(line[i]) {
		return i
	}
	return skipSpace(line, i)
}

// configLine returns the key and the value of a configuration line, and whether line is one.
func configLine(line []byte) (key, value []byte, ok bool) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case i == 0 && !unicode.IsLower(r), unicode.IsSpace(r), unicode.IsUpper(r):
			return nil, nil, false
		case r == ':':
			key, value = line[:i], line[i+1:]
			n := 0
			for n < len(value) && (value[n] == ' ' || value[n] == '\t') {
				n++
			}
			return key, value[n:], n > 0 || len(value) == 0
		}
		i += size
	}
	return nil, nil, false
}
