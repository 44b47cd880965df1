package number

import "perfdata/internal/chars"

// This file has the parts of the fast path.

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
