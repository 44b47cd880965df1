// Package fdr adjusts p-values for the number of tests, as Benjamini and Hochberg propose (1995): it
// controls the false discovery rate.
package fdr

import (
	"cmp"
	"slices"
)

// Adjust returns q for each p: the expected share of false positives among all tests whose p is at
// most as large. Tests is the number of all tests, at least len(p): a test without a p here is
// treated as one with p = 1. No p may be NaN.
func Adjust(p []float64, tests int) (q []float64) {
	byP := make([]int, len(p))
	for i := range byP {
		byP[i] = i
	}
	slices.SortStableFunc(byP, func(a, b int) int { return cmp.Compare(p[a], p[b]) })

	q = make([]float64, len(p))
	least := 1.0
	for rank := len(byP); rank > 0; rank-- {
		i := byP[rank-1]
		least = min(least, p[i]*float64(tests)/float64(rank))
		q[i] = least
	}
	return q
}
