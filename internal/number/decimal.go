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
	// Numbers of 16 digits below 2^53 are exact too. But with that bound, whether a number with all
	// the digits of a float64 is below it would be mispredicted often.
	if integer < 1e15 && decimals < len(pow10) {
		return float64(int64(integer)) / pow10[decimals] // both are exact, and their quotient is rounded once
	}
	return long(integer, decimals)
}

// An inverse is the reciprocal of a power of ten. In base two, it has the digits of the
// reciprocal of a power of five.
type inverse struct {
	digits   uint64 // the first 64, rounded down
	exponent int    // what long adds to the exponent of its product
}

// inverses has the reciprocals of the powers of ten that divide can divide by.
var inverses = func() (all [maxDecimals + 1]inverse) {
	all[0] = inverse{math.MaxUint64, 1} // one, rounded down
	for i := 1; i <= maxDecimals; i++ {
		n := bits.Len64(pow5[i])
		digits, _ := bits.Div64(1<<(n-1), 0, pow5[i])
		all[i] = inverse{digits, 2 - n - i}
	}
	return all
}()

// long is Decimal for numbers with all the digits of a float64, usually 15 to 17. It multiplies by
// the reciprocal, and divides where the product is not exact enough, for about one number in 250.
// With the division for all of them, parsing such numbers takes 14% more time, and keyvals of such
// numbers 3%.
func long(integer uint64, decimals int) float64 {
	by := &inverses[decimals]
	up := bits.LeadingZeros64(integer)
	product, _ := bits.Mul64(integer<<(up&63), by.digits)

	// The exact product has 63 or 64 bits before its point, and is less than 2 larger. That has an
	// effect on the rounding to 53 bits only if the product is next to a multiple of half a unit,
	// which is 512 or 1024.
	if (product+1)&511 <= 1 {
		return divide(integer, decimals)
	}
	exponent := by.exponent - up
	return float64(int64(product>>1|1)) * math.Float64frombits(uint64(1023+exponent)<<52)
}

// divide is Decimal for any number. It divides integers, and rounds their quotient once.
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
