package peers

import (
	"math"

	"github.com/aclements/go-moremath/mathx"
)

// studentTest returns the means of two samples and the p of Otava's t-test, which is Student's
// with equal variances, except that the variances of the samples are divided by n rather than
// n-1. It is NaN if all values of both are equal.
func studentTest(a, b []float64) (before, after, p float64) {
	before, va := meanVariance(a)
	after, vb := meanVariance(b)
	n, m := float64(len(a)), float64(len(b))
	df := n + m - 2
	if df <= 0 {
		return before, after, 1
	}
	v := (float64((n-1)*va) + float64((m-1)*vb)) / df
	return before, after, studentP((before-after)/math.Sqrt(v*(1/n+1/m)), df)
}

// meanVariance returns the mean of values, and the mean of the squares of their differences from
// it.
func meanVariance(values []float64) (mean, variance float64) {
	if len(values) == 0 {
		return 0, 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values))
}

// studentP returns the probability of a t that is at least as far from 0, with df degrees of
// freedom, and NaN if t is.
func studentP(t, df float64) float64 {
	switch t2 := float64(t * t); {
	case t2 != t2:
		return t
	case t2 < 1: // df/(df+t2) would be rounded to 1
		return 1 - mathx.BetaInc(t2/(df+t2), 0.5, df/2)
	default:
		return mathx.BetaInc(df/(df+t2), df/2, 0.5)
	}
}
