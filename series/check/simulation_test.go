package check

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"perfdata/format"
	"perfdata/series/judgment"
)

var runs = flag.Int("runs", 60, "runs of each simulation: 1000 for the figures in README")

// A noise returns a value at 100, given the previous one.
type noise func(r *rand.Rand, last float64) float64

var noises = []struct {
	name string
	of   noise
}{
	{"normal", func(r *rand.Rand, _ float64) float64 { return 100 + 3*r.NormFloat64() }},
	{"heavy tails", func(r *rand.Rand, _ float64) float64 {
		return 100 + 2*r.ExpFloat64()*float64(1-2*r.IntN(2))
	}},
	{"slow runs", func(r *rand.Rand, _ float64) float64 { return 95 + 5*math.Exp(0.5*r.NormFloat64()) }},
	{"spikes", func(r *rand.Rand, _ float64) float64 {
		if r.Float64() < 0.03 {
			return 120 + 100*r.Float64()
		}
		return 100 + 3*r.NormFloat64()
	}},
	{"two modes", func(r *rand.Rand, _ float64) float64 {
		return 100 + 10*float64(r.IntN(3)/2) + r.NormFloat64()
	}},
	{"autocorrelation", func(r *rand.Rand, last float64) float64 {
		if last == 0 {
			last = 100
		}
		return 100 + 0.5*(last-100) + 2.6*r.NormFloat64()
	}},
}

// simulate judges runs of series with old values and a new one. In the first series of each, the new
// value is multiplied by a step. It returns in how many runs a series is worse, and in how many the
// first is.
func simulate(of noise, count, old int, step float64) (failed, found int) {
	r := rand.New(rand.NewPCG(27, uint64(count)))
	all := make([]Series, count)
	var c Checker
	for range *runs {
		for i := range all {
			values, last := make([]float64, old+1), 0.0
			for j := range values {
				last = of(r, last)
				values[j] = last
			}
			all[i] = Series{History: values[:old], New: values[old:], Better: format.Lower}
		}
		all[0].New[0] *= step
		results, fails := c.Judge(all), false
		for i := range results {
			if res := &results[i]; res.Verdict == judgment.Worse && !res.Suspect {
				fails = true
				if i == 0 {
					found++
				}
			}
		}
		if fails {
			failed++
		}
	}
	return failed, found
}

// Of unchanged runs of 100 series, at most one in twenty fails. The test allows what chance does to so
// few runs.
func TestUnchanged(t *testing.T) {
	for _, noise := range noises {
		t.Run(noise.name, func(t *testing.T) {
			failed, _ := simulate(noise.of, 100, 20, 1)
			t.Logf("%d of %d unchanged runs of 100 series fail", failed, *runs)
			expected := 0.05 * float64(*runs)
			if most := expected + 3*math.Sqrt(expected); float64(failed) > most {
				t.Errorf("%d of %d unchanged runs fail, want at most %.0f", failed, *runs, most)
			}
		})
	}
}

// A step of 20% at 3% noise is found in 95% of the runs with one new value and 20 old ones.
func TestStepFound(t *testing.T) {
	for _, count := range []int{1, 10, 100} {
		_, found := simulate(noises[0].of, count, 20, 1.2)
		t.Logf("found in %d of %d runs of %d series", found, *runs, count)
		missed := 0.05 * float64(*runs)
		if least := float64(*runs) - missed - 3*math.Sqrt(missed); float64(found) < least {
			t.Errorf("found in %d of %d runs of %d series, want %.0f", found, *runs, count, least)
		}
	}
}
