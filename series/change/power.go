package change

import (
	"fmt"
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

// shortStep is the step that a series is too short for if it would not be found.
const shortStep = 0.5

// Shortage returns how many commits are needed to find a step of 50% in the noise of the values that Find was
// last called with, and 0 if these are enough. If even 1,000 are too few, it returns 1,001.
func (f *Finder) Shortage() int {
	if f.Least() <= shortStep {
		return 0
	}
	if n := f.Needed(shortStep); n > 0 {
		return n
	}
	return maxNeeded + 1
}

// A Reach sums up for which of many series a history is too short.
type Reach struct {
	Series int // all of them
	Short  int // those with a shortage
	Needed int // the largest shortage
}

// Add adds a series, and its shortage.
func (r *Reach) Add(shortage int) {
	r.Series++
	if shortage > 0 {
		r.Short++
	}
	r.Needed = max(r.Needed, shortage)
}

// Note returns what is to be said beside a number of findings of changes that exceed a threshold: that there
// was no change, or that it would not have been found. It is empty if there is nothing to say.
func (r *Reach) Note(findings int, threshold float64) string {
	needed := fmt.Sprintf("%d are needed", r.Needed)
	if r.Needed > maxNeeded {
		needed = fmt.Sprintf("more than %d are needed", maxNeeded)
	}
	none := fmt.Sprintf("no change of more than %.3g%% was found", float64(100*threshold))
	some := fmt.Sprintf("%d of %d series have too few commits to find a step of 50%% in noise like theirs: ", r.Short, r.Series)
	switch {
	case r.Series == 0 || findings > 0 && r.Short == 0:
		return ""
	case r.Short == 0:
		return none
	case findings > 0:
		return some + needed
	case r.Short == r.Series:
		return "too few commits to find a step of 50% in noise like this: " + needed
	}
	return none + "; " + some + needed
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
