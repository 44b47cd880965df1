package check

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/series/judgment"
)

// The figures in the package comment were printed by
//
//	go test -run 'Alone|Found|Many|FailsOnce|Needed|Replay' -v ./series/check -runs 1000 -replay
var runs = flag.Int("runs", 40, "runs of each simulation")

// runCount returns the number of runs of each simulation.
func runCount() int { return quick.Of(*runs, 20) }

// A noise returns a value, as a share of the level. The deviation of the values is about cv.
type noise func(r *rand.Rand, cv float64) float64

var noises = []struct {
	name string
	of   noise
}{
	{"normal", func(r *rand.Rand, cv float64) float64 { return 1 + cv*r.NormFloat64() }},
	{"lognormal", func(r *rand.Rand, cv float64) float64 { return math.Exp(1.5 * cv * math.Abs(r.NormFloat64())) }},
	{"spikes", func(r *rand.Rand, cv float64) float64 {
		if r.Float64() < 0.05 {
			return 1 + 5*cv
		}
		return 1 + cv*r.NormFloat64()
	}},
	{"two modes", func(r *rand.Rand, cv float64) float64 {
		return 1 + 2*cv*float64(r.IntN(10)/7) + cv/3*r.NormFloat64()
	}},
}

// A simulation draws samples. Runs differ by half of the noise.
type simulation struct {
	r  *rand.Rand
	of noise
	cv float64
}

// sample returns the values of a run.
func (s *simulation) sample(level float64, values int) series.Sample {
	var sample series.Sample
	level *= 1 + s.cv/2*s.r.NormFloat64()
	for range values {
		sample.Values = append(sample.Values, level*s.of(s.r, s.cv))
	}
	return sample
}

// samples returns the samples of several runs, each of a commit.
func (s *simulation) samples(level float64, runs, values int) []series.Sample {
	samples := make([]series.Sample, runs)
	for i := range samples {
		samples[i] = s.sample(level, values)
		samples[i].Commit = i
	}
	return samples
}

func newSimulation(seed uint64, of noise, cv float64) *simulation {
	return &simulation{rand.New(rand.NewPCG(37, seed)), of, cv}
}

// atMost reports whether a count is as expected at most, with three deviations for chance.
func atMost(count int, share float64, of int) bool { return isWithin(count, share, of, 3) }

func isWithin(count int, share float64, of int, deviations float64) bool {
	expected := share * float64(of)
	return float64(count) <= expected+deviations*math.Sqrt(expected)
}

// cellRuns returns the number of runs of each of many cells, whose counts are added up: all of them show a change
// of a rate better than each cell with 40 runs would.
func cellRuns() int {
	if *runs > 40 {
		return runCount()
	}
	return min(runCount(), 16)
}

// counts has how many of the runs of each of several groups of cells are counted.
type counts map[string][2]int

func (c counts) add(group string, count, of int) {
	c[group] = [2]int{c[group][0] + count, c[group][1] + of}
}

// wantAtMost reports groups with more than a share, with two deviations for chance.
func (c counts) wantAtMost(t *testing.T, share float64) {
	t.Helper()
	for group, n := range c {
		if !isWithin(n[0], share, n[1], 2) {
			t.Errorf("%s: %d of %d, want at most %g%%", group, n[0], n[1], 100*share)
		}
	}
}

// A form is how many values and runs there are.
type form struct{ old, runs, values int }

// simulate returns how many series, each alone in its run, are worse or suspected to be.
func simulate(s *simulation, f form, runs int, step float64) (worse, unknown int) {
	var c Checker
	for range runs {
		in := Input{History: s.samples(100, 20+s.r.IntN(41), f.old), New: s.samples(100*step, f.runs, f.values),
			Better: format.Lower}
		switch c.Judge([]Input{in})[0].Verdict {
		case judgment.Worse:
			worse++
		case judgment.Unknown:
			unknown++
		}
	}
	return worse, unknown
}

// Alone in its run, an unchanged series is accused in at most 1% of the runs, and in 0.5% of those of a noise. It is
// accused in 0.16% of 115,000. With 16 runs of a cell, 0.9% of the 4,608 are noticed in nine of ten cases, and 5% of
// the 128 of a form.
func TestAlone(t *testing.T) {
	runs, ofForms, ofNoises := cellRuns(), counts{}, counts{}
	seed := uint64(100) // another one for each cell, so that their counts can be added
	for _, noise := range noises {
		for _, cv := range []float64{0.02, 0.08}[quick.Of(0, 1):] {
			for _, old := range []int{1, 5, 10}[:quick.Of(3, 1)] {
				for _, f := range []form{
					{old, 1, 1}, {old, 1, 2}, {old, 1, 5}, {old, 1, 10}, {old, 1, 20},
					{old, 2, 1}, {old, 3, 1}, {old, 5, 1}, {old, 10, 1}, {old, 20, 1}, {old, 2, 5}, {old, 5, 4},
				} {
					t.Run(fmt.Sprintf("%s/%g%%/%v", noise.name, cv*100, f), func(t *testing.T) {
						seed++
						worse, unknown := simulate(newSimulation(seed, noise.of, cv), f, runs, 1)
						t.Logf("%d of %d are worse, %d unknown", worse, runs, unknown)
						if worse > 2 && !atMost(worse, 0.01, runs) {
							t.Errorf("%d of %d unchanged series are worse, want at most 1%%", worse, runs)
						}
						ofForms.add(fmt.Sprint(f), worse, runs)
						ofNoises.add(noise.name, worse, runs)
						ofNoises.add("all", worse, runs)
					})
				}
			}
		}
	}
	ofForms.wantAtMost(t, 0.01)
	ofNoises.wantAtMost(t, 0.005)
}

// A step of 20% at a noise of 8% is found: more values and more runs find more.
func TestFound(t *testing.T) {
	for _, tt := range []struct {
		form
		want float64
	}{
		{form{5, 10, 1}, 0.9}, {form{5, 10, 5}, 0.9}, {form{10, 10, 1}, 0.9},
		{form{5, 1, 10}, 0.6}, {form{10, 1, 10}, 0.6},
		{form{1, 1, 1}, 0.3}, {form{1, 1, 10}, 0.3}, {form{1, 10, 1}, 0}, {form{1, 3, 1}, 0},
	} {
		for _, noise := range noises {
			t.Run(fmt.Sprintf("%s/%v", noise.name, tt.form), func(t *testing.T) {
				worse, _ := simulate(newSimulation(2, noise.of, 0.08), tt.form, runCount(), 1.2)
				t.Logf("%d of %d are worse", worse, runCount())
				if !atMost(runCount()-worse, 1-tt.want, runCount()) && noise.name == "normal" {
					t.Errorf("%d of %d steps are found, want %.0f%%", worse, runCount(), 100*tt.want)
				}
			})
		}
	}
}

// Among 100 series, at most 5% of unchanged runs have one that is worse, and not only suspect: 2.4% of 6,400. A
// step of 20% at a noise of 3% is found in 95%, with one new value after 20 of one value. With 16 runs of a cell, 10%
// of the 256 that fail are noticed in nine of ten cases.
func TestMany(t *testing.T) {
	runs, all := cellRuns(), counts{}
	seed := uint64(600)
	for _, noise := range noises {
		for _, cv := range []float64{0.03, 0.08} {
			for _, f := range []form{{1, 1, 1}, {5, 1, 5}} {
				t.Run(fmt.Sprintf("%s/%g%%/%v", noise.name, cv*100, f), func(t *testing.T) {
					seed++
					failed, _ := simulateMany(newSimulation(seed, noise.of, cv), f, runs, quick.Of(100, 15), 1)
					t.Logf("%d of %d unchanged runs fail", failed, runs)
					if !atMost(failed, 0.05, runs) {
						t.Errorf("%d of %d unchanged runs fail, want at most 5%%", failed, runs)
					}
					all.add("all", failed, runs)
				})
			}
		}
	}
	all.wantAtMost(t, 0.05)
	for _, count := range []int{1, 10, 100}[:quick.Of(3, 2)] {
		t.Run(fmt.Sprintf("step among %d", count), func(t *testing.T) {
			_, found := simulateMany(newSimulation(4, noises[0].of, 0.03), form{1, 1, 1}, runCount(), count, 1.2)
			t.Logf("%d of %d steps are found", found, runCount())
			if !atMost(runCount()-found, 0.05, runCount()) {
				t.Errorf("%d of %d steps are found, want 95%%", found, runCount())
			}
		})
	}
}

// simulateMany judges runs of many series after 20 commits. In the first, the new level is higher by a
// step. It returns in how many runs a series is certain to be worse, and in how many the first is.
func simulateMany(s *simulation, f form, runs, count int, step float64) (failed, found int) {
	var c Checker
	all := make([]Input, count)
	for range runs {
		for i := range all {
			level := 100.0
			if i == 0 {
				level *= step
			}
			all[i] = Input{History: s.samples(100, 20, f.old), New: s.samples(level, f.runs, f.values), Better: format.Lower}
		}
		isFailed := false
		for i, res := range c.Judge(all) {
			if res.Verdict == judgment.Worse && !res.Suspect {
				isFailed = true
				if i == 0 {
					found++
				}
			}
		}
		if isFailed {
			failed++
		}
	}
	return failed, found
}

// A regression fails one commit: the first at which it is certain.
func TestFailsOnce(t *testing.T) {
	for _, values := range []int{1, 2, 3, 5, 0} { // 0: exact
		t.Run(fmt.Sprintf("%d values", values), func(t *testing.T) {
			s := newSimulation(5, noises[0].of, 0.03)
			var c Checker
			none, several := 0, 0
			for range runCount() {
				old := 12 + s.r.IntN(40)
				after := 12
				history := append(s.samples(100, old, max(1, values)), s.samples(120, after, max(1, values))...)
				for i := range history {
					history[i].Commit = i
					if values == 0 {
						history[i].Values[0] = 100
						if i >= old {
							history[i].Values[0] = 120
						}
					}
				}
				fails := 0
				for i := old; i < len(history); i++ {
					in := Input{History: history[:i], New: history[i : i+1], Better: format.Lower}
					if r := c.Judge([]Input{in})[0]; r.Verdict == judgment.Worse && !r.Suspect && !r.Known {
						fails++
					}
				}
				if fails == 0 {
					none++
				}
				if fails > 1 {
					several++
				}
			}
			t.Logf("of %d histories, %d fail no commit, and %d several", runCount(), none, several)
			if !atMost(none, 0.03, runCount()) || !atMost(several, 0.05, runCount()) {
				t.Errorf("of %d histories, %d fail no commit, and %d several: want at most 3%% and 5%%", runCount(), none, several)
			}
		})
	}
}

// The number of values that is said to be needed decides in at least 70% of the cases.
func TestNeeded(t *testing.T) {
	for _, old := range []int{1, 5} {
		for _, f := range []struct {
			name        string
			least, most int // commits of the history
		}{{"short history", 1, 6}, {"history", 10, 60}} {
			t.Run(fmt.Sprintf("%s/%d values", f.name, old), func(t *testing.T) {
				var c Checker
				cases, decided := 0, 0
				for i := 0; cases < runCount() && i < quick.Of(100, 10)*runCount(); i++ {
					s := newSimulation(uint64(1000+i), noises[i%len(noises)].of, []float64{0.02, 0.08}[i/4%2])
					level := []float64{100, 105, 110, 120, 130}[i/8%5]
					in := Input{History: s.samples(100, f.least+s.r.IntN(f.most-f.least+1), old), New: s.samples(level, 1, old),
						Better: format.Lower}
					r := c.Judge([]Input{in})[0]
					if r.Verdict != judgment.Unknown || r.Needed == 0 {
						continue
					}

					cases++
					switch {
					case r.Reason != "":
						in.History = s.samples(100, len(in.History)+r.Needed, old)
					default:
						in.New = append(in.New, s.samples(level, r.Needed, old)...)
					}
					if c.Judge([]Input{in})[0].Verdict != judgment.Unknown {
						decided++
					}
				}
				t.Logf("%d of %d are decided", decided, cases)
				if !atMost(cases-decided, 0.3, cases) {
					t.Errorf("%d of %d are decided, want 70%%", decided, cases)
				}
			})
		}
	}
}
