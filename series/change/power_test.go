package change_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/series"
	"perfdata/series/change"
)

// The least step that would be found is found, and half of it is not.
func TestLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var f change.Finder
	for _, test := range []struct {
		name  string
		n     int
		noise float64
	}{{"few", 8, 0.02}, {"twenty", 20, 0.05}, {"a hundred", 100, 0.01}} {
		t.Run(test.name, func(t *testing.T) {
			found, half := 0, 0
			for range 200 {
				level := make([]float64, test.n)
				for i := range level {
					level[i] = 100 * (1 + test.noise*r.NormFloat64())
				}
				f.Find(level)
				least := f.Least()
				with := func(step float64) bool {
					values := append([]float64(nil), level...)
					for i := test.n / 2; i < test.n; i++ {
						values[i] *= 1 + step
					}
					return len(stepsOf(f.Find(values))) > 0
				}
				if with(2 * least) {
					found++
				}
				if with(least / 2) {
					half++
				}
			}
			if t.Logf("found %d of 200, of half the size %d", found, half); found < 180 || half > 40 {
				t.Errorf("found %d of 200, of half the size %d", found, half)
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
				t.Errorf("%d commits are needed; least %g", needed, f.Least())
			}
		})
	}
	var f change.Finder
	if f.Find([]float64{1, 2}); !math.IsInf(f.Least(), 1) {
		t.Errorf("least of two values: %g", f.Least())
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

// Commits that were measured twice, with other noise, say nothing of those that were measured once.
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
