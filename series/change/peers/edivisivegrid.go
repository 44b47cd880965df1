package peers

import "slices"

// A grid has the sums of distances |v(i) - v(j)| of a window, from which the statistic of any
// split of any part of it follows in constant time.
//
// The sums are added in the order in which Otava adds them, so that splits which differ little
// are told apart in the same way.
type grid struct {
	n        int
	distance []float64 // n rows
	across   []float64 // row t, column k: the distances of value t from the values t+1 to k-1
	before   []float64 // the distances of value t from the values before it

	sums  []float64 // of the part: of before, up to a value
	down  []float64 // for each end, the sum of across of the values before the split
	up    []float64 // the same for the values from the split on, for the current split
	split []float64 // up for all splits
}

func (g *grid) set(values []float64) {
	n := len(values)
	g.n = n
	g.distance = slices.Grow(g.distance[:0], n*n)[:n*n]
	g.across = slices.Grow(g.across[:0], n*(n+1))[:n*(n+1)]
	g.before = slices.Grow(g.before[:0], n)[:n]
	clear(g.before)
	for t, v := range values {
		sum := 0.0
		row := g.across[t*(n+1):]
		row[t+1] = 0
		for k, w := range values {
			d := max(v-w, w-v)
			g.distance[t*n+k] = d
			if k > t {
				sum += d
				row[k+1] = sum
				g.before[k] += d
			}
		}
	}
}

// best returns the split of [lo, hi) with the largest statistic, of which only the values up to
// some end are compared, and the statistic: the first of several.
//
// For a split at t and an end k, with n = t-lo and m = k-t, it is 2/(n+m) times the distances
// between the two groups, less 2m/(n+m)/(n-1) times those within the first, less 2n/(n+m)/(m-1)
// times those within the second.
func (g *grid) best(lo, hi int) (at int, q float64) {
	n := g.n
	ends := hi + 1
	g.setSums(lo, hi)
	g.setSplits(lo, hi)
	g.down = slices.Grow(g.down[:0], ends)[:ends]
	clear(g.down)

	at, q = lo+1, -1.0
	for t := lo + 1; t < hi; t++ {
		for k := t + 1; k <= hi; k++ {
			g.down[k] += g.across[(t-1)*(n+1)+k]
			before := float64(t - lo)
			after := float64(k - t)
			all := float64(k - lo)
			s := float64(2 / all * (g.down[k] - g.sums[t]))
			if t-lo > 1 {
				s -= float64(2 * after / (all * (before - 1)) * g.sums[t])
			}

			if k-t > 1 {
				s -= float64(2 * before / (all * (after - 1)) * g.split[(t-lo)*(ends)+k])
			}
			if s > q {
				at, q = t, s
			}
		}
	}
	return at, q
}

// setSums sets sums[t] to the distances within [lo, t).
func (g *grid) setSums(lo, hi int) {
	g.sums = slices.Grow(g.sums[:0], hi+1)[:hi+1]
	g.sums[lo], g.sums[lo+1] = 0, 0
	sum := 0.0
	for t := lo + 1; t < hi; t++ {
		outside := 0.0
		for i := range lo {
			outside += g.distance[i*g.n+t]
		}
		sum += g.before[t] - outside
		g.sums[t+1] = sum
	}
}

// setSplits sets split to the distances within [t, k), for each split t and end k.
func (g *grid) setSplits(lo, hi int) {
	ends := hi + 1
	g.split = slices.Grow(g.split[:0], (hi-lo)*ends)[:(hi-lo)*ends]
	g.up = slices.Grow(g.up[:0], ends)[:ends]
	clear(g.up)
	for t := hi - 1; t > lo; t-- {
		row := g.split[(t-lo)*ends:]
		for k := t + 1; k <= hi; k++ {
			g.up[k] += g.across[t*(g.n+1)+k]
			row[k] = g.up[k]
		}
	}
}
