package change

import "math"

// A Kind says what a Point is.
type Kind uint8

const (
	// Step is a change of the level that lasts until the next change.
	Step Kind = iota
	// Trend is a slow change. It has no one place: Lo to Hi is where it lasts.
	Trend
	// Outlier is a single value far from those around it.
	Outlier
)

func (k Kind) String() string {
	switch k {
	case Step:
		return "step"
	case Trend:
		return "trend"
	case Outlier:
		return "outlier"
	}
	return "unknown"
}

// A Point is a place where a series changes.
type Point struct {
	// Index is the place of the first value after a step, of an outlier, or of the middle of a
	// trend.
	Index int
	// Lo and Hi enclose a step: with 95% confidence, the first value after it is at Lo, at Hi, or
	// between them. A trend begins at Lo and ends before Hi. For an outlier, both are Index.
	Lo, Hi int
	// Before and After are the levels on both sides of a step: the medians of the values back to
	// the previous step or trend, and up to the next one. They are the ends of the line of a
	// trend, and the median around an outlier, and its value.
	Before, After float64
	// Ratio is After / Before, and 1 if they are equal. If only Before is 0, it is infinite.
	Ratio float64
	// P is the probability that a series of this length and autocorrelation that does not change
	// has a point as clear as this one anywhere. For an outlier, it is the chance of a value to
	// be the farthest of its segment: one divided by the number of values.
	P    float64
	Kind Kind
}

// The defaults of a Finder.
const (
	defaultAlpha = 0.02
	minSide      = 3 // a step has at least three values on each side
	minValues    = 2 * minSide
)

// A Finder finds the points of series. Its zero value is ready to use. It reuses its memory, so
// that a program with many series should use one Finder for all of them; it must not be used by
// two goroutines at once.
type Finder struct {
	// Alpha is the largest P of a step or a trend; 0.02 if it is zero. Of series that do not
	// change, a fraction of about Alpha gets a point.
	Alpha float64

	series   ranking
	windows  []window
	steps    []step
	moved    []step
	segments []segment // one more than steps
	costs    []int64
	noises   []int64
	residues []float64
	trends   []trend
	points   []Point
	at       []int32 // the index of each finite value
	values   []float64
}

// Find returns the points of a series in the order of their indexes. The values are in the order
// of time; NaN and infinities stand for missing values and are skipped. The slice is the Finder's
// and valid until the next call. Find does not change values.
//
// Multiplying all values by the same power of two, or by -1, gives points at the same places, and
// reversing their order mirrors the places.
func (f *Finder) Find(values []float64) []Point {
	f.points = f.points[:0]
	f.finite(values)
	if len(f.values) < minValues {
		return nil
	}
	f.series.set(f.values)
	f.findSteps()
	f.report()
	return f.points
}

// finite copies the values that are numbers, and their indexes.
func (f *Finder) finite(values []float64) {
	f.values, f.at = f.values[:0], f.at[:0]
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		f.values = append(f.values, v)
		f.at = append(f.at, int32(i))
	}
}

func (f *Finder) alpha() float64 {
	if f.Alpha > 0 {
		return f.Alpha
	}
	return defaultAlpha
}

// ratio returns after divided by before.
func ratio(before, after float64) float64 {
	if before == after {
		return 1
	}
	return after / before
}
