package change

import (
	"fmt"
	"math"

	"perfdata/internal/elementary"
)

// A series is too short if a step of this part of the level would not be found in the middle of it, and no more
// than this number of commits are looked at for how many are needed.
const (
	shortStep = 0.5
	maxNeeded = 1000
)

// Shortage returns how many commits are needed to find a step of 50% in the middle of values as
// noisy as the ones that Find was last called with, and 0 if these are enough. If even 1,000 are
// too few, it returns 1,001. It says what "no change was found" is worth.
func (f *Finder) Shortage() int {
	n := len(f.commits.values)
	switch {
	case n < minValues:
		return minValues // nothing is known of the noise
	case len(f.signal.y) == 0 || f.best.finds(n):
		return 0
	}
	for n++; n <= maxNeeded && !f.best.finds(n); n++ {
	}
	return n
}

// A Reach sums up for which of many series a history is too short.
type Reach struct {
	Series int // all of them
	Short  int // the series with a shortage
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

// Note returns a sentence for a number of findings of changes that exceed a threshold: that nothing
// changed, or that a change would not have been found. It is empty if neither is the case.
func (r *Reach) Note(findings int, threshold float64) string {
	needed := fmt.Sprintf("%d are needed", r.Needed)
	if r.Needed > maxNeeded {
		needed = fmt.Sprintf("more than %d are needed", maxNeeded)
	}
	none := fmt.Sprintf("no change of more than %.3g%% was found", float64(100*threshold))
	some := fmt.Sprintf("%d of %d series have too few commits to find a step of 50%% in noise like theirs: ",
		r.Short, r.Series)
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

// finds reports whether a step would be found in the middle of n values.
func (m *model) finds(n int) bool {
	height, unit := elementary.Log(1+shortStep), m.unit
	if !m.isLog && m.level != 0 {
		unit /= math.Abs(m.level)
	}
	t := height / unit / math.Sqrt(float64(m.noise*m.contrastVariance(n/2, n-n/2)))
	p := twoSided(t, min(float64(n-2), priorValues+float64(min(n, 2*localValues)-2)))
	return float64(testsOf(float64(n))*p*leastOfLarge) <= maxP
}
