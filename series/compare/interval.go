package compare

import (
	"math"

	"perfdata/series/judgment"
)

// The interval of a ratio has the ratios of all pairs of a new and an old value, in order, and leaves
// out as many at each end as the distribution of the U statistic says. All of them would be a million
// for samples of a thousand: the ratios of sorted values are sorted in rows and columns, so the k-th
// is found by bisection, without computing more than a few thousand.

// interval sets the ratio and its interval.
func (c *Comparer) interval(r *judgment.Judgment) {
	scale := scale{isRatio: c.old[0] > 0 && c.new[0] > 0, unit: math.Abs(r.Old.Median)}
	pairs := len(c.old) * len(c.new)
	switch a, b := c.kth(scale, (pairs+1)/2), c.kth(scale, pairs/2+1); { // between them is the median
	case a == b:
		r.Estimate.Ratio = scale.share(a)
	case scale.isRatio:
		r.Estimate.Ratio = float64(math.Sqrt(a) * math.Sqrt(b))
	default:
		r.Estimate.Ratio = scale.share(a + float64((b-a)/2))
	}

	sizes := [2]int{min(len(c.old), len(c.new)), max(len(c.old), len(c.new))}
	k, ok := c.ranks[sizes]
	if !ok {
		k = intervalRank(sizes[0], sizes[1], c.options.Alpha)
		c.ranks[sizes] = k
	}
	if k > 0 {
		r.Estimate.Lo, r.Estimate.Hi = scale.share(c.kth(scale, k)), scale.share(c.kth(scale, pairs+1-k))
	} else if !scale.isRatio {
		r.Estimate.Lo = math.Inf(-1)
	}
}

// A scale decides what is computed from a pair: a ratio, or if a value is not positive, a
// difference.
type scale struct {
	isRatio bool
	unit    float64 // by which differences are divided
}

// of returns the ratio or difference of a pair. It does not fall if new grows, nor if old falls.
func (s scale) of(new, old float64) float64 {
	if s.isRatio {
		return new / old
	}
	return new - old
}

// share returns what of returned as a ratio.
func (s scale) share(x float64) float64 {
	switch {
	case s.isRatio:
		return x
	case x == 0:
		return 1
	}
	return 1 + x/s.unit // infinite if the old median is 0
}

// kth returns the k-th of the pairs, from 1.
func (c *Comparer) kth(s scale, k int) float64 {
	n, m := len(c.old), len(c.new)
	lo, hi := ordered(s.of(c.new[0], c.old[n-1])), ordered(s.of(c.new[m-1], c.old[0]))
	for lo < hi {
		middle := lo + (hi-lo)/2
		if c.countUpTo(s, unordered(middle), k) >= k {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return unordered(lo)
}

// countUpTo returns the number of pairs that are not greater than x, or some number from k on.
func (c *Comparer) countUpTo(s scale, x float64, k int) int {
	count, j := 0, 0
	for i := 0; i < len(c.old) && count < k; i++ {
		for j < len(c.new) && s.of(c.new[j], c.old[i]) <= x {
			j++
		}
		count += j
	}
	return count
}

// ordered returns an integer for a number, in the order of the numbers.
func ordered(x float64) uint64 {
	bits := math.Float64bits(x + 0) // -0 is 0
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// unordered returns the number for an integer.
func unordered(n uint64) float64 {
	if n>>63 != 0 {
		return math.Float64frombits(n &^ (1 << 63))
	}
	return math.Float64frombits(^n)
}

// exactSize is the largest sample for which the exact distribution of U is used, as in benchmath.
const exactSize = 50

// intervalRank returns the rank from each end of the pairs at which the interval begins, from 1, or 0 if no
// interval has the confidence: the greatest k for which a U statistic below k has at most the probability
// alpha/2, if both samples are of one distribution.
func intervalRank(n, m int, alpha float64) int {
	if m > exactSize {
		mean := float64(n) * float64(m) / 2
		deviation := math.Sqrt(float64(n) * float64(m) * float64(n+m+1) / 12)
		return max(0, int(math.Floor(mean-0.5-float64(deviation*math.Sqrt2*math.Erfinv(1-alpha))))+1)
	}

	// The number of arrangements for each value of U: the coefficients of the product of
	// (1 - x^(m+i)) / (1 - x^i) for i from 1 to n.
	counts := make([]float64, n*m+1)
	counts[0] = 1
	for i := 1; i <= n; i++ {
		for u := n * m; u >= m+i; u-- {
			counts[u] -= counts[u-m-i]
		}
		for u := i; u <= n*m; u++ {
			counts[u] += counts[u-i]
		}
	}

	total := 0.0
	for _, count := range counts {
		total += count
	}
	k := 0
	for sum := 0.0; k < len(counts); k++ {
		if sum += counts[k]; sum > total*alpha/2 {
			break
		}
	}
	return min(k, n*m/2)
}
