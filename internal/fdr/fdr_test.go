package fdr

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAdjust(t *testing.T) {
	for _, test := range []struct {
		name string
		p    []float64
		more int
		want []float64
	}{
		{"none", nil, 0, []float64{}},
		{"one", []float64{0.25}, 0, []float64{0.25}},
		{"not in order", []float64{0.5, 0.125, 0.25}, 0, []float64{0.5, 0.375, 0.375}},
		{"equal", []float64{0.25, 0.25}, 0, []float64{0.25, 0.25}},
		{"among more tests", []float64{0.125, 0.5}, 2, []float64{0.5, 1}},
		{"not a test", []float64{0.125, math.NaN(), 0.5}, 0, []float64{0.25, math.NaN(), 0.5}},
		{"a larger p pulls down", []float64{0.25, 0.375}, 0, []float64{0.375, 0.375}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Adjust(len(test.p), func(i int) float64 { return test.p[i] }, test.more), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
