package peers

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"perfdata/series/change"
)

// A StepMethod is one of the ways in which Skia Perf measures a step.
type StepMethod string

// The methods of Skia Perf, by the names that it gives them.
const (
	OriginalStep      StepMethod = "original"       // the difference of the means, in residues
	AbsoluteStep      StepMethod = "absolute"       // the difference of the means
	ConstStep         StepMethod = "const"          // the value in the middle
	PercentStep       StepMethod = "percent"        // the relative difference of the means
	PercentMedianStep StepMethod = "percent_median" // the relative difference of the medians
	CohenStep         StepMethod = "cohen"          // the difference of the means, in standard deviations
	MannWhitneyStep   StepMethod = "mannwhitneyu"   // p of the Mann-Whitney U test
	StepinessStep     StepMethod = "stepiness"      // the part of the deviation that a step explains
)

// A StepStatus says which way a step goes.
type StepStatus string

// In Skia Perf, a step down is Low, though its size is positive.
const (
	Low           StepStatus = "Low"
	High          StepStatus = "High"
	Uninteresting StepStatus = "Uninteresting"
)

// missing stands for a missing value in Skia Perf.
const missing = 1e32

// A StepFit fits a step to the middle of a few values as Skia Perf does (go/stepfit), in float32
// arithmetic, for programs that compare methods.
type StepFit struct {
	Method StepMethod

	// Interesting is the size of Regression from which a step is not Uninteresting; for
	// MannWhitneyStep, it is the largest p.
	Interesting float32

	// MinDeviation is the least deviation that sizes are divided by.
	MinDeviation float32
}

// A Fit is a step that was fitted. Size is the level before the step less that after it, and
// negative if values rise. LeastSquares is -1 if the method has none; for MannWhitneyStep it is
// U, and Regression p, with a minus if values rise significantly.
type Fit struct {
	Size, LeastSquares, Regression float32
	Status                         StepStatus
}

// Fit fits a step at values[len(values)/2]. 1e32 stands for a missing value, which is ignored.
// OriginalStep divides the values by their deviation first; for the other methods, the last of an
// odd number of values is not used. Too few values give the zero Fit, which is Uninteresting.
func (s StepFit) Fit(values []float32) Fit {
	needed := map[StepMethod]int{OriginalStep: 3, CohenStep: 4}
	if len(values) < max(needed[s.Method], 2) {
		return Fit{Status: Uninteresting}
	}
	if s.Method == OriginalStep {
		values = normal32(values, s.MinDeviation)
	} else {
		values = values[:len(values)&^1]
	}

	a, b := values[:len(values)/2], values[len(values)/2:]
	y0, squares0, n0 := moments32(a)
	y1, squares1, n1 := moments32(b)
	fit := Fit{Size: y0 - y1, LeastSquares: -1, Status: Uninteresting}
	switch s.Method {
	case OriginalStep:
		least := squares0 + squares1
		if y0 == y1 || !(least < math.MaxFloat32) {
			least, fit.Size = math.MaxFloat32, -1
		}
		fit.LeastSquares = root32(least) / float32(len(values))
		fit.Regression = fit.Size / max(fit.LeastSquares, s.MinDeviation)
	case AbsoluteStep:
		fit.Regression = fit.Size
	case ConstStep:
		fit.Size = -1
		fit.Regression = max(b[0], -b[0])
	case PercentStep:
		fit.percent(y0, y1)
	case PercentMedianStep:
		fit.percent(median32(a), median32(b))
	case CohenStep:
		deviation := (root32(squares0/(n0-1)) + root32(squares1/(n1-1))) / 2
		if !(deviation >= s.MinDeviation) {
			deviation = s.MinDeviation
		}
		fit.Size /= deviation
		fit.Regression = fit.Size
	case MannWhitneyStep:
		return s.mannWhitney(fit, a, b)
	case StepinessStep:
		if _, all, _ := moments32(values); all > 0 {
			fit.Regression = 1 - root32((squares0+squares1)/all)
		}
		if fit.Size < 0 {
			fit.Regression = -fit.Regression
		}
	default:
		return Fit{LeastSquares: -1, Status: Uninteresting}
	}

	switch {
	case fit.Regression >= s.Interesting:
		fit.Status = Low
	case fit.Regression <= -s.Interesting:
		fit.Status = High
	}
	return fit
}

// Find fits a step at each value of a series that has radius values before it and after it, as Skia
// Perf looks for regressions, and returns the steps that are not Uninteresting: of a row of them in
// one direction, the one with the largest Regression, or for MannWhitneyStep the least p. Before
// and After are the means of the values on both sides, Lo and Hi are Index, and P is the p of
// MannWhitneyStep, and otherwise 0. Values that are not finite are skipped. Skia Perf's radius is
// 7, unless an alert says otherwise.
func (s StepFit) Find(values []float64, radius int) []change.Point {
	var finite []float32
	var at []int
	for i, v := range values {
		if x := float32(v); x-x == 0 {
			finite, at = append(finite, x), append(at, i)
		}
	}

	var points []change.Point
	var last Fit // Uninteresting, or the one of the last point
	for i := radius; radius > 0 && i+radius < len(finite); i++ {
		window := finite[i-radius : i+radius+1]
		fit := s.Fit(window)
		isSame := fit.Status == last.Status
		if isSame && fit.Status != Uninteresting && !(s.clearness(fit) > s.clearness(last)) {
			continue
		}
		if last = fit; fit.Status == Uninteresting {
			continue
		}

		before, _, _ := moments32(window[:radius])
		after, _, _ := moments32(window[radius:])
		p := newStep(at[i], float64(before), float64(after))
		if s.Method == MannWhitneyStep {
			p.P = math.Abs(float64(fit.Regression))
		}
		if isSame {
			points = points[:len(points)-1]
		}
		points = append(points, p)
	}
	return points
}

// clearness returns a number that is greater for the fit of a clearer step.
func (s StepFit) clearness(f Fit) float64 {
	if s.Method == MannWhitneyStep {
		return -math.Abs(float64(f.Regression))
	}
	return math.Abs(float64(f.Regression))
}

func (f *Fit) percent(y0, y1 float32) {
	f.Size = (y0 - y1) / (y0 + 0) // -0 is 0
	if f.Size != f.Size {
		f.Size = 0
	}
	f.Size = min(max(f.Size, -math.MaxFloat32), math.MaxFloat32)
	f.Regression = f.Size
}

// mannWhitney completes a fit.
func (s StepFit) mannWhitney(fit Fit, a, b []float32) Fit {
	x, y := float64s(a), float64s(b)
	if slices.ContainsFunc(slices.Concat(x, y), math.IsNaN) {
		return Fit{Status: Uninteresting} // the test would never end
	}
	result, err := stats.MannWhitneyUTest(x, y, stats.LocationDiffers)
	if err != nil {
		return Fit{Status: Uninteresting} // all values are equal
	}

	fit.LeastSquares, fit.Regression = float32(result.U), float32(result.P)
	switch {
	case fit.Regression > s.Interesting:
	case fit.Size < 0:
		fit.Status, fit.Regression = High, -fit.Regression
	default:
		fit.Status = Low
	}
	return fit
}

// present returns the values that are not missing.
func present(values []float32) []float32 {
	return slices.DeleteFunc(slices.Clone(values), func(v float32) bool { return v == missing })
}

// moments32 returns the mean of the values that are not missing, or 0, the sum of the squares of their
// differences from it, and their number.
func moments32(values []float32) (mean, squares, n float32) {
	values = present(values)
	n = float32(len(values))
	if n == 0 {
		return 0, 0, 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= n
	for _, v := range values {
		squares += float32((v - mean) * (v - mean))
	}
	return mean, squares, n
}

func root32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// normal32 returns the values less their mean, and divided by their deviation if that is large
// enough.
func normal32(values []float32, minDeviation float32) []float32 {
	mean, squares, n := moments32(values)
	deviation := root32(squares / n)
	if !(deviation > minDeviation) {
		deviation = 1
	}
	normal := slices.Clone(values)
	for i, v := range normal {
		if v != missing {
			normal[i] = (v - mean) / deviation
		}
	}
	return normal
}

func median32(values []float32) float32 {
	sorted := present(values)
	slices.Sort(sorted)
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func float64s(values []float32) []float64 {
	s := make([]float64, len(values))
	for i, v := range values {
		s[i] = float64(v)
	}
	return s
}
