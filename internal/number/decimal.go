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
	return divide(integer, decimals)
}

// divide is Decimal for any number. It divides integers, and rounds their quotient once.
func divide(integer uint64, decimals int) float64 {
	// Both get their highest bit set, so that the quotient has 62 or 63 bits. A remainder sets the
	// lowest bit, which is far below the kept bits, so that rounding takes it into account.
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
