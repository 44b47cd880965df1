package change

import (
	"math"
	"slices"
)

const maxAutocorrelation = 0.95

// deflation returns the factor by which autocorrelation diminishes a statistic: n values of an
// AR(1) process with coefficient rho say of their mean as much as n (1-rho)/(1+rho) independent
// ones.
func deflation(rho float64) float64 {
	return math.Sqrt((1 - rho) / (1 + rho))
}

// roughAutocorrelation estimates the coefficient of an AR(1) process before steps are known, from
// the differences of values one and two places apart, of which a few steps change only a few
// (Chakar, Lebarbier, Lévy-Leduc and Robin, Bernoulli 2017).
func (r *ranking) roughAutocorrelation() float64 {
	one, two := r.medianDifference(1), r.medianDifference(2)
	if one == 0 {
		return 0
	}
	q := two / one
	return min(max(float64(q*q)-1, 0), 0.9)
}

// medianDifference returns the median of the absolute differences of ranks lag places apart. It
// counts the differences, which are small integers: sorting them took a fifth of the time of
// Find.
func (r *ranking) medianDifference(lag int) float64 {
	n := len(r.dense)
	r.counts = slices.Grow(r.counts[:0], n)[:n]
	clear(r.counts)
	for i := lag; i < n; i++ {
		d := r.dense[i] - r.dense[i-lag]
		r.counts[max(d, -d)]++
	}
	left := int32((n - lag) / 2)
	for d, c := range r.counts {
		if left -= c; left < 0 {
			return float64(d)
		}
	}
	return 0
}

// A segment has the sums of one segment between steps, from which the autocorrelation within all
// segments is computed.
type segment struct {
	squares  float64 // of the ranks, as fractions of the length
	products float64 // of neighbors
}

// measure returns the sums of the segment [a, b).
func (r *ranking) measure(a, b int) segment {
	squares, _ := r.rank(a, b)
	local := r.local[:b-a]
	var products int64
	for i := 1; i < len(local); i++ {
		products += int64(local[i-1]) * int64(local[i])
	}
	scale := float64(float64(b-a) * float64(b-a))
	return segment{float64(squares) / scale, float64(products) / scale}
}

// autocorrelation returns the coefficient within the current segments. Estimates from short
// segments are too small, by about (1 + 3 rho) / n for each mean that is subtracted (Kendall
// 1954).
func (f *Finder) autocorrelation() float64 {
	var squares, products float64
	for _, s := range f.segments {
		squares += s.squares
		products += s.products
	}
	if squares == 0 {
		return 0
	}
	rho := products / squares
	rho += (1 + float64(3*max(rho, 0))) * float64(len(f.segments)) / float64(len(f.values))
	return min(max(rho, 0), maxAutocorrelation)
}
