package change

import (
	"cmp"
	"math"
	"slices"

	"perfdata/internal/elementary"
	"perfdata/series"
)

// A signal is the values of a series as the search for steps sees them: their logarithms if all
// have one sign, because noise grows with the level; less a slope; in units of the noise between
// neighbors; and without values that no neighbor confirms.
type signal struct {
	base    []float64 // the logarithms, or the values scaled by a power of two
	isLog   bool      // all values have one sign
	isMixed bool      // they have both signs
	level   float64   // the median of base
	unit    float64   // of y, in units of base
	floor   float64   // the variance that the repetitions alone explain, in units of y
	slope   float64   // that y is without, in units of y for each value
	y       []float64
	sums    []float64 // of the first values of y
	powers  []float64 // the sums of their squares
	sorted  []float64
}

// usualVariance is the median of estimates of a variance of 1, of five values.
const usualVariance = 0.84

// far is the greatest distance from the median, in units. Squares of it are exact enough.
const far = 1 << 20

// set takes the values of the commits.
func (s *signal) set(c *commits) {
	least, greatest := slices.Min(c.values), slices.Max(c.values)
	s.isLog, s.isMixed = least > 0 || greatest < 0, least < 0 && greatest > 0
	s.base = s.base[:0]
	_, exponent := math.Frexp(max(-least, greatest))
	for _, v := range c.values {
		v = math.Ldexp(v, -exponent)
		if s.isLog {
			v = elementary.Log(math.Abs(v))
		}
		s.base = append(s.base, v)
	}
	s.sorted = append(s.sorted[:0], s.base...)
	s.level = series.Median(s.sorted)
	s.unit = s.innovation()

	// The variance of the medians in units of y. Where most commits have one value, it says nothing of them.
	s.floor = 0
	s.sorted = s.sorted[:0]
	for i, v := range c.variance {
		if v != v {
			continue
		}
		deviation := math.Sqrt(v)
		if s.isLog {
			deviation /= math.Abs(c.values[i])
		} else {
			deviation = math.Ldexp(deviation, -exponent)
		}
		s.sorted = append(s.sorted, float64(deviation/s.unit*(deviation/s.unit)))
	}

	if 2*len(s.sorted) > len(c.values) {
		s.floor = series.Median(s.sorted) / usualVariance
	}
}

// innovation returns the deviation of a value from what its neighbor says: the root of the mean of the squares
// of the differences, of which large ones, such as steps, count as three times the usual.
func (s *signal) innovation() float64 {
	s.sorted = s.sorted[:0]
	for i := 1; i < len(s.base); i++ {
		s.sorted = append(s.sorted, math.Abs(s.base[i]-s.base[i-1]))
	}
	slices.Sort(s.sorted)
	d := s.sorted
	last := len(d) - 1
	usual := cmp.Or(d[3*last/4]/1.15, d[last]) // a quarter of normal values is farther than 1.15 deviations
	squares := 0.0
	for _, x := range d {
		x = min(x/usual, 3)
		squares += float64(x * x)
	}
	return float64(usual * math.Sqrt(squares/float64(2*len(d))))
}

// A value is at most this many innovations from the median of the five values around it.
const maxLonely = 3

// detrend sets y with a slope taken out.
func (s *signal) detrend(slope float64) {
	s.slope = slope
	s.sorted = s.sorted[:0] // y, before lonely values are moved
	for i := range s.base {
		s.sorted = append(s.sorted, min(max(s.raw(i), -far), far))
	}
	s.y, s.sums, s.powers = s.y[:0], append(s.sums[:0], 0), append(s.powers[:0], 0)
	for i, v := range s.sorted {
		low, high := middles(s.sorted[max(i-2, 0):min(i+3, len(s.base))])
		v = min(max(v, low-maxLonely), high+maxLonely)
		s.y = append(s.y, v)
		s.sums = append(s.sums, s.sums[i]+v)
		s.powers = append(s.powers, s.powers[i]+float64(v*v))
	}
}

// raw returns y(i) before lonely values are moved.
func (s *signal) raw(i int) float64 { return (s.base[i]-s.level)/s.unit - float64(s.slope*float64(i)) }

// mean returns the mean of y in [a, b).
func (s *signal) mean(a, b int) float64 { return (s.sums[b] - s.sums[a]) / float64(b-a) }

// squares returns the sum of the squares of y in [a, b) less its mean.
func (s *signal) squares(a, b int) float64 {
	sum := s.sums[b] - s.sums[a]
	return max(0, s.powers[b]-s.powers[a]-float64(sum*sum)/float64(b-a))
}

// change returns the height of a step from one level of y to another, as a part of the level: 0.1 for 10%.
// Where values have both signs, that is not known.
func (s *signal) change(from, to float64, at int) float64 {
	height := float64(math.Abs(to-from) * s.unit)
	switch {
	case s.isLog:
		return height
	case s.isMixed:
		return usualChange
	}
	drift := float64(s.slope * float64(at))
	a := s.level + float64((from+drift)*s.unit)
	b := s.level + float64((to+drift)*s.unit)
	return height / max(min(math.Abs(a), math.Abs(b)), height/100)
}

// middles returns the one or two values in the middle of at most five.
func middles(v []float64) (low, high float64) {
	var w [5]float64
	n := copy(w[:], v)
	for i := 1; i < n; i++ {
		for j := i; j > 0 && w[j] < w[j-1]; j-- {
			w[j], w[j-1] = w[j-1], w[j]
		}
	}
	return w[(n-1)/2], w[n/2]
}
