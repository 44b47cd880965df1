package change

import "perfdata/internal/elementary"

//go:generate go test -run ^TestCriticalValues$ -simulate 100000 .

// The axes of criticalValues.
var (
	tableLengths          = [...]float64{10, 20, 40, 80, 160, 320, 640, 1280}
	tableAutocorrelations = [...]float64{0, 0.2, 0.4, 0.6, 0.8, 0.95}
	tableLevels           = [...]float64{0.5, 0.2, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001}
)

// pValue returns the probability that a series of n values without a step, in which the
// autocorrelation is estimated as rho, has a set of steps of at least this excess. Below the
// table, the logarithm of the probability falls as between its last levels, which is slower than
// a normal distribution's.
func pValue(excess float64, n int, rho float64) float64 {
	i, u := place(tableLengths[:], float64(n), true)
	j, w := place(tableAutocorrelations[:], rho, false)
	at := func(level int) float64 {
		low := mix(criticalValues[i][j][level], criticalValues[i][j+1][level], w)
		high := mix(criticalValues[i+1][j][level], criticalValues[i+1][j+1][level], w)
		return mix(low, high, u)
	}

	last := len(tableLevels) - 1
	below := at(0)
	if excess < below {
		return 1
	}
	for k := 1; k <= last; k++ {
		above := at(k)
		if excess < above {
			part := (excess - below) / (above - below)
			return elementary.Exp(mix(elementary.Log(tableLevels[k-1]), elementary.Log(tableLevels[k]), part))
		}
		below = above
	}
	slope := elementary.Log(tableLevels[last-2]/tableLevels[last]) / max(below-at(last-2), 0.3)
	return float64(tableLevels[last] * elementary.Exp(float64(-slope*(excess-below))))
}

// place returns the place of x on an ascending axis: the index of the value before it, and how
// far it is to the next, from 0 to 1, on a logarithmic axis if logarithmic is set. Beyond an end,
// it is the end.
func place(axis []float64, x float64, logarithmic bool) (i int, part float64) {
	x = min(max(x, axis[0]), axis[len(axis)-1])
	for i+2 < len(axis) && x >= axis[i+1] {
		i++
	}
	if logarithmic {
		return i, elementary.Log(x/axis[i]) / elementary.Log(axis[i+1]/axis[i])
	}
	return i, (x - axis[i]) / (axis[i+1] - axis[i])
}

// mix returns the value between a and b that has the given part of b.
func mix(a, b, part float64) float64 {
	return float64(a*(1-part)) + float64(b*part)
}

// leastP returns a bound for the p of a step at a place in n values: the probability that all values on
// one side of it are by chance less, or greater, than all on the other side. No ranks are clearer. The
// table knows that for its shortest lengths only, and between them it would give less.
func leastP(n, at int) float64 {
	p := 2.0
	for i := 1; i <= min(at, n-at) && p > 1e-12; i++ {
		p = float64(p * (float64(i) / float64(n-i+1))) // 2 / binomial(n, at)
	}
	return min(p, 1)
}
