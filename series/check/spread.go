package check

import (
	"math"
	"slices"

	"perfdata/internal/elementary"
)

// spread returns the standard deviation of sorted values of which the first and last fortieth have
// been replaced by the nearest of the others: of a long history, a spike says nothing about the rest.
func spread(sorted []float64) float64 {
	n := len(sorted)
	return deviationWithin(sorted, sorted[n/40], sorted[n-1-n/40])
}

// deviationWithin returns the standard deviation of values, of which those outside of a range are moved
// to its ends.
func deviationWithin(values []float64, least, greatest float64) float64 {
	scale := greatest - least // of squares, which may be too large or too small for a float64
	if scale == 0 || math.IsInf(scale, 0) {
		return scale
	}
	sum := 0.0
	for _, v := range values {
		sum += (min(max(v, least), greatest) - least) / scale
	}
	mean, squares := sum/float64(len(values)), 0.0
	for _, v := range values {
		d := (min(max(v, least), greatest)-least)/scale - mean
		squares += float64(d * d)
	}
	return float64(math.Sqrt(squares/float64(len(values)-1)) * scale)
}

// oldSpread returns the spread of the sorted medians of old runs, moved toward the spread that the
// values within the runs suggest if runs differ by half as much as their values: few runs are a
// poor estimate.
func (l *level) oldSpread(sorted []float64) float64 {
	s := spread(sorted)
	if !isFinite(l.within) || !isFinite(s) {
		return s
	}
	const weight = 3 // runs that say as much
	expected := float64(l.within * math.Sqrt(medianVariance(l.size)+0.25))
	scale := max(s, expected)
	if scale == 0 {
		return 0
	}
	own, usual := s/scale, expected/scale
	n := float64(len(sorted) - 1)
	return float64(scale * math.Sqrt((float64(n*(own*own))+float64(weight*(usual*usual)))/(n+weight)))
}

// runSpread returns the spread of the median of a run with a number of values, given that of the old
// runs and the one within a run.
func (l *level) runSpread(old float64, values int, within float64) float64 {
	if !isFinite(within) || values == l.size || old == 0 {
		return old
	}
	share := within / old
	share = float64(share * share)
	own := float64(share * medianVariance(values))
	own = max(own, 1+own-float64(share*medianVariance(l.size)), 1.0/3)
	return float64(old * math.Sqrt(own))
}

// A moderator moves the spread of each history toward the usual spread of all of them. The spread
// of few values is a poor estimate: that of 20 is wrong by a sixth, and by half in one of 500
// series, of which there are many. If the histories differ by no more than such errors, they have
// one spread, as a share of their levels; if they differ by more, each has its own. The errors are
// known from the two halves of each history. This is the estimate of James and Stein, of the
// logarithms.
//
// It finds a step of 20% at 3% noise in one of 100 series of 20 values in 97 of 100 cases in place of
// 90, and of 6 values in 94 in place of 20.
type moderator struct {
	logs   []float64 // of the spreads as shares of the levels
	errors []float64 // squares of their errors

	usual  float64 // the mean of logs
	weight float64 // that of usual, from 0 to 1

	halves [2][]float64 // scratch: every second value, and the others
}

// minModerated is the least number of histories that show what is usual.
const minModerated = 5

// add adds a history, whose values are in the order of time.
func (m *moderator) add(level float64, values []float64) {
	m.halves[0], m.halves[1] = m.halves[0][:0], m.halves[1][:0]
	for i, v := range values {
		m.halves[i%2] = append(m.halves[i%2], v)
	}
	even, odd := m.halves[0], m.halves[1]
	slices.Sort(even)
	slices.Sort(odd)
	if d := elementary.Log(spread(even) / spread(odd)); isFinite(d) {
		// The squared error of a half is twice that of the whole, and for the difference of two
		// halves it is four times as large.
		m.errors = append(m.errors, d*d/4)
	}

	m.halves[0] = append(even, odd...)
	slices.Sort(m.halves[0])
	if log := elementary.Log(spread(m.halves[0]) / math.Abs(level)); isFinite(log) {
		m.logs = append(m.logs, log)
	}
}

// settle decides what is usual, when all histories were added.
func (m *moderator) settle() {
	if len(m.logs) < minModerated || len(m.errors) < minModerated {
		return
	}
	m.usual = mean(m.logs)
	variance := 0.0
	for _, log := range m.logs {
		variance += (log - m.usual) * (log - m.usual) / float64(len(m.logs)-1)
	}
	if m.weight = 1; variance > 0 {
		m.weight = min(1, mean(m.errors)/variance)
	}
}

// mean sorts values, so that their order does not matter to the last bit, and returns their mean.
func mean(values []float64) float64 {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// moderate returns the spread of a history with a level, moved toward the usual one.
func (m *moderator) moderate(level, spread float64) float64 {
	log := elementary.Log(spread / math.Abs(level))
	if m.weight == 0 || !isFinite(log) {
		return spread
	}
	return float64(math.Abs(level) * elementary.Exp(log+float64(m.weight*(m.usual-log))))
}
