package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks are at multiples of 1, 2 or 5 times a power of ten. plot.DefaultTicks gives few, and
// labels whose digits aren't needed.
type ticks struct{ integers bool }

func (t ticks) Ticks(lo, hi float64) []plot.Tick {
	marks, longest := t.most(lo, hi, 9)
	if longest > 8 {
		marks, _ = t.most(lo, hi, 5) // so that labels don't touch
	}
	return marks
}

// most returns at most so many ticks, and the length of the longest label.
func (t ticks) most(lo, hi, n float64) (marks []plot.Tick, longest int) {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / n))))
	for _, by := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*by) <= n {
			step *= by
			break
		}
	}
	if t.integers {
		step = max(step, 1)
	}
	const slack = 1e-9 // of a step, for rounding
	first := math.Ceil(lo/step - slack)
	for i := 0.0; i <= n; i++ {
		v := (first + i) * step
		if !(v <= hi+step*slack) {
			break
		}
		v = min(max(v, lo), hi)
		text := label(v, step, max(math.Abs(lo), math.Abs(hi)))
		marks = append(marks, plot.Tick{Value: v, Label: text})
		longest = max(longest, len(text))
	}
	return marks, longest
}

// label returns v with the digits that tell it from its neighbours, step away, on an axis up to
// the largest.
func label(v, step, largest float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)*(1+1e-12)+1e-9)))
	if largest < 1e9 && decimals <= 4 {
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}
	// As many digits as the step needs, without zeros at the end.
	digits := int(math.Floor(math.Log10(math.Abs(v)))-math.Floor(math.Log10(step)*(1+1e-12)+1e-9)) + 1
	text := strconv.FormatFloat(v, 'e', min(max(digits-1, 0), 15), 64)
	f, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}
