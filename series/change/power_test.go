package change_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/series"
	"perfdata/series/change"
)

// As many commits as are said to be needed are enough to find the step, and half of them are not.
func TestNeeded(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var f change.Finder
	for _, noise := range []float64{0.1, 0.2, 0.25} {
		t.Run(fmt.Sprint(noise), func(t *testing.T) {
			values := func(n int, step float64) []float64 {
				v := make([]float64, n)
				for i := range v {
					v[i] = 100 * (1 + noise*r.NormFloat64())
					if i >= n/2 {
						v[i] *= 1 + step
					}
				}
				return v
			}
			count := func(n int, step float64) (found int) {
				for range 200 {
					isChange := func(p change.Point) bool { return p.Kind != change.Outlier } // a line fits some as well
					if slices.ContainsFunc(f.Find(values(n, step)), isChange) {
						found++
					}
				}
				return found
			}
			var all []float64
			for range 101 { // what eight values say of their noise differs
				f.Find(values(8, 0))
				all = append(all, float64(max(f.Shortage(), 8)))
			}
			needed := int(medianOf(all))
			found, few := count(2*needed, 0.5), count(max(needed/2, 5), 0.5)
			if t.Logf("%d needed: found %d of 200 in twice as many, %d in half of them", needed, found, few); found < 150 || few > 150 {
				t.Errorf("%d needed: found %d of 200 in twice as many, %d in half of them", needed, found, few)
			}
		})
	}
}

func TestShortage(t *testing.T) {
	noisy := []float64{90, 150, 100, 60, 120, 80, 140, 95}
	for _, test := range []struct {
		name   string
		values []float64
		want   bool
	}{
		{"one", []float64{1}, true},
		{"five", []float64{1, 1, 1, 1, 1}, true},
		{"a counter", []float64{1, 1, 1, 1, 1, 1}, false},
		{"noise", noisy, true},
		{"little noise", []float64{100, 101, 100, 102, 100, 101, 99, 100, 101, 100}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var f change.Finder
			f.Find(test.values)
			if needed := f.Shortage(); needed > 0 != test.want || needed > 0 && needed <= len(test.values) {
				t.Errorf("%d commits are needed", needed)
			}
		})
	}
}

func TestReachNote(t *testing.T) {
	for _, test := range []struct {
		name     string
		reach    change.Reach
		findings int
		want     string
	}{
		{"no series", change.Reach{}, 0, ""},
		{"nothing", change.Reach{Series: 3}, 0, "no change of more than 5% was found"},
		{"something", change.Reach{Series: 3}, 1, ""},
		{"all are short", change.Reach{Series: 3, Short: 3, Needed: 14}, 0,
			"too few commits to find a step of 50% in noise like this: 14 are needed"},
		{"some are short", change.Reach{Series: 3, Short: 1, Needed: 1001}, 0,
			"no change of more than 5% was found; 1 of 3 series have too few commits to find a step of 50% in noise like theirs: " +
				"more than 1000 are needed"},
		{"something in others", change.Reach{Series: 3, Short: 2, Needed: 9}, 1,
			"2 of 3 series have too few commits to find a step of 50% in noise like theirs: 9 are needed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.reach.Note(test.findings, 0.05); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Commits that were measured twice, with other noise, say nothing about commits that were
// measured once.
func TestFewRepetitions(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	var samples []series.Sample
	for i := range 60 {
		v := 100 * (1 + 0.01*r.NormFloat64())
		if i >= 40 {
			v *= 1.1
		}
		values := []float64{v}
		if i%8 == 0 {
			values = []float64{v / 2, v * 1.5}
		}
		samples = append(samples, series.Sample{Commit: i, Values: values})
	}
	var f change.Finder
	if diff := cmp.Diff([]int{40}, stepsOf(f.FindSamples(samples))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
