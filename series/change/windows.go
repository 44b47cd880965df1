package change

import (
	"math"

	"perfdata/internal/elementary"
)

// A window is a part of the series and its best split.
type window struct {
	lo, hi int
	at     int     // 0 if it is used up
	excess float64 // of the split, see excess
}

// A window whose split is weaker than this is not worth a test with the exact autocorrelation.
const minExcess = -1.0

// The shortest windows have 16 to 31 values. Shorter ones find no steps that these do not.
const minWindow = 16

// findWindows splits the whole series, and windows of a half, a quarter and so on of its length,
// which overlap by a half. A step up and a step down soon after it hide each other from a split
// of the whole series, but not from that of a window that has only one of them ("seeded binary
// segmentation", Kovács, Bühlmann, Li and Munk, Biometrika 2023).
func (f *Finder) findWindows() {
	n := len(f.values)
	deflate := deflation(f.series.roughAutocorrelation() / 2)
	f.windows = f.windows[:0]
	f.split(0, n, deflate)
	for count := 3; 2*n/(count+1) >= minWindow; count = 2*count + 1 {
		m := 2 * n / (count + 1)
		m -= (n - m) & 1 // so that windows are mirrored if the series is
		for i := range count {
			a := i * (n - m) / (count - 1)
			if 2*i >= count {
				a = n - m - (count-1-i)*(n-m)/(count-1)
			}
			f.split(a, a+m, deflate)
		}
	}
}

// split adds the window [a, b) if its best split might be a step.
func (f *Finder) split(a, b int, deflate float64) {
	at, t := f.bestSplit(a, b)
	if at == 0 {
		return
	}
	if e := float64(t*deflate) - penalty(len(f.values), at-a, b-at); e > minExcess {
		f.windows = append(f.windows, window{lo: a, hi: b, at: at, excess: e})
	}
}

// bestSplit returns the clearest split of [a, b) and its statistic, or 0.
func (f *Finder) bestSplit(a, b int) (at int, t float64) {
	m := b - a
	if m < 2*minSide {
		return 0, 0
	}
	squares, odd := f.series.rank(a, b)
	if squares == 0 {
		return 0, 0
	}

	var sum, bestSum int64
	best, most := 0, -1.0
	for i, x := range f.series.local[:m-minSide] {
		sum += int64(x)
		k := i + 1
		if k < minSide {
			continue
		}
		s := float64(sum) * float64(sum) / (float64(k) * float64(m-k))
		if s > most || s == most && distance(2*k, m) < distance(2*best, m) {
			best, bestSum, most = k, sum, s
		}
	}
	if best == 0 {
		return 0, 0
	}
	return a + best, statistic(bestSum, squares, best, m, odd)
}

// chooseSteps makes steps of the splits of windows: the clearest split first, then the clearest
// of the windows that do not contain it, and so on.
func (f *Finder) chooseSteps() {
	f.steps = f.steps[:0]
	n := len(f.values)
	for {
		best := -1
		for i, w := range f.windows {
			if w.at > 0 && (best < 0 || w.better(f.windows[best], n)) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		at := f.windows[best].at
		f.insert(at)
		for i := range f.windows {
			if w := &f.windows[i]; w.lo < at && at < w.hi {
				w.at = 0
			}
		}
	}
}

// better tells whether the split of w is clearer than that of o, or as clear and nearer to the
// middle of the n values. Ranks are equal often enough that ties matter: the choice must not
// depend on the direction of time.
func (w window) better(o window, n int) bool {
	if w.excess != o.excess {
		return w.excess > o.excess
	}
	return distance(2*w.at, n) < distance(2*o.at, n)
}

// insert adds a step in its place.
func (f *Finder) insert(at int) {
	f.steps = append(f.steps, step{})
	i := len(f.steps) - 1
	for ; i > 0 && f.steps[i-1].at > at; i-- {
		f.steps[i] = f.steps[i-1]
	}
	f.steps[i] = step{at: at, lo: at, hi: at}
}

// statistic returns how clearly m values fall into two groups, the first of which has k:
// Student's t of their ranks. sum is the sum of the first group's ranks, and squares and odd are
// what rank returned.
//
// If nearly all values are equal, as those of a counter, t means nothing, and the probability
// counts that all the odd values fall into the smaller group by chance; t is limited to what that
// allows.
func statistic(sum, squares int64, k, m, odd int) float64 {
	if squares == 0 {
		return 0
	}
	n, small := float64(m), float64(min(k, m-k))
	limit := float64(2 * float64(odd) * elementary.Log(n/small))
	explained := float64(sum) * float64(sum) * n / (small * (n - small) * float64(squares))
	t2 := limit
	if explained < 1 {
		t2 = min(limit, (n-2)*explained/(1-explained))
	}
	return math.Sqrt(t2)
}

// penalty returns the size of the statistic that the clearest of all splits with this balance, in
// n values without a step, is expected to have: short segments have more places, and need more
// (Dümbgen and Spokoiny, Annals of Statistics 2001).
func penalty(n, before, after int) float64 {
	places := float64(n) * float64(before+after) / (float64(before) * float64(after))
	return math.Sqrt(2 * (1 + elementary.Log(places)))
}
