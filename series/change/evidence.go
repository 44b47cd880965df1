package change

import (
	"math"

	"perfdata/internal/elementary"
)

// How clear a step has to be was found by simulation, so that all rows of the table in the package
// comment hold at the same time. What each constant trades is said beside it.
const (
	// The tests of a series of n values count as tests * (n/6) ^ testsPower: short histories are judged
	// as what they are, and of long ones, whose level often walks, more is asked.
	tests      = 2
	testsPower = 2.75

	// A step of this part of the level is as it is; a smaller one needs more evidence, by the square of
	// the ratio, but at most the factor below, and a larger one half.
	usualChange   = 0.03
	mostOfSmall   = 300
	leastOfLarge  = 0.5
	shortSegment  = 12 // fewer values between two steps need more evidence, by the fourth power of the ratio
	localValues   = 24 // of each side tell the noise around a step
	priorValues   = 10 // that the noise of the whole series is worth beside them
	nearestValues = 12 // of each side are compared by themselves
	nearestTests  = 1000
	nearestChange = 0.15 // as usualChange, for the comparison of the nearest values
	leastNearest  = 0.1
)

// p returns the probability that a series without step i has a step as clear as it. A step is clear in
// one of two ways: by all values on both sides, or the nearest ones, if the noise of the whole series
// explains it less well; or by the nearest ones alone, whatever other parts of the series look like. That of
// a step that is not clear may be greater than 1: what matters is which of two is the less certain one.
func (m *model) p(i int) float64 {
	k := m.steps[i].at
	a, b := m.neighbors(i)
	change := m.change(m.mean(a, k), m.mean(k, b), k)
	p := m.contrastP(a, k, b)
	small := usualChange / change
	p = float64(p * min(max(float64(small*small), leastOfLarge), mostOfSmall))
	if k-a < shortSegment && a > 0 {
		p = float64(p * fourth(shortSegment/float64(k-a)))
	}
	if b-k < shortSegment && b < len(m.y) {
		p = float64(p * fourth(shortSegment/float64(b-k)))
	}
	return min(p, m.nearestP(a, k, b))
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
		power = powerOf(m.rho, n)
		x := float64(n)
		return (float64(x*one*(1+m.rho)) - float64(2*m.rho*(1-power))) / float64(x*x*one*one), power
	}
	u, p := ofMean(l)
	v, q := ofMean(r)
	both := float64(m.rho*(1-p)*(1-q)) / float64(one*one*float64(l*r))
	return max(1e-9, u+v-float64(2*both))
}

// nearestP compares the nearest values on both sides, by their own noise. It counts for large changes
// only: where a level walks, near values of different places always differ by more than their noise.
func (m *model) nearestP(a, k, b int) float64 {
	l, r := min(k-a, nearestValues), min(b-k, nearestValues)
	const prior = 2
	free := float64(l + r - 2 + prior)
	noise := (float64(prior*m.signal.noise*m.signal.noise) + m.squares(k-l, k) + m.squares(k, k+r)) / free
	noise = max(noise, m.floor)
	from, to := m.mean(k-l, k), m.mean(k, k+r)
	t := math.Abs(to-from) / math.Sqrt(float64(noise*(1/float64(l)+1/float64(r))))
	weight := max(leastNearest, fourth(nearestChange/m.change(from, to, k)))
	return float64(nearestTests * weight * float64(len(m.y)) * twoSided(t, free))
}

// twoSided returns the probability of Student's t to be as far from 0, to a hundredth of it. It is
// that of a normal value (Wallace 1959), whose tail Börjesson and Sundberg (1979) approximate.
func twoSided(t, free float64) float64 {
	z := math.Sqrt(float64(free*elementary.Log(1+float64(t*t)/free))) / (1 + 2/(float64(8*free)+1))
	root := math.Sqrt(float64(z*z) + 5.51)
	density := elementary.Exp(float64(-z*z/2)) / math.Sqrt(2*math.Pi)
	return min(1, float64(2*density)/(float64(0.661*z)+float64(0.339*root)))
}

func logOf(n int) float64 { return elementary.Log(float64(n)) }

func fourth(x float64) float64 { return float64(float64(x*x) * float64(x*x)) }

// powerOf returns x to the power of n.
func powerOf(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}
