package change

import (
	"math"
	"slices"

	"perfdata/internal/elementary"
)

// How clear a step has to be was found by simulation, so that all rows of the table in the package
// comment hold at the same time. What each constant trades is said beside it.
const (
	// The tests of a series of n values count as tests * (n/6) ^ testsPower: short histories are
	// not penalized, and long ones, whose level often walks, need more evidence.
	tests      = 2
	testsPower = 2.75

	// A step of this part of the level is as it is; a smaller one needs more evidence, by the fourth power
	// of the ratio, and a larger one half.
	usualChange  = 0.025
	mostOfSmall  = 1e6 // keeps numbers finite
	leastOfLarge = 0.5
	shortSegment = 12 // fewer values between two steps need more evidence, by the fourth power of the ratio
	localValues  = 24 // of each side tell the noise around a step
	priorValues  = 10 // that the noise of the whole series is worth beside them

	// A step of this part of the level is certain where this many values on both sides do not overlap. The
	// part of the random orders of them that do not overlap is apartP.
	apartChange = 0.14
	apartValues = 7
	apartP      = 2.0 / 3432
)

// p returns the probability that a series without step i has a step as clear as it. A step is clear
// in one of two ways: by its size, against the noise; or because the nearest values lie apart,
// whatever other parts of the series look like. For a step that is not clear, p may be greater than
// 1: it only tells which of two steps is less certain.
func (m *model) p(i int) float64 {
	k := m.steps[i].at
	a, _ := m.segment(i)
	_, b := m.segment(i + 1)
	change := m.change(m.mean(a, k), m.mean(k, b), k)
	p := m.contrastP(a, k, b)
	small := usualChange / change
	p = float64(p * min(max(fourth(small), leastOfLarge), mostOfSmall))
	if k-a < shortSegment && a > 0 {
		p = float64(p * fourth(shortSegment/float64(k-a)))
	}
	if b-k < shortSegment && b < len(m.y) {
		p = float64(p * fourth(shortSegment/float64(b-k)))
	}
	if p > apartP && m.isApart(k) {
		return apartP
	}
	return p
}

// isApart reports whether the values nearest to k do not overlap, and their means differ by a large change:
// where a level walks, near values of different places always differ by more than their noise. The change must
// be made at k, not by a slope, or by a step near k.
func (s *signal) isApart(k int) bool {
	a, b := k-apartValues, k+apartValues
	if a < 0 || b > len(s.y) {
		return false
	}
	from, to := s.mean(a, k), s.mean(k, b)
	atOnce := s.mean(k, k+minExcursion) - s.mean(k-minExcursion, k)
	before, after := s.y[a:k], s.y[k:b]
	return s.change(from, to, k) >= apartChange && 2*math.Abs(atOnce) >= math.Abs(to-from) &&
		(slices.Max(before) < slices.Min(after) || slices.Min(before) > slices.Max(after))
}

// contrastP compares the means of up to all values on both sides of k. Where the level walks, near values
// say the most.
func (m *model) contrastP(a, k, b int) float64 {
	l, r := min(k-a, localValues), min(b-k, localValues)
	free := priorValues + float64(l+r-2)
	noise := (float64(priorValues*m.noise) + m.squares(k-l, k) + m.squares(k, k+r)) / free
	noise = max(noise, m.floor)

	t := 0.0
	for size := minExcursion; ; size += (size + 1) / 2 {
		l, r := min(size, k-a), min(size, b-k)
		t = max(t, math.Abs(m.mean(k, k+r)-m.mean(k-l, k))/math.Sqrt(float64(noise*m.contrastVariance(l, r))))
		if l == k-a && r == b-k {
			break
		}
	}
	return float64(m.tests * twoSided(t, min(free, m.free)))
}

// testsOf returns the number of tests that n values count as.
func testsOf(n float64) float64 {
	return float64(tests * elementary.Exp(float64(testsPower*elementary.Log(n/minValues))))
}

// contrastVariance returns the variance of the difference between the means of l and r neighbors, for a
// variance of 1.
func (m *model) contrastVariance(l, r int) float64 {
	if m.rho == 0 {
		return 1/float64(l) + 1/float64(r)
	}
	one := 1 - m.rho
	ofMean := func(n int) (variance, power float64) {
		power = 1
		for rho, k := m.rho, n; k > 0; k >>= 1 {
			if k&1 != 0 {
				power = float64(power * rho)
			}
			rho = float64(rho * rho)
		}
		x := float64(n)
		return (float64(x*one*(1+m.rho)) - float64(2*m.rho*(1-power))) / float64(x*x*one*one), power
	}
	u, p := ofMean(l)
	v, q := ofMean(r)
	both := float64(m.rho*(1-p)*(1-q)) / float64(one*one*float64(l*r))
	return max(1e-9, u+v-float64(2*both))
}

// twoSided returns the probability of Student's t to be as far from 0, to a hundredth of it. It is
// the probability of a normal value (Wallace 1959), whose tail Börjesson and Sundberg (1979)
// approximate.
func twoSided(t, free float64) float64 {
	z := math.Sqrt(float64(free*elementary.Log(1+float64(t*t)/free))) / (1 + 2/(float64(8*free)+1))
	root := math.Sqrt(float64(z*z) + 5.51)
	density := elementary.Exp(float64(-z*z/2)) / math.Sqrt(2*math.Pi)
	return min(1, float64(2*density)/(float64(0.661*z)+float64(0.339*root)))
}

func fourth(x float64) float64 { return float64(float64(x*x) * float64(x*x)) }
