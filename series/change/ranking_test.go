package change

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The order of values is that of a stable sort by "<", for which 0 and -0 are equal.
func TestRanking(t *testing.T) {
	zero, tiny := math.Copysign(0, -1), math.SmallestNonzeroFloat64
	random := rand.New(rand.NewPCG(1, 2))
	many := make([]float64, 1000)
	for i := range many {
		many[i] = math.Trunc(random.NormFloat64()*300) / 3
	}
	for _, test := range []struct {
		name   string
		values []float64
	}{
		{"none", nil},
		{"one", []float64{2}},
		{"equal", []float64{2, 2, 2}},
		{"zeros", []float64{0, zero, 1, zero, 0, -1}},
		{"extremes", []float64{math.MaxFloat64, tiny, -tiny, -math.MaxFloat64, 0, 1, math.Nextafter(1, 2)}},
		{"many", many},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := []int32{}
			for i := range test.values {
				want = append(want, int32(i))
			}
			slices.SortStableFunc(want, func(a, b int32) int {
				switch x, y := test.values[a], test.values[b]; {
				case x < y:
					return -1
				case x > y:
					return 1
				}
				return 0
			})

			var r ranking
			for range 2 { // also with the memory of an earlier series
				r.set(test.values)
				if diff := cmp.Diff(want, append([]int32{}, r.order...)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			for i := 1; i < len(want); i++ {
				a, b := want[i-1], want[i]
				if (test.values[a] == test.values[b]) != (r.dense[a] == r.dense[b]) {
					t.Errorf("ranks %d and %d of %g and %g", r.dense[a], r.dense[b], test.values[a], test.values[b])
				}
			}
		})
	}
}
