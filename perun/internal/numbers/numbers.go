package numbers

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"perfdata/internal/number"
)

// This is the hot loop for arrays of numbers: it reads eight bytes at a time. With it, and with
// cells, reading a million resources of four numbers each takes 40 ms instead of 390 by Element
// and Number (and a string for each), on a machine on which go-json unmarshals them in 80 to 120.

// Longest is the length of text that is looked at for one number and what follows it, in bytes.
// No number that is read is longer.
const Longest = 64

// An Array reads numbers of an array, and remembers how they are written.
//
// Each method takes the text that follows an element that was read, up to where it is known: a
// comma, usually. It reads the numbers at the text's beginning, and returns how many bytes they
// take. It stops before anything unusual, such as an exponent, a number that is not whole in the
// text, white space that varies, or a fault: the caller reads that with a JSON parser, as it must
// read an array's first element.
type Array struct{ cell cell }

// Floats appends numbers to dst, and their offsets in the input to offsets, if the text is at the
// given offset. It reads at most max numbers.
func (a *Array) Floats(dst []float64, offsets []int64, text []byte, offset int64, max int) ([]float64, []int64, int) {
	k, i := len(dst), 0
	dst, offsets = slices.Grow(dst, max)[:k+max], slices.Grow(offsets, max)[:k+max]
	if n := a.cell.read(text, dst[k:], offsets[k:], offset); n > 0 {
		k, i = k+n, n*a.cell.n
	}

	if k == len(dst) {
		return dst, offsets, i
	}

	sep := separatorOf(text[i:])
	if sep.n == 0 {
		return dst[:k], offsets[:k], i
	}

	length := 0 // of the number before
	for k < len(dst) && k < len(offsets) && sep.at(text, i) {
		start := i + sep.n
		if start+Longest > len(text) {
			break
		}

		b := text[start : start+Longest]
		f, at := shortFloat(binary.LittleEndian.Uint64(b))
		if at == 0 || at > 1 && b[0] == '0' && b[1] != '.' {
			if f, at = longFloat(b); at == 0 {
				break
			}
		}

		if !endsNumber(b[at]) {
			break
		}
		dst[k], offsets[k] = f, offset+int64(start)
		k++
		before := i
		i = start + at

		// After two numbers of the same length, there may be many.
		if at != length {
			length = at
			continue
		}
		a.cell = makeCell(text[before:], sep.n, at)
		n := a.cell.read(text[i:], dst[k:], offsets[k:], offset+int64(i))
		k, i = k+n, i+n*a.cell.n
	}
	return dst[:k], offsets[:k], i
}

// Texts appends the texts of numbers to dst, and where they end in it to ends. It reads at most
// max numbers, and stops at a number that Python would not write as it is.
func (a *Array) Texts(dst []byte, ends []uint32, text []byte, max int) ([]byte, []uint32, int) {
	sep := separatorOf(text)
	if sep.n == 0 {
		return dst, ends, 0
	}

	k := len(ends)
	ends = slices.Grow(ends, max)[:k+max]
	dst = slices.Grow(dst, 8*max+Longest)
	out, end := dst[:cap(dst)], len(dst)
	i := 0
	length := 0 // of the number before
	for k < len(ends) && sep.at(text, i) {
		start := i + sep.n
		if start+Longest > len(text) {
			break
		}

		b := text[start : start+Longest]
		at := textLen(b)
		if at == 0 {
			break
		}

		// Two words are copied, whatever the length: that takes no loop.
		if end+32 > len(out) {
			out = append(out[:end], make([]byte, 1024)...)
		}
		room := out[end : end+32]
		*(*[16]byte)(room) = *(*[16]byte)(b)
		if at > 16 {
			*(*[16]byte)(room[16:]) = *(*[16]byte)(b[16:])
		}

		end += at
		ends[k] = uint32(end)
		k++
		before := i
		i = start + at

		// After two numbers of the same length, there may be many.
		if at != length {
			length = at
			continue
		}
		c := makeCell(text[before:], sep.n, at)
		if n := c.count(text[i:], len(ends)-k); n > 0 {
			if room := n*at + maxCell; end+room > len(out) {
				out = append(out[:end], make([]byte, room+1024)...)
			}

			c.texts(text[i:], out[end:], ends[k:k+n], uint32(end))
			k, i, end = k+n, i+n*c.n, end+n*at
		}
	}
	return out[:end], ends[:k], i
}

// A separator is what is between two numbers: a comma, usually with white space.
type separator struct {
	n         int // bytes; 0: it is unknown
	first     uint64
	firstMask uint64
	last      uint64 // the last eight bytes of more than eight
	all       []byte // of more than sixteen
}

// separatorOf returns the separator that the text begins with.
func separatorOf(text []byte) (sep separator) {
	if len(text) == 0 || text[0] != ',' {
		return sep
	}
	i := 1
	for i < len(text) && i < 100 && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	if len(text)-i < Longest {
		return sep
	}
	sep.n = i
	sep.first = binary.LittleEndian.Uint64(text)
	sep.firstMask = ^uint64(0) >> (64 - 8*min(sep.n, 8))
	if sep.n > 8 {
		sep.last = binary.LittleEndian.Uint64(text[sep.n-8:])
	}
	if sep.n > 16 {
		sep.all = text[:sep.n]
	}
	return sep
}

// at reports whether the separator is at b[i].
func (sep *separator) at(b []byte, i int) bool {
	if i+8 > len(b) || (binary.LittleEndian.Uint64(b[i:])^sep.first)&sep.firstMask != 0 {
		return false
	}
	return sep.n <= 8 || sep.longAt(b, i)
}

func (sep *separator) longAt(b []byte, i int) bool {
	if i+sep.n > len(b) || binary.LittleEndian.Uint64(b[i+sep.n-8:]) != sep.last {
		return false
	}
	return sep.n <= 16 || string(b[i:i+sep.n]) == string(sep.all)
}

// Masks for looking at the eight bytes of a word at once.
const (
	lowest  = 0x0101010101010101 // the lowest bit of each byte
	highest = 0x8080808080808080
)

// notDigits returns a word in which the highest bit of a byte is set if the byte is not a digit.
// In t, the bytes were combined with '0' by exclusive or.
func notDigits(t uint64) uint64 { return ((t + lowest*(0x80-10)) | t) & highest }

// digitCount returns how many of the eight bytes of w are digits before another byte.
func digitCount(w uint64) int { return bits.TrailingZeros64(notDigits(w^lowest*'0')) / 8 }

// digits returns how many of the eight bytes of w are digits before another byte, and the number
// that they are.
func digits(w uint64) (n int, value uint64) {
	t := w ^ lowest*'0'
	n = bits.TrailingZeros64(notDigits(t)) / 8
	if n == 0 {
		return 0, 0
	}
	return n, eightDigits(t << (64 - 8*n)) // as if there were zeros before
}

// eightDigits returns the number whose digits, from 0 to 9, are the bytes of t.
func eightDigits(t uint64) uint64 {
	t = t*10 + t>>8
	const pairs = 0x000000ff000000ff
	return ((t&pairs)*(100+1000000<<32) + (t>>16&pairs)*(1+10000<<32)) >> 32
}

// endsNumber reports whether c can follow a number.
func endsNumber(c byte) bool { return c == ',' || c == ']' || c <= ' ' }

var pow10 = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}

// shortFloat returns the number that w begins with, without sign or exponent, and its length, or
// 0 if w has no such number that ends within w. It accepts leading zeros.
func shortFloat(w uint64) (f float64, length int) {
	t := w ^ lowest*'0'
	other := notDigits(t)
	n := uint(bits.TrailingZeros64(other)) / 8
	if n == 0 || n == 8 {
		return 0, 0
	}
	decimals, end := uint(0), n
	if byte(w>>(8*n)) == '.' {
		// The digits after the point take its place.
		other &= other - 1
		end = uint(bits.TrailingZeros64(other)) / 8
		if end == 8 || end == n+1 {
			return 0, 0
		}
		decimals = end - n - 1
		before := uint64(1)<<(8*n) - 1
		t = t&before | t>>8&^before
		n = end - 1
	}
	mantissa := eightDigits(t << (64 - 8*n))
	if decimals > 0 {
		return float64(mantissa) / number.Pow10(int(decimals)), int(end)
	}
	return float64(mantissa), int(end)
}

// longFloat is shortFloat for numbers of up to 15 digits, with or without a sign. It refuses
// leading zeros.
func longFloat(b []byte) (f float64, length int) {
	at := 0
	if b[0] == '-' {
		at = 1
	}

	n, mantissa := digits(binary.LittleEndian.Uint64(b[at:]))
	if n == 0 || n > 1 && b[at] == '0' {
		return 0, 0
	}

	at += n
	if n == 8 {
		var more uint64
		n, more = digits(binary.LittleEndian.Uint64(b[at:]))
		if n == 8 {
			return 0, 0
		}

		mantissa = mantissa*pow10[n] + more
		at += n
		n += 8
	}

	f = float64(mantissa)
	if b[at] == '.' {
		d, fraction := digits(binary.LittleEndian.Uint64(b[at+1:]))
		if d == 0 || n+d > 15 {
			return 0, 0
		}

		at += 1 + d
		f = float64(mantissa*pow10[d]+fraction) / number.Pow10(d)
	}
	if b[0] == '-' {
		f = -f
	}
	return f, at
}

// textLen returns the length of the number that b, which has Longest bytes, begins with, or 0 if
// it isn't certain that the number ends, and that Python would write it as it is.
func textLen(b []byte) int {
	at := digitCount(binary.LittleEndian.Uint64(b))
	if at == 8 {
		at += digitCount(binary.LittleEndian.Uint64(b[8:]))
		if at == 16 {
			at += digitCount(binary.LittleEndian.Uint64(b[16:]))
		}
	}
	if at == 0 || at == 24 || at > 1 && b[0] == '0' || b[at] == '.' {
		return longTextLen(b)
	}
	if !endsNumber(b[at]) {
		return 0
	}
	return at
}

// longTextLen is textLen for numbers that may have a sign or a point.
func longTextLen(b []byte) int {
	at := 0
	if b[0] == '-' {
		at = 1
	}

	first := at
	n := 8
	for n == 8 && at < 24 {
		n = digitCount(binary.LittleEndian.Uint64(b[at:]))
		at += n
	}

	if at == first || at-first > 19 || b[first] == '0' && (at-first > 1 || first > 0) {
		return 0 // no digit, very many, a leading zero, or -0
	}
	if b[at] == '.' {
		point := at
		n = digitCount(binary.LittleEndian.Uint64(b[at+1:]))
		at += 1 + n
		if n == 8 {
			n = digitCount(binary.LittleEndian.Uint64(b[at:]))
			at += n
		}

		small := b[first] == '0' && b[point+1] == '0'
		if n == 8 || at == point+1 || at-first > 16 || at > point+2 && (b[at-1] == '0' || small) {
			return 0
		}
	}

	if !endsNumber(b[at]) {
		return 0
	}
	return at
}
