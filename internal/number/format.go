package number

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// AppendShortest appends a finite number as ECMAScript writes it: with the fewest digits that
// identify the float64, and with an exponent only below 1e-6 and from 1e21 on.
//
// It is fast for the numbers up to 2^53 that are integers or not below 1e-6. strconv is the slow
// path, for all numbers.
func AppendShortest(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs < 1<<53 {
		integer := uint64(int64(abs))
		if float64(int64(integer)) == abs {
			return appendInteger(appendSign(dst, f), integer)
		}
		if digits, decimals := shortest(abs); digits > 0 {
			return appendDecimal(appendSign(dst, f), integer, digits, decimals)
		}
	}
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

func appendSign(dst []byte, f float64) []byte {
	if math.Signbit(f) {
		return append(dst, '-')
	}
	return dst
}

// shortest returns the digits, and how many of them are decimals, of the number with the fewest
// digits that is nearest to f. If several have as few, it is the nearest one. The digits are 16 or
// 17, and may end in zeros. f is not an integer and is less than 2^53. If f is too small, or the
// result is not certain, the digits are 0.
//
// This is the idea of the Schubfach algorithm. In this range its arithmetic is exact. strconv takes
// three times the instructions.
func shortest(f float64) (digits uint64, decimals int) {
	// The float64 is mantissa / 2^exponent.
	b := math.Float64bits(f)
	mantissa, exponent := b&(1<<52-1), 1075-int(b>>52)
	if mantissa == 0 || f < 1e-6 {
		return 0, 0 // for powers of two, the distances to the two neighbors differ
	}

	// Choose the decimals such that there are one to ten integers between the numbers that are half
	// way to the neighbors: the last digit is a tenth of the distance to a neighbor, or more.
	decimals = (exponent*1233 + 1<<12 - 1) >> 12 // the logarithm of 2, rounded up
	power := pow5[decimals]
	high, low := bits.Mul64((mantissa|1<<52)<<1, power)
	shift := uint(exponent-decimals) + 1 // from 1 to 52: product / 2^shift is f times 10^decimals

	// Half the distance is power. It is odd, so no integer is at a boundary.
	sum, carry := bits.Add64(low, power, 0)
	last := (high+carry)<<(-shift&63) | sum>>(shift&63)
	diff, borrow := bits.Sub64(low, power, 0)
	before := (high-borrow)<<(-shift&63) | diff>>(shift&63)
	if ten := last - last%10; ten > before {
		return ten, decimals
	}

	// All of them need the last digit, so take the nearest one.
	sum, carry = bits.Add64(low, 1<<((shift-1)&63), 0)
	if sum<<(-shift&63) == 0 {
		return 0, 0 // two are equally near
	}
	return (high+carry)<<(-shift&63) | sum>>(shift&63), decimals
}

// appendDecimal appends a number without zeros at its end. Up to 22 of its digits are decimals, and
// some of these are not zero. If more than 16 are decimals, the integer before the point is 0.
//
// It writes 16 or 24 decimals, eight at a time, and then cuts off the zeros at
// their end. As some decimals are not zero, at least one is left.
func appendDecimal(dst []byte, integer, digits uint64, decimals int) []byte {
	dst = append(appendInteger(dst, integer), '.')
	var first, rest uint64 // the first eight decimals if there are more than 16, and the other 16
	if decimals <= 16 {
		rest = (digits - integer*powers[decimals]) * powers[16-decimals]
	} else {
		first, rest = digits/powers[decimals-8], digits%powers[decimals-8]*powers[24-decimals]
		first = digitsOf(first)
		dst = binary.LittleEndian.AppendUint64(dst, zeros+first)
	}
	middle, end := digitsOf(rest/1e8), digitsOf(rest%1e8)
	dst = binary.LittleEndian.AppendUint64(dst, zeros+middle)
	dst = binary.LittleEndian.AppendUint64(dst, zeros+end)

	// The last digit is the highest byte of its word. The words are the words before zeros was
	// added.
	trailing := bits.LeadingZeros64(end) / 8
	if end == 0 {
		if trailing += bits.LeadingZeros64(middle) / 8; middle == 0 {
			trailing += bits.LeadingZeros64(first) / 8
		}
	}
	return dst[:len(dst)-trailing]
}

// appendInteger appends an integer below 10^16.
func appendInteger(dst []byte, integer uint64) []byte {
	end := integer
	if integer >= 1e8 {
		dst = appendInteger(dst, integer/1e8)
		end = integer % 1e8
		return binary.LittleEndian.AppendUint64(dst, zeros+digitsOf(end))
	}
	// The bit at 56 keeps the last digit of 0. Eight bytes are written, and the number is
	// the first of them: append has made room for the rest, which is cut off.
	digits := digitsOf(end)
	leading := bits.TrailingZeros64(digits|1<<56) &^ 7 // the bits of the zeros before the number
	dst = binary.LittleEndian.AppendUint64(dst, (zeros+digits)>>leading)
	return dst[:len(dst)-leading/8]
}

// digitsOf returns the eight digits of an integer below 10^8. The first digit is the lowest byte.
func digitsOf(integer uint64) uint64 {
	// Divide the number into two lanes of four digits, these into two of two, and these again. The
	// factors are the reciprocals of 100 and 10, which are exact enough for the lanes.
	four := integer/1e4 | integer%1e4<<32
	hundreds := four * 10486 >> 20 & 0x7f0000007f
	two := hundreds | (four-hundreds*100)<<16
	tens := two * 103 >> 10 & 0x0f000f000f000f
	return tens | (two-tens*10)<<8
}

// powers has the powers of ten up to the digits of two words. An index up to 15 needs no check of its
// bounds.
var powers = [...]uint64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
}
