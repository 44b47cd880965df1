package numbers

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"perfdata/internal/number"
)

// This is the hot loop for arrays of numbers. It reads numbers of any width eight bytes at a time,
// and knows without formatting a number that Python writes it so. With numbers of 1 to 17 digits,
// a reading that formatted those of 16 and 17 digits took 2.2 times as many instructions.

// Longest is the length of text that is looked at for one number and what follows it, in bytes.
// No number that is read is longer.
const Longest = number.Longest

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

	var alike run
	for k < len(dst) && k < len(offsets) && sep.at(text, i) {
		start := i + sep.n
		if start+Longest > len(text) {
			break
		}

		b := text[start : start+Longest]
		f, at := number.Parse(b)
		if at == 0 || at == Longest || !endsNumber(b[at]) || math.IsInf(f, 0) {
			break
		}
		dst[k], offsets[k] = f, offset+int64(start)
		k++
		before := i
		i = start + at

		if !alike.add(at) {
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
	var alike run
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

		if !alike.add(at) {
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

// A run counts numbers of the same length, one after the other.
type run struct{ length, count int }

// add adds a number to the run. It reports whether many more are likely: numbers with all digits
// often have the length of the one before by chance, and making a cell takes as long as reading
// five of them.
func (r *run) add(length int) bool {
	if length != r.length {
		*r = run{length: length}
	}
	r.count++
	return r.count%8 == 0
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

// eightDigits returns the number whose digits, from 0 to 9, are the bytes of t.
func eightDigits(t uint64) uint64 {
	t = t*10 + t>>8
	const pairs = 0x000000ff000000ff
	return ((t&pairs)*(100+1000000<<32) + (t>>16&pairs)*(1+10000<<32)) >> 32
}

// endsNumber reports whether c can follow a number.
func endsNumber(c byte) bool { return c == ',' || c == ']' || c <= ' ' }

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
	start := 0
	if b[0] == '-' {
		start = 1
	}
	integer, decimals, n := number.Plain(b[start:])
	switch {
	case n == 0 || !endsNumber(b[start+n]):
		return 0
	case decimals == 0:
		if integer == 0 && start > 0 {
			return 0 // -0
		}
	case !isPythonFloat(integer, decimals):
		return 0
	}
	return start + n
}

// isPythonFloat reports whether it is certain that Python writes a number with a point so. The
// number has no point, and decimals, which must be positive, says how many digits come after it.
func isPythonFloat(integer uint64, decimals int) bool {
	if integer%10 == 0 { // only one zero can come after the point, and no other digit
		return decimals == 1 && integer < 1e15
	}
	if decimals > 4 && integer < smallest[min(decimals, len(smallest)-1)] {
		return false // it is below 1e-4, which has an exponent
	}
	return integer < 1e17 && number.Shortest(integer, decimals)
}

// smallest has the smallest numbers with so many digits after the point that Python writes without
// an exponent, without their point. Larger ones have more than 17 digits.
var smallest = [...]uint64{
	5: 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
}
