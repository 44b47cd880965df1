package number

import (
	"math"
	"math/bits"
)

// maxDecimals is the largest number of digits after the point that Decimal accepts: five to its
// power fits into 64 bits.
const maxDecimals = 27

// pow5 has the powers of five that fit into 64 bits.
var pow5 = func() (all [maxDecimals + 1]uint64) {
	all[0] = 1
	for i := range maxDecimals {
		all[i+1] = 5 * all[i]
	}
	return all
}()

// Decimal returns the float64 that is nearest to the integer divided by 10 to the power of
// decimals, which must be at most 27.
func Decimal(integer uint64, decimals int) float64 {
	if integer < 1e15 && decimals < len(pow10) {
		return float64(int64(integer)) / pow10[decimals] // both are exact, and their quotient is rounded once
	}
	return long(integer, decimals)
}

// inverses has the reciprocals of the powers of five.
var inverses = func() (all [maxDecimals + 1]inverse) {
	all[0] = inverse{math.MaxUint64, 1}
	for i := 1; i <= maxDecimals; i++ {
		n := bits.Len64(pow5[i])
		digits, _ := bits.Div64(1<<(n-1), 0, pow5[i])
		all[i] = inverse{digits, 2 - n - i}
	}
	return all
}()

// An inverse is the reciprocal of a power of five: 64 bits, rounded down.
type inverse struct {
	bits     uint64
	exponent int // of the power of ten's reciprocal: see long
}

// long is Decimal for numbers with all the digits of a float64, usually 16 or 17. It multiplies by
// the reciprocal, and divides if the product is not exact enough.
func long(integer uint64, decimals int) float64 {
	by := &inverses[decimals]
	up := bits.LeadingZeros64(integer)
	product, _ := bits.Mul64(integer<<(up&63), by.bits)

	// The exact product is less than 2 larger. That has no effect on the rounding to 53 bits unless
	// a number halfway between two float64s is so near: these numbers are multiples of 512.
	if (product+1)&511 <= 1 {
		return divide(integer, decimals)
	}
	exponent := by.exponent - up
	return float64(int64(product>>1|1)) * math.Float64frombits(uint64(1023+exponent)<<52)
}

// divide is Decimal for numbers with all the digits of a float64, usually 16 or 17. It divides
// integers, and rounds their quotient once. With strconv instead, which is made for any exponent,
// keyvals of 1 to 17 digits take 40% more instructions, and Perun's arrays 14%.
func divide(integer uint64, decimals int) float64 {
	// Both get their highest bit set, so that the quotient has 62 or 63 bits. A remainder sets the
	// lowest bit, which is far below those that are kept: then rounding knows of it.
	divisor := pow5[decimals]
	up, divisorUp := bits.LeadingZeros64(integer), bits.LeadingZeros64(divisor)
	integer <<= up
	quotient, rest := bits.Div64(integer>>2, integer<<62, divisor<<divisorUp)
	if rest != 0 {
		quotient |= 1
	}

	// A power of two changes only the exponent.
	exponent := divisorUp - up - decimals - 62
	return float64(int64(quotient)) * math.Float64frombits(uint64(1023+exponent)<<52)
}

// Shortest reports whether an integer divided by 10 to the power of decimals, from 0 to 27, is what
// programs write for the nearest float64: no number with fewer digits is nearest to that float64
// too, and no number with as many digits is nearer. It returns false if it is not certain.
func Shortest(integer uint64, decimals int) bool {
	if integer < 1e15 {
		return true // a float64 holds any 15 digits
	}

	// The float64 is mantissa * 2^exponent. Times 10^decimals, which is what the integer should be,
	// it is scaled / 2^shift.
	float := math.Float64bits(Decimal(integer, decimals))
	mantissa, exponent := float&(1<<52-1), int(float>>52)-1075
	shift := uint(-exponent - decimals)
	if mantissa == 0 || shift < 1 || shift > 62 {
		return false // for powers of two, the distances to the two neighbors differ
	}
	power := pow5[decimals]
	high, low := bits.Mul64(mantissa|1<<52, power)

	// Of the integers, this one must be the nearest one.
	sum, carry := bits.Add64(low, 1<<(shift-1), 0)
	nearest := (high+carry)<<(64-shift) | sum>>shift
	if nearest != integer || sum<<(64-shift) == 0 {
		return false
	}

	// The numbers that are nearest to the float64 are within half the distance to its neighbors,
	// which is power/2 in the unit of scaled. Twice that is odd, so no integer is at the boundary.
	// No integer between them may end in 0.
	high, low, shift = high<<1|low>>63, low<<1, shift+1
	sum, carry = bits.Add64(low, power, 0)
	last := (high+carry)<<(64-shift) | sum>>shift
	diff, borrow := bits.Sub64(low, power, 0)
	before := (high-borrow)<<(64-shift) | diff>>shift
	return last-last%10 <= before
}
