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

// StepMethods returns all methods.
func StepMethods() []StepMethod {
	return []StepMethod{OriginalStep, AbsoluteStep, ConstStep, PercentStep, PercentMedianStep, CohenStep,
		MannWhitneyStep, StepinessStep}
}

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
	if len(values) < s.least() {
		return Fit{Status: Uninteresting}
	}
	if s.Method == OriginalStep {
		values = normal32(values, s.MinDeviation)
	} else {
		values = values[:len(values)&^1]
	}

	fit := Fit{LeastSquares: -1, Status: Uninteresting}
	middle := len(values) / 2
	a, b := values[:middle], values[middle:]
	y0, y1 := mean32(a), mean32(b)
	switch s.Method {
	case OriginalStep:
		s.original(&fit, y0, y1, squares32(a, y0)+squares32(b, y1), len(values))
	case AbsoluteStep:
		fit.Size = y0 - y1
		fit.Regression = fit.Size
	case ConstStep:
		fit.Size = -1
		fit.Regression = max(b[0], -b[0])
	case PercentStep:
		fit.percent(y0, y1)
	case PercentMedianStep:
		fit.percent(median32(a), median32(b))
	case CohenStep:
		s.cohen(&fit, y0, y1, a, b)
	case MannWhitneyStep:
		s.mannWhitney(&fit, y0, y1, a, b)
		return fit
	case StepinessStep:
		fit.stepiness(y0, y1, squares32(a, y0)+squares32(b, y1), squares32(values, mean32(values)))
	default:
		return fit
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
	var last Fit
	for i := radius; radius > 0 && i+radius < len(finite); i++ {
		window := finite[i-radius : i+radius+1]
		fit := s.Fit(window)
		if fit.Status == Uninteresting || fit.Status == last.Status && !s.isClearer(fit, last) {
			if fit.Status == Uninteresting {
				last = Fit{}
			}
			continue
		}

		p := change.Point{Index: at[i], Lo: at[i], Hi: at[i], Kind: change.Step}
		p.Before, p.After = float64(mean32(window[:radius])), float64(mean32(window[radius:]))
		p.Ratio = ratio(p.Before, p.After)
		if s.Method == MannWhitneyStep {
			p.P = math.Abs(float64(fit.Regression))
		}
		if fit.Status == last.Status {
			points[len(points)-1] = p
		} else {
			points = append(points, p)
		}
		last = fit
	}
	return points
}

// isClearer reports whether a fit is of a clearer step than another one.
func (s StepFit) isClearer(a, b Fit) bool {
	x, y := math.Abs(float64(a.Regression)), math.Abs(float64(b.Regression))
	if s.Method == MannWhitneyStep {
		return x < y
	}
	return x > y
}

// least returns the least number of values that the method needs.
func (s StepFit) least() int {
	switch s.Method {
	case OriginalStep:
		return 3
	case CohenStep:
		return 4
	}
	return 2
}

func (s StepFit) original(fit *Fit, y0, y1, squares float32, n int) {
	fit.Size = -1
	least := float32(math.MaxFloat32)
	if y0 != y1 && squares < least {
		least = squares
		fit.Size = y0 - y1
	}
	fit.LeastSquares = float32(math.Sqrt(float64(least))) / float32(n)
	fit.Regression = fit.Size / max(fit.LeastSquares, s.MinDeviation)
}

func (f *Fit) percent(y0, y1 float32) {
	f.Size = (y0 - y1) / y0
	switch {
	case math.IsInf(float64(f.Size), 0) && y0 < y1:
		f.Size = -math.MaxFloat32
	case math.IsInf(float64(f.Size), 0):
		f.Size = math.MaxFloat32
	case f.Size != f.Size:
		f.Size = 0
	}
	f.Regression = f.Size
}

func (s StepFit) cohen(fit *Fit, y0, y1 float32, a, b []float32) {
	deviation := (deviation32(a, y0) + deviation32(b, y1)) / 2
	if !(deviation >= s.MinDeviation) {
		deviation = s.MinDeviation
	}
	fit.Size = (y0 - y1) / deviation
	fit.Regression = fit.Size
}

func (s StepFit) mannWhitney(fit *Fit, y0, y1 float32, a, b []float32) {
	isNaN := func(v float32) bool { return v != v }
	if slices.ContainsFunc(a, isNaN) || slices.ContainsFunc(b, isNaN) {
		*fit = Fit{Status: Uninteresting} // the test would never end
		return
	}
	result, err := stats.MannWhitneyUTest(float64s(a), float64s(b), stats.LocationDiffers)
	if err != nil {
		*fit = Fit{Status: Uninteresting} // all values are equal
		return
	}
	fit.Size = y0 - y1
	fit.LeastSquares = float32(result.U)
	fit.Regression = float32(result.P)
	if fit.Regression > s.Interesting {
		return
	}
	fit.Status = Low
	if fit.Size < 0 {
		fit.Status = High
		fit.Regression = -fit.Regression
	}
}

func (f *Fit) stepiness(y0, y1, squares, all float32) {
	f.Size = y0 - y1
	if all > 0 {
		f.Regression = 1 - float32(math.Sqrt(float64(squares/all)))
	}
	if f.Size < 0 {
		f.Regression = -f.Regression
	}
}

// present returns the values that are not missing.
func present(values []float32) []float32 {
	return slices.DeleteFunc(slices.Clone(values), func(v float32) bool { return v == missing })
}

// mean32 returns the mean of the values that are not missing, or 0.
func mean32(values []float32) float32 {
	values = present(values)
	if len(values) == 0 {
		return 0
	}
	sum := float32(0)
	for _, v := range values {
		sum += v
	}
	return sum / float32(len(values))
}

// normal32 returns the values less their mean, and divided by their deviation if that is large
// enough.
func normal32(values []float32, minDeviation float32) []float32 {
	n := len(present(values))
	if n == 0 {
		return values
	}
	mean := mean32(values)
	deviation := float32(math.Sqrt(float64(squares32(values, mean) / float32(n))))
	normal := slices.Clone(values)
	for i, v := range normal {
		if v == missing {
			continue
		}
		normal[i] = v - mean
		if deviation > minDeviation {
			normal[i] /= deviation
		}
	}
	return normal
}

// squares32 returns the sum of the squares of the differences from a level.
func squares32(values []float32, level float32) float32 {
	sum := float32(0)
	for _, v := range present(values) {
		sum += float32((v - level) * (v - level))
	}
	return sum
}

func deviation32(values []float32, level float32) float32 {
	if len(values) < 2 {
		return 0
	}
	return float32(math.Sqrt(float64(squares32(values, level) / float32(len(present(values))-1))))
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
