package fdr

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdjust(t *testing.T) {
	for _, test := range []struct {
		name  string
		p     []float64
		tests int
		want  []float64
	}{
		{"none", nil, 0, []float64{}},
		{"one", []float64{0.25}, 1, []float64{0.25}},
		{"not in order", []float64{0.5, 0.125, 0.25}, 3, []float64{0.5, 0.375, 0.375}},
		{"equal", []float64{0.25, 0.25}, 2, []float64{0.25, 0.25}},
		{"among more tests", []float64{0.125, 0.5}, 4, []float64{0.5, 1}},
		{"a larger p pulls down", []float64{0.25, 0.375}, 2, []float64{0.375, 0.375}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Adjust(test.p, test.tests)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
