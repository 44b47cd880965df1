package change

import (
	"math"

	"perfdata/internal/elementary"
)

// Least returns the least step that would be found in the middle of the values that Find was last called
// with, as a part of the level: 0.1 for a step of 10%. It is 0 for a counter without noise, and infinite if
// there are too few values for any step. It says what "no change was found" is worth.
func (f *Finder) Least() float64 {
	n := len(f.commits.values)
	switch {
	case n < minValues:
		return math.Inf(1)
	case len(f.signal.y) == 0:
		return 0
	}
	// The logarithm of the step is between these; a step that is not found at the end is none.
	low, high := 1e-4, 10.0
	if !f.best.finds(high, n) {
		return math.Inf(1)
	}
	for high-low > 1e-4 {
		if middle := (low + high) / 2; f.best.finds(middle, n) {
			high = middle
		} else {
			low = middle
		}
	}
	return elementary.Exp(high) - 1
}

// maxNeeded bounds the answer of Needed.
const maxNeeded = 1000

// Needed returns how many values with the noise of those that Find was last called with are needed to find
// a step in the middle of them. Step is a part of the level: 0.1 for a step of 10%. It is 0 if even 1,000
// values are too few.
func (f *Finder) Needed(step float64) int {
	if len(f.commits.values) < minValues || len(f.signal.y) == 0 {
		return minValues
	}
	height := elementary.Log(1 + step)
	for n := minValues; n <= maxNeeded; n++ {
		if f.best.finds(height, n) {
			return n
		}
	}
	return 0
}

// finds reports whether a step in the middle of n values would be found. Its height is that of the logarithms.
func (m *model) finds(height float64, n int) bool {
	unit := m.unit
	if !m.isLog && m.level != 0 {
		unit /= math.Abs(m.level)
	}
	l, r := n/2, n-n/2
	free := max(1, float64(n-2))
	t := height / unit / math.Sqrt(float64(m.noise*m.contrastVariance(l, r)))
	small := usualChange / height
	x := float64(n)
	p := twoSided(t, min(free, priorValues+float64(min(n, 2*localValues)-2)))
	return float64(testsOf(x)*p*min(max(float64(small*small), leastOfLarge), mostOfSmall)) <= m.alpha
}
