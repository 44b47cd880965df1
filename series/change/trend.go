package change

import (
	"math"

	"perfdata/internal/elementary"
)

// A trend is a slow change, in place of the steps that a search for steps makes of it.
type trend struct {
	from, to    int     // positions
	first, last float64 // the ends of its line
	p           float64
}

// findTrends looks at each run of steps in one direction, and decides whether the values from the
// start of the segment before the first to the end of the segment after the last are better
// described by these steps or by a line.
func (f *Finder) findTrends() {
	f.trends = f.trends[:0]
	for i := 0; i < len(f.steps); {
		j := i + 1
		for j < len(f.steps) && f.rises(j) == f.rises(i) {
			j++
		}
		f.compare(i, j)
		i = j
	}
}

// rises tells whether the level is higher after step i.
func (f *Finder) rises(i int) bool {
	a, b := f.neighbors(i)
	k := f.steps[i].at
	return f.series.median(k, b) > f.series.median(a, k)
}

// compare makes a trend of the steps i to j-1 if the Bayesian information criterion prefers a
// line.
//
// Both models are fitted to ranks, which outliers move little, with AR(1) noise: the variance
// that counts is what the coefficient of the model's own residues leaves.
func (f *Finder) compare(i, j int) {
	a, _ := f.neighbors(i)
	_, b := f.neighbors(j - 1)
	n := float64(b - a)
	f.series.rank(a, b)
	ranks := f.series.local[:b-a]

	steps, _ := f.innovations(f.stepResidues(ranks, i, j, a))
	residues, slope := f.lineResidues(ranks)
	line, rho := f.innovations(residues)
	if steps <= 0 || n*elementary.Log(line/steps) >= stepsPenalty(j-i, n) {
		return
	}

	// Student's t of the slope, as if the values were normal and fewer by their autocorrelation.
	// The bound of its tail is multiplied by the number of values, for the search for the steps.
	t := math.Abs(slope) * deflation(min(max(rho, 0), maxAutocorrelation)) / math.Sqrt(line/n/(n*(float64(n*n)-1)/12))
	p := min(1, n*elementary.Exp(float64(-t*t/2)))
	for k := i; k < j; k++ {
		f.steps[k].inTrend = true
	}
	if p > f.alpha() {
		return
	}
	tr := trend{from: a, to: b, p: p}
	tr.first, tr.last = f.ends(a, b)
	f.trends = append(f.trends, tr)
}

// stepResidues returns the ranks of values from a on less the means between the steps i to j-1.
func (f *Finder) stepResidues(ranks []int32, i, j, a int) []float64 {
	f.residues = f.residues[:0]
	from := 0
	for k := i; k <= j; k++ {
		to := len(ranks)
		if k < j {
			to = f.steps[k].at - a
		}
		var sum int64
		for _, x := range ranks[from:to] {
			sum += int64(x)
		}
		m := float64(sum) / float64(to-from)
		for _, x := range ranks[from:to] {
			f.residues = append(f.residues, float64(x)-m)
		}
		from = to
	}
	return f.residues
}

// lineResidues returns the ranks less the line of least squares through them, and its slope.
func (f *Finder) lineResidues(ranks []int32) (residues []float64, slope float64) {
	n := len(ranks)
	var sum int64 // of the products of twice the centered time and the rank, whose mean is 0
	for t, x := range ranks {
		sum += int64(2*t-n+1) * int64(x)
	}
	slope = float64(sum) / 2 / (float64(n) * (float64(float64(n)*float64(n)) - 1) / 12)
	f.residues = f.residues[:0]
	for t, x := range ranks {
		f.residues = append(f.residues, float64(x)-float64(slope*float64(2*t-n+1)/2))
	}
	return f.residues, slope
}

// innovations returns the sum of squares that an AR(1) process leaves of residues, and its
// coefficient.
func (f *Finder) innovations(residues []float64) (left, rho float64) {
	var squares, products float64
	for i, e := range residues {
		squares += float64(e * e)
		if i > 0 {
			products += float64(e * residues[i-1])
		}
	}
	if squares == 0 {
		return 0, 0
	}
	rho = products / squares
	return squares - float64(rho*products), rho
}

// ends returns the ends of a line through the medians of the first and the last third of [a, b).
func (f *Finder) ends(a, b int) (first, last float64) {
	third := max(1, (b-a)/3)
	one, three := f.series.median(a, a+third), f.series.median(b-third, b)
	// The line reaches past the middles of the thirds by half a third, of the two thirds between
	// them.
	over := float64(third) / 2 / float64(b-a-third)
	rise := float64(over*three) - float64(over*one)

	// A trend that is not straight does not go beyond its values.
	s := f.series.sorted(a, b)
	least, most := f.values[s[0]], f.values[s[len(s)-1]]
	return min(max(one-rise, least), most), min(max(three+rise, least), most)
}

// A line has two parameters. With 1.7, simulated series that drift get a trend in 98.5%, and
// autocorrelated series lose few of their steps; with 2, it is 98%, and with 1, 99% and one step
// in a hundred is lost.
const lineParameters = 1.7

// stepsPenalty returns by how much a number of steps in n values must fit better than a line, for
// what they can fit by chance. Each step has two parameters, a place and a height. One step in
// few values gets less: it is too often nearly a line, and steps are more frequent than trends.
func stepsPenalty(steps int, n float64) float64 {
	if steps == 1 {
		return float64(max(0, 1-40/n) * elementary.Log(n))
	}
	return float64((2*float64(steps) - lineParameters) * elementary.Log(n))
}
