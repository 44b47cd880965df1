package peers

import "math"

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
	t := (before - after) / math.Sqrt(v*(1/n+1/m))
	if math.IsNaN(t) {
		return before, after, math.NaN()
	}
	return before, after, studentP(t, df)
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
// freedom: the regularized incomplete beta function of df/(df+t^2), df/2 and 1/2.
func studentP(t, df float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	t2 := float64(t * t)
	x := df / (df + t2)
	y := t2 / (df + t2) // 1-x, without cancellation
	a, b := df/2, 0.5
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(float64(a*math.Log(x)) + float64(b*math.Log(y)) + lab - la - lb)
	if x < (a+1)/(a+b+2) {
		return front * betaFraction(a, b, x) / a
	}
	return 1 - float64(front*betaFraction(b, a, y)/b)
}

// betaFraction returns the continued fraction of the incomplete beta function (DLMF 8.17.22), by
// the method of Lentz.
func betaFraction(a, b, x float64) float64 {
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}

	d = 1 / d
	f := d
	for m := 1.0; m < 10_000; m++ {
		for _, step := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d = 1 + float64(step*d)
			if math.Abs(d) < tiny {
				d = tiny
			}

			c = 1 + step/c
			if math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f = float64(f * (d * c))
		}
		if math.Abs(float64(d*c)-1) < 1e-16 {
			break
		}
	}
	return f
}
