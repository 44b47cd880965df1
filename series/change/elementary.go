package change

import "math"

// The logarithm and the exponential function are written out here, because those of package math
// are assembly on some platforms and differ in the last bit. Products are converted to float64
// before they are added to, so that no platform fuses the two operations.

// log returns the natural logarithm of a positive finite number, to about 1e-15.
func log(x float64) float64 {
	m, e := math.Frexp(x) // 0.5 <= m < 1
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	// log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), and |s| < 0.172.
	s := (m - 1) / (m + 1)
	s2 := s * s
	sum := 0.0
	for i := 21; i > 0; i -= 2 {
		sum = float64(sum*s2) + 1/float64(i)
	}
	return float64(float64(2*s)*sum) + float64(float64(e)*math.Ln2)
}

// exp returns e to the power of x, to about 1e-14, for x from -700 to 0. It is 0 below, and 1
// above.
func exp(x float64) float64 {
	if x >= 0 {
		return 1
	}
	if x < -700 {
		return 0
	}
	k := math.Floor(x / math.Ln2)
	y := x - float64(k*math.Ln2) // 0 <= y < log 2
	sum := 1.0
	for i := 18; i > 0; i-- {
		sum = 1 + float64(float64(sum*y)/float64(i))
	}
	return math.Ldexp(sum, int(k))
}
