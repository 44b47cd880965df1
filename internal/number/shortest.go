package number

import "math"

// Shortest reports whether an integer divided by 10 to the power of decimals is what programs write
// for the nearest float64: no number with fewer digits is nearest to that float64 too, and no number
// with as many digits is nearer to it. It returns false if it is not certain.
//
// It takes no division of integers. With the bounds computed in 128 bits instead, a text of 16 or 17
// digits takes 1.6 times as long.
func Shortest(integer uint64, decimals int) bool {
	if integer < 1e15 {
		return true // a float64 holds any 15 digits
	}
	if integer >= 1e17 || decimals >= len(pow10) {
		return false
	}

	// The float64 is mantissa / 2^exponent. Both operations round, so it may be a neighbor of the
	// nearest one.
	b := math.Float64bits(float64(int64(integer)) / pow10[decimals])
	mantissa, exponent := b&(1<<52-1), 1075-int(b>>52)
	shift := uint(exponent - decimals)
	if (mantissa+1)&(1<<52-1) <= 2 || shift > 62 {
		return false // near a power of two, whose neighbors are not equally far away
	}

	// Times 2^exponent and 5^decimals, all of these are integers: the unit of the last digit, the gap
	// between the float64 and its neighbors, and how far it is below the number. The last one fits into
	// 64 bits, although its operands may not.
	unit, gap := int64(1)<<(shift&63), int64(pow5[decimals])
	below := int64(integer<<(shift&63) - (mantissa|1<<52)*uint64(gap))

	// Go to the nearest float64. The gap is odd, so no number is half way between two.
	up, down := uint64(gap-2*below)>>63, uint64(gap+2*below)>>63
	below += gap * int64(down-up)

	// The numbers with fewer digits end in 0. The next ones must be nearest to other float64s.
	last := int64(integer % 10)
	less, more := last*unit-below, (10-last)*unit+below
	return 2*max(below, -below) < unit && 2*less > gap && 2*more > gap
}
