package series

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, nan}, {[]float64{3}, 3}, {[]float64{4, 2}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{7, 1, 5, 2}, 3.5},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, 0},
		{[]float64{5e-324, 5e-324}, 5e-324},
		{[]float64{1, nan, 2}, nan}, {[]float64{-inf, inf}, nan}, {[]float64{inf, 1, inf}, inf},
	} {
		t.Run(fmt.Sprint(test.values), func(t *testing.T) {
			got := Median(slices.Clone(test.values))
			if got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
