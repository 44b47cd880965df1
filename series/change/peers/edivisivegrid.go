package peers

import "slices"

// A grid has the sums of distances |v(i) - v(j)| of a window, from which the statistic of any
// split of any part of it follows in constant time.
//
// The sums are added in the order in which Otava adds them, so that splits which differ little
// are told apart in the same way.
type grid struct {
	values []float64
	rows   int
	row    []float64 // row t, column k: the distances of value t from the values t+1 to k-1
	within []float64 // row t, column k: the distances within [t, k)
	down   []float64 // for each end, the sum of row of the values before the split
}

func (g *grid) set(values []float64) {
	n := len(values) + 1
	g.values, g.rows = values, n
	g.row, g.within = slices.Grow(g.row[:0], n*n)[:n*n], slices.Grow(g.within[:0], n*n)[:n*n]
	clear(g.row)
	clear(g.within)
	for t := len(values) - 1; t >= 0; t-- {
		for k := t + 1; k < len(values); k++ {
			g.row[t*n+k+1] = g.row[t*n+k] + max(values[t]-values[k], values[k]-values[t])
			g.within[t*n+k+1] = g.within[t*n+n+k+1] + g.row[t*n+k+1]
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
	g.down = slices.Grow(g.down[:0], g.rows)[:g.rows]
	clear(g.down)
	at, q = lo+1, -1.0
	before := 0.0
	for t := lo + 1; t < hi; t++ {
		before += g.distances(t-1, t-1) - g.distances(t-1, lo)
		for k := t + 1; k <= hi; k++ {
			g.down[k] += g.row[(t-1)*g.rows+k]
			n, m, after := float64(t-lo), float64(k-t), g.within[t*g.rows+k]
			// A group of one value has no distances within it.
			s := float64(2 / (n + m) * (g.down[k] - before))
			s -= float64(2 * m / ((n + m) * max(1, n-1)) * before)
			s -= float64(2 * n / ((n + m) * max(1, m-1)) * after)
			if s > q {
				at, q = t, s
			}
		}
	}
	return at, q
}

// distances returns the sum of the distances of a value from the first n.
func (g *grid) distances(of, n int) (sum float64) {
	for _, v := range g.values[:n] {
		sum += max(v-g.values[of], g.values[of]-v)
	}
	return sum
}
