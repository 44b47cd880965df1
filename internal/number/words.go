package number

import (
	"encoding/binary"
	"math/bits"

	"perfdata/internal/chars"
)

// This file has the parts of the fast path.

// Len returns the length of the JSON number that b begins with, or 0 if that is none.
func Len(b []byte) int {
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i++
	}
	end := endOfDigits(b, i)
	switch {
	case end == i:
		return 0
	case b[i] == '0':
		end = i + 1
	}

	if end < len(b) && b[end] == '.' {
		point := end + 1
		if end = endOfDigits(b, point); end == point {
			return 0
		}
	}
	if end < len(b) && b[end]|0x20 == 'e' {
		first := end + 1
		if first < len(b) && (b[first] == '+' || b[first] == '-') {
			first++
		}
		if end = endOfDigits(b, first); end == first {
			return 0
		}
	}
	return end
}

// endOfDigits returns the index of the first byte, from i on, that is not a digit.
func endOfDigits(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if others := notDigits(binary.LittleEndian.Uint64(b[i:]) ^ zeros); others != 0 {
			return i + bits.TrailingZeros64(others)/8
		}
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

const (
	lowest  = chars.Lowest // the lowest bit of each byte
	highest = 0x80 * lowest
	zeros   = lowest * '0'
)

// notDigits returns a word in which the highest bit of the first byte that is not a digit is set,
// and none before it. In t, the bytes were combined with '0' by exclusive or, which makes digits, and
// nothing else, 0 to 9.
//
// Adding 0x80-10 to a byte sets its highest bit if it is 10 or more. If it is 0x8a or more, the sum
// carries into the next byte, whose bit may then be wrong: that byte is after the first that is not
// a digit.
func notDigits(t uint64) uint64 { return ((t + lowest*(0x80-10)) | t) & highest }

// EightDigits returns the number whose digits, from 0 to 9, are the bytes of t. The first is the
// lowest byte.
func EightDigits(t uint64) uint64 {
	// Two digits make a number below 100 in every other byte, in the lower byte of its pair. The
	// bytes between have no meaning, and are masked. The multiplications weigh the four pairs, and
	// add them up in the upper 32 bits: no sum is 2^32 or more, and lower ones do not carry.
	t = t*10 + t>>8
	const pairs = 0x000000ff000000ff
	return ((t&pairs)*(100+1000000<<32) + (t>>16&pairs)*(1+10000<<32)) >> 32
}

// upTo8 has the powers of ten up to 8. Its length makes bounds checks unnecessary.
var upTo8 = [16]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}
