// Package elementary has the logarithm and the exponential function with the same bits on all platforms.
//
// The functions of package math are assembly on some platforms, and differ in the last bit: an
// answer that must be the same everywhere cannot use them. Products are converted to float64 before
// they are added to, so that no platform fuses the two operations.
package elementary

import "math"

// Log returns the natural logarithm of x, to about 1e-15 of it. The logarithm of 0 is -Inf, and of
// a negative number NaN.
func Log(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	m, e := math.Frexp(x) // 0.5 <= m < 1
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}

	// log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), and |s| < 0.172.
	s := (m - 1) / (m + 1)
	s2 := float64(s * s)
	sum := 0.0
	for i := 21; i > 0; i -= 2 {
		sum = float64(sum*s2) + 1/float64(i)
	}
	return float64(float64(2*s)*sum) + float64(float64(e)*math.Ln2)
}

// Exp returns e to the power of x, to about 1e-13 of it.
func Exp(x float64) float64 {
	const (
		greatest = 709.79  // above it, the result is infinite
		least    = -745.14 // below it, the result is 0
	)
	switch {
	case x != x:
		return x
	case x > greatest:
		return math.Inf(1)
	case x < least:
		return 0
	}
	k := math.Floor(x / math.Ln2)
	y := x - float64(k*math.Ln2) // 0 <= y < log 2, apart from rounding
	sum := 1.0
	for i := 18; i > 0; i-- {
		sum = 1 + float64(float64(sum*y)/float64(i))
	}
	return math.Ldexp(sum, int(k))
}
