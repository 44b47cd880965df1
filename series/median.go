package series

import (
	"math"
	"slices"
)

// Median sorts values, and returns their median: the mean of the two in the middle if their number is
// even. It is NaN if a value is, or if there are none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	if math.IsNaN(values[0]) { // NaN sorts first
		return math.NaN()
	}
	a, b := values[(n-1)/2], values[n/2]
	if sum := a + b; !math.IsInf(sum, 0) {
		return sum / 2
	}
	return float64(a/2) + float64(b/2)
}
