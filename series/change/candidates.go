package change

import (
	"math"
	"slices"

	"perfdata/internal/elementary"
)

// candidates chooses the places between which the values are nearly level: every place that the
// tests may keep, and some more.
type candidates struct {
	contrast []float64 // of the means on both sides of a place: squares
	isPlace  []bool
	places   []int32   // candidates, and the ends of the series
	costs    []float64 // of the best segments up to each place
	previous []int32   // the place at which the last of these begins
}

const (
	minContrast = 2   // of a candidate, in deviations of the noise of neighbors
	segmentCost = 1.5 // of a segment, in logarithms of the number of values; the tests decide, not this
	maxLookBack = 256 // places that a segment may pass, so that time is linear
)

// choose returns steps that fit y best, for a cost of each.
func (c *candidates) choose(s *signal, steps []step) []step {
	c.find(s)
	n := len(s.y)
	cost := float64(segmentCost * elementary.Log(float64(n)))

	// The best segmentation up to each place ends with a segment after the best one up to an earlier
	// place. The sum of the squares of all values is the same for every segmentation, and left out.
	c.costs, c.previous = append(c.costs[:0], 0), append(c.previous[:0], 0)
	for j := 1; j < len(c.places); j++ {
		b := int(c.places[j])
		best, from := math.Inf(1), 0
		for i := max(0, j-maxLookBack); i < j; i++ {
			a := int(c.places[i])
			if b-a < minExcursion && a > 0 && b < n {
				continue
			}

			sum := s.sums[b] - s.sums[a]
			if x := c.costs[i] - float64(sum*sum)/float64(b-a); x < best {
				best, from = x, i
			}
		}
		c.costs, c.previous = append(c.costs, best+cost), append(c.previous, int32(from))
	}

	for j := c.previous[len(c.places)-1]; j > 0; j = c.previous[j] {
		steps = append(steps, step{at: int(c.places[j])})
	}
	slices.Reverse(steps)
	return steps
}

// find sets the places: where the means of a number of values on both sides differ more than around it.
func (c *candidates) find(s *signal) {
	n := len(s.y)
	c.isPlace = slices.Grow(c.isPlace[:0], n+1)[:n+1]
	clear(c.isPlace)
	c.contrast = slices.Grow(c.contrast[:0], n)[:n]
	for size := minEnd; size <= n/2; size += (size + 1) / 2 {
		for k := minEnd; k <= n-minEnd; k++ {
			l, r := min(size, k), min(size, n-k)
			d := s.mean(k-l, k) - s.mean(k, k+r)
			c.contrast[k] = float64(d * d * float64(l*r) / float64(l+r))
		}

		for k := minEnd; k <= n-minEnd; k++ {
			if c.contrast[k] >= minContrast*minContrast && !c.isPlace[k] {
				c.isPlace[k] = c.isGreatest(k, max(minEnd, k-size/3), min(n-minEnd, k+size/3))
			}
		}
	}

	c.places = append(c.places[:0], 0)
	for k := minEnd; k <= n-minEnd; k++ {
		if c.isPlace[k] {
			c.places = append(c.places, int32(k))
		}
	}
	c.places = append(c.places, int32(n))
}

// isGreatest reports whether no contrast from a to b is greater than the contrast of k.
func (c *candidates) isGreatest(k, a, b int) bool {
	x := c.contrast[k]
	for i := 1; k-i >= a || k+i <= b; i++ {
		if c.contrast[max(k-i, a)] > x || c.contrast[min(k+i, b)] > x {
			return false
		}
	}
	return true
}
