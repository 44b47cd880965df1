package perunplot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks are at multiples of 1, 2 or 5 times a power of ten. plot.DefaultTicks gives few, and labels whose digits aren't
// needed.
type ticks struct{ integers bool }

// wantedTicks is how many labels fit beside each other.
const wantedTicks = 7

func (t ticks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / wantedTicks))))
	for _, by := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*by) <= wantedTicks {
			step *= by
			break
		}
	}
	if t.integers {
		step = max(step, 1)
	}
	var marks []plot.Tick
	first := math.Ceil(lo / step)
	for i := 0.0; i <= 2*wantedTicks; i++ {
		v := (first + i) * step
		if !(v <= hi) {
			break
		}
		marks = append(marks, plot.Tick{Value: v, Label: label(v, step, max(math.Abs(lo), math.Abs(hi)))})
	}
	return marks
}

// label returns v with the digits that tell it from its neighbours, step away, on an axis up to the largest.
func label(v, step, largest float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)*(1+1e-12)+1e-9)))
	if largest < 1e7 && decimals <= 4 {
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}
	// As many digits as the step needs, without zeros at the end.
	digits := int(math.Floor(math.Log10(math.Abs(v)))-math.Floor(math.Log10(step)*(1+1e-12)+1e-9)) + 1
	text := strconv.FormatFloat(v, 'e', min(max(digits-1, 0), 15), 64)
	f, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}
