// Package fdr adjusts p-values for the number of tests, as Benjamini and Hochberg propose (1995): it
// controls the false discovery rate.
package fdr

import (
	"cmp"
	"slices"
)

// Adjust returns q for each of n values of p: the expected share of false positives among all tests whose p is at
// most as large. More is the number of other tests, each of which is treated as one with p = 1. A p
// that is NaN is not of a test, and its q is NaN.
func Adjust(n int, p func(i int) float64, more int) (q []float64) {
	q = make([]float64, n)
	var byP []int
	for i := range q {
		if q[i] = p(i); q[i] == q[i] {
			byP = append(byP, i)
		}
	}
	slices.SortStableFunc(byP, func(a, b int) int { return cmp.Compare(q[a], q[b]) })

	least := 1.0
	for rank := len(byP); rank > 0; rank-- {
		i := byP[rank-1]
		least = min(least, q[i]*float64(len(byP)+more)/float64(rank))
		q[i] = least
	}
	return q
}
