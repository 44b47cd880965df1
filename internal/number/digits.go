package number

import (
	"encoding/binary"
	"math"
	"math/bits"

	"perfdata/internal/chars"
)

// This is the fast path: it reads eight digits at a time. The slow path is parse, byte by byte,
// for more than 19 digits, large exponents, and numbers near the end of a text.

// Longest is the length of the text that the fast path may look at: a sign, three words, a point,
// another word, and an exponent.
const Longest = 64

// Parse parses the JSON number at the beginning of b, which must not be empty. It returns the
// number and its length, which is 0 if b does not begin with a number. It returns an infinity for
// a number out of the range of float64. It is fast if b has 64 bytes or more.
func Parse(b []byte) (f float64, n int) {
	if len(b) < Longest-1 {
		return parse(b)
	}
	integer, decimals, n := Digits((*[Longest - 1]byte)(b))
	if n == 0 || b[n]|0x20 == 'e' {
		return Unusual(b, integer, decimals, n)
	}
	return Decimal(integer, decimals), n
}

// Unusual is Parse for a b that has 63 bytes or more, given the results of Digits. Callers that
// find out by themselves that a number ends after its digits call Decimal instead.
func Unusual(b []byte, integer uint64, decimals, n int) (f float64, length int) {
	switch {
	case n > 0 && b[n]|0x20 == 'e':
		f, length = scaled(b, n, integer, decimals)
	case n > 0:
		return Decimal(integer, decimals), n
	case b[0] == '-' && b[1]-'0' <= 9:
		if f, length = Parse(b[1:]); length > 0 {
			return -f, length + 1
		}
	}
	if length == 0 {
		return parse(b)
	}
	return f, length
}

// Begin is Parse for a b that may end within the number. The length is negative if the number may
// go on after b: 1 may be the beginning of 12, and so may a minus sign, which is not a number yet.
// It is 0 if b does not begin with a number that is finite and not longer than longest.
func Begin(b []byte, longest int) (f float64, n int) {
	if len(b) == 0 {
		return 0, -1
	}
	f, n = Parse(b)
	switch {
	case n == len(b), n == 0 && len(b) == 1 && b[0] == '-':
		return 0, -1
	case n == 0 || n > longest || math.IsInf(f, 0):
		return 0, 0
	}
	return f, n
}

// Digits reads digits, and perhaps a point with more digits, at the beginning of text. It returns
// the number without its point, how many digits come after the point, and the length of the number.
// The length is 0 if text does not begin so, begins with a superfluous zero or more than 19 digits,
// or has eight digits or more both before and after the point. An exponent may follow.
//
// The branches depend on whether a number has a point, and whether it has up to 7, 15 or 23 bytes.
// Within a file, numbers of one kind usually agree in both, so few branches are mispredicted. The
// function calls no other one, so it needs no stack. With functions for the extent and the value of
// a number instead, parsing numbers of 1 to 6 digits takes 1.7 times as long, and parsing numbers
// of 15 to 17 digits 1.3 times as long.
//
// In words that were combined with zeros, the bytes of digits are the digits from 0 to 9, and the
// first one is the lowest byte. Shifting a word up by bytes moves its digits towards the end of the
// number, as if zeros came before them, and drops the bytes after the number.
//
// It reads at most three words of text, to byte 24, and one word after a point, which has at most
// 23 bytes before it. So byte 31 is the last, and no index needs a check: where the compiler
// cannot know that, the index is masked with its greatest value.
func Digits(text *[Longest - 1]byte) (integer uint64, decimals, n int) {
	// A zero that is followed by another digit is superfluous. As a digit has no bit in other, both
	// of the first two are digits if their bits are clear.
	first := binary.LittleEndian.Uint64(text[:]) ^ zeros
	other := notDigits(first)
	if superfluous := other&0x8080|first&0xff == 0; superfluous {
		return 0, 0, 0
	}

	// Most numbers end within the first word.
	digits := 8 // before the point
	if other != 0 {
		digits = bits.TrailingZeros64(other) / 8
		if digits == 0 {
			return 0, 0, 0
		}
		if text[digits&7] != '.' {
			return EightDigits(first << (-8 * digits & 63)), 0, digits
		}

		// The digits after the point take its place: before has all bits of the bytes before it.
		// A byte after the point that is not a digit moves along, from n to n-1.
		before := (other&-other)>>7 - 1
		first = (first^first>>8)&before ^ first>>8
		if other &= other - 1; other != 0 {
			n = bits.TrailingZeros64(other) / 8
			if n == digits+1 {
				return 0, 0, 0
			}
			return EightDigits(first << (8 * (9 - n) & 63)), n - digits - 1, n
		}

		// Seven digits are in the first word, and the number goes on in the next one.
		first <<= 8
	}

	// It ends within the second word, or the third.
	integer, n = EightDigits(first), 8
	last := binary.LittleEndian.Uint64(text[8:]) ^ zeros
	if other = notDigits(last); other == 0 {
		integer, n = integer*1e8+EightDigits(last), 16
		last = binary.LittleEndian.Uint64(text[16:]) ^ zeros
		if other = notDigits(last); other == 0 {
			return 0, 0, 0
		}
	}

	// From 0 to 7 more digits. Two shifts, because one by 64 bits would be one by none.
	more := bits.TrailingZeros64(other) / 8
	integer = integer*powers[more&15] + EightDigits(last<<(8*(7-more)&63)<<8)
	n += more

	// A point among the first eight bytes was read already. It is one of the n bytes, so there are
	// n-1 digits. A zero before the point is not counted. With more than 19 of them, integer
	// has overflowed.
	if digits < 8 {
		decimals = n - digits - 1
		if decimals == 0 || n > maxDigits+1 && (n > maxDigits+2 || text[0] != '0') {
			return 0, 0, 0
		}
		return integer, decimals, n
	}
	if text[n&31] != '.' {
		if n > maxDigits {
			return 0, 0, 0
		}
		return integer, 0, n
	}

	// A large number has up to seven digits after its point.
	last = binary.LittleEndian.Uint64(text[n&31+1:]) ^ zeros
	other = notDigits(last)
	decimals = bits.TrailingZeros64(other) / 8
	if decimals == 0 || decimals == 8 || n+decimals > maxDigits {
		return 0, 0, 0
	}
	return integer*powers[decimals&15] + EightDigits(last<<(-8*decimals&63)), decimals, n + 1 + decimals
}

// scaled returns the number that the mantissa and the exponent at b[n] make, and its length, if
// the exponent has one or two digits and the result is certain. Otherwise, it returns no length.
func scaled(b []byte, n int, mantissa uint64, decimals int) (float64, int) {
	n++
	down := b[n] == '-'
	if down || b[n] == '+' {
		n++
	}
	exponent := int(b[n] - '0')
	if exponent > 9 {
		return 0, 0
	}

	n++
	if digit := b[n] - '0'; digit <= 9 {
		exponent = exponent*10 + int(digit)
		n++
		if b[n]-'0' <= 9 {
			return 0, 0
		}
	}

	if down {
		exponent = -exponent
	}
	decimals -= exponent
	switch {
	case 0 <= decimals && decimals <= maxDecimals:
		return divide(mantissa, decimals), n
	case mantissa < 1<<53 && -len(pow10) < decimals && decimals < 0:
		return float64(mantissa) * pow10[-decimals], n // both are exact, and it is rounded once
	}
	return 0, 0
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
