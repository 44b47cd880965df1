package change_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/change/peers"
)

// The method that the tests of this file score. They fail only for the default method.
var method = flag.String("method", "finder", "the `method`: finder, edivisive or stepfit")

// wants reports a row of the table in the package comment that does not hold.
func wants(t *testing.T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds && *method == "finder" {
		t.Errorf("want "+format, args...)
	}
}

// A history is a series of the table: the values of each commit, and the places of its steps.
type history struct {
	name   string
	values [][]float64
	truth  []int
}

// single returns a history of one value a commit.
func single(name string, values []float64, truth ...int) history {
	h := history{name: name, truth: truth}
	for i := range values {
		h.values = append(h.values, values[i:i+1])
	}
	return h
}

func (h *history) samples() []series.Sample {
	samples := make([]series.Sample, len(h.values))
	for i, v := range h.values {
		samples[i] = series.Sample{Commit: i, Values: v}
	}
	return samples
}

// find returns the points of a history by the method.
func find(t testing.TB, h *history) []change.Point {
	t.Helper()
	_, medians := series.Medians(h.samples())
	switch *method {
	case "finder":
		return new(change.Finder).FindSamples(h.samples())
	case "edivisive":
		return new(peers.EDivisive).Find(medians)
	case "stepfit":
		return peers.StepFit{Method: peers.MannWhitneyStep, Interesting: 0.05}.Find(medians, 7)
	}
	t.Fatalf("unknown method %q", *method)
	return nil
}

// shown returns the points of each history that the findings of all are made of.
func shown(t testing.TB, all []history) [][]change.Point {
	t.Helper()
	found := make([]change.Found, len(all))
	for i := range all {
		found[i].Points = find(t, &all[i])
	}
	points := make([][]change.Point, len(all))
	_, changes := change.Findings(found, 0.05, 0)
	for _, c := range changes {
		if p := found[c.Series].Points[c.Point]; p.Q <= 0.05 {
			points[c.Series] = append(points[c.Series], p)
		}
	}
	return points
}

// isNear reports whether a place is within a distance of one of the places.
func isNear(places []int, at, distance int) bool {
	return slices.ContainsFunc(places, func(p int) bool { return abs(p-at) <= distance })
}

// isUnderTrend reports whether a trend encloses a place.
func isUnderTrend(points []change.Point, at int) bool {
	return slices.ContainsFunc(points, func(p change.Point) bool { return p.Kind == change.Trend && p.Lo <= at && at <= p.Hi })
}

// realHistories returns the public histories of the oracles, and the steps of each that nobody would dispute.
func realHistories(t testing.TB) []history {
	t.Helper()
	var all []struct {
		Name   string
		Values []float64
		Clear  []int
	}
	corpus.ReadOracle(t, filepath.Join(corpus.Shared(t, "oracles", "quality"), "real.json"), &all)
	var histories []history
	for _, s := range all {
		histories = append(histories, single(s.Name, s.Values, s.Clear...))
	}
	return histories
}

func TestClearSteps(t *testing.T) {
	all := realHistories(t)
	var clear, found, steps, trends, badTrends int
	missed := ""
	for i, points := range shown(t, all) {
		h := all[i]
		places := stepsOf(points)
		steps += len(places)
		for _, at := range h.truth {
			clear++
			if isNear(places, at, 3) {
				found++
			} else {
				missed += fmt.Sprintf(" %s#%d@%d(trend %v)", strings.SplitN(h.name, "|", 2)[0], i, at, isUnderTrend(points, at))
			}
		}
		for _, p := range points {
			if p.Kind == change.Trend {
				trends++
				if hidesStep(h, p) {
					badTrends++
				}
			}
		}
	}
	t.Logf("%d of %d clear steps (%.1f%%); %d steps in all; %d of %d trends hide a step; missed:%s",
		found, clear, 100*float64(found)/float64(clear), steps, badTrends, trends, missed)
	wants(t, 100*found >= 95*clear && steps <= 450 && badTrends == 0, "95%%, 450 steps at most, and no such trend")
}

// hidesStep reports whether there is a clear step inside of a trend.
func hidesStep(h history, p change.Point) bool {
	values := make([]float64, len(h.values))
	var moves []float64
	for i := range values {
		values[i] = h.values[i][0]
		if i > 0 {
			moves = append(moves, math.Abs(values[i]-values[i-1]))
		}
	}
	noise := max(medianOf(moves), 1e-12)
	for _, at := range h.truth {
		if p.Lo < at && at < p.Hi && math.Abs(medianOf(values[at:min(at+8, len(values))])-medianOf(values[max(at-8, 0):at])) > 4*noise {
			return true
		}
	}
	return false
}

func medianOf(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func TestWalks(t *testing.T) {
	for _, background := range []struct {
		name               string
		walk, drift, noise float64
	}{
		{"white 1%", 0, 0, .01},
		{"walk 0.05%, noise 0.1%", .0005, 0, .001},
		{"walk 0.1%, noise 0.1%", .001, 0, .001},
		{"walk 0.1%, noise 1%", .001, 0, .01},
		{"drift 10%, noise 0.3%", 0, .1, .003},
	} {
		t.Run(background.name, func(t *testing.T) {
			for s, size := range []float64{1, 1.05, 1.2, 2, 10} {
				r := rand.New(rand.NewPCG(uint64(s), 1+uint64(len(background.name))))
				var all []history
				for range 100 * *many / 60 {
					level := 0.0
					values := make([]float64, 100)
					for i := range values {
						level += background.walk * r.NormFloat64()
						values[i] = 100 * math.Exp(level) * (1 + background.drift*float64(i)/100) * (1 + background.noise*r.NormFloat64())
						if i >= 50 {
							values[i] *= size
						}
					}
					all = append(all, single("", values))
				}
				falses, found := 0, 0
				for _, points := range shown(t, all) {
					falses += len(stepsOf(points))
					if isNear(stepsOf(points), 50, 3) {
						found++
					}
				}
				switch {
				case size == 1:
					t.Logf("%.2f false steps in 1,000 values", 10*float64(falses)/float64(len(all)))
					wants(t, 10*falses <= 8*len(all), "8 at most")
				case size == 1.05 && background.noise == .01:
				default:
					t.Logf("x %g: %d of %d, and %d others", size, found, len(all), falses-found)
					wants(t, 100*found >= 95*len(all), "95%% of x %g", size)
				}
			}
		})
	}
}

// A shortSet is a set of histories of a few commits.
type shortSet struct {
	name             string
	commits, repeats int
	noise, step      float64 // the noise within a commit, and the height of steps, of the level
	isExact, isLate  bool    // counters without noise; the step is in the last two commits
}

func shortSets() []shortSet {
	var sets []shortSet
	for _, n := range []int{6, 8, 12, 20, 30} {
		sets = append(sets,
			shortSet{"exact, +50%", n, 1, 0, 0.5, true, false},
			shortSet{"noise 2%, +10%", n, 5, 0.02, 0.10, false, false},
			shortSet{"noise 5%, +50%", n, 5, 0.05, 0.50, false, false},
			shortSet{"noise 2%, +20%", n, 1, 0.02, 0.20, false, false})
	}
	for _, n := range []int{12, 30} {
		sets = append(sets,
			shortSet{"noise 5%, +10%", n, 10, 0.05, 0.10, false, false},
			shortSet{"last 2, noise 2%, +20%", n, 5, 0.02, 0.20, false, true},
			shortSet{"last 2, exact", n, 1, 0, 0.5, true, true})
	}
	return sets
}

// histories makes 60 histories, of which a third have a step.
func (s *shortSet) histories(seed uint64) []history {
	r := rand.New(rand.NewPCG(seed, 7))
	var all []history
	for i := range 60 {
		base := 50 + 4950*r.Float64()
		up := base * s.step
		if s.isExact {
			base = []float64{3, 4, 7, 12, 100, 1000}[r.IntN(6)]
			up = max(1, math.RoundToEven(base*s.step))
		}
		h := history{}
		at := s.commits
		if i%3 == 0 {
			if at = 2 + r.IntN(s.commits-3); s.isLate {
				at = s.commits - 2
			}
			h.truth = []int{at}
		}
		for c := range s.commits {
			level := base
			if c >= at {
				level += up
			}
			move := level * r.NormFloat64() * s.noise * 0.5
			var values []float64
			for range s.repeats {
				if s.isExact {
					values = append(values, level)
				} else {
					values = append(values, max(1e-3, move+level+level*r.NormFloat64()*s.noise))
				}
			}
			h.values = append(h.values, values)
		}
		all = append(all, h)
	}
	return all
}

func TestShortHistories(t *testing.T) {
	var found, steps, accused, unchanged int
	for round := range *many / 15 {
		for i, s := range shortSets() {
			all := s.histories(uint64(1000*round + i))
			hits, falses, n := 0, 0, 0
			for j, points := range shown(t, all) {
				places := stepsOf(points)
				if len(all[j].truth) == 0 {
					unchanged++
					if len(points) > 0 && slices.ContainsFunc(points, func(p change.Point) bool { return p.Kind != change.Outlier }) {
						falses++
					}
					continue
				}
				n++
				if len(places) == 1 && abs(places[0]-all[j].truth[0]) <= 1 {
					hits++
				}
			}
			t.Logf("%2d commits x %2d, %-24s %2d of %d, %d accused", s.commits, s.repeats, s.name, hits, n, falses)
			found, steps, accused = found+hits, steps+n, accused+falses
		}
	}
	t.Logf("%d of %d (%.1f%%); %d of %d accused (%.2f%%)", found, steps, 100*float64(found)/float64(steps),
		accused, unchanged, 100*float64(accused)/float64(unchanged))
	wants(t, 100*found >= 95*steps && 100*accused <= unchanged, "95%%, and 1%% at most")
}

func TestDelay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	noise := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 100 + r.NormFloat64()
		}
		return v
	}
	var late, growing []history
	for range 200 {
		v := noise(100)
		for i := range v[96:] {
			v[96+i] += 10
		}
		late = append(late, single("", v))
	}
	for range *many {
		v := noise(130)
		for i := range v[100:] {
			v[100+i] += 3
		}
		for k := 1; k <= 20; k++ {
			growing = append(growing, single("", v[:100+k]))
		}
	}

	found := 0
	for _, points := range shown(t, late) {
		if isNear(stepsOf(points), 96, 1) {
			found++
		}
	}
	points := shown(t, growing)
	var delays []int
	for i := 0; i < len(points); i += 20 {
		k := 1
		for k <= 20 && !isNear(stepsOf(points[i+k-1]), 100, 3) {
			k++
		}
		delays = append(delays, k)
	}
	slices.Sort(delays)
	t.Logf("the last 4 of 100: %.1f%%; found after %d values (median), %d (90th percentile)", float64(found)/2, delays[*many/2], delays[*many*9/10])
	wants(t, found >= 190 && delays[*many/2] <= 5 && delays[*many*9/10] <= 8, "95%%, 5 and 8")
}

func TestStableSteps(t *testing.T) {
	all := slices.DeleteFunc(realHistories(t), func(h history) bool { return len(h.values) < 60 })
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:quick.Of(40, 28)]
	most := quick.Of(140, 120) // values
	var grown []history
	for _, h := range all {
		for k := 40; k <= min(len(h.values), most)+1; k++ {
			grown = append(grown, history{values: h.values[:min(k, len(h.values))]})
		}
	}
	points := shown(t, grown)
	var old, gone, moved int
	i := 0
	for _, h := range all {
		for k := 40; k <= min(len(h.values), most); k++ {
			next := stepsOf(points[i+1])
			for _, at := range stepsOf(points[i]) {
				if at >= k-20 {
					continue
				}
				old++
				switch {
				case slices.Contains(next, at):
				case isNear(next, at, 3):
					moved++
				default:
					gone++
				}
			}
			i++
		}
		i++
	}
	t.Logf("of %d old steps, %.2f%% vanish or move far, %.2f%% move by 1 to 3", old, 100*float64(gone)/float64(old), 100*float64(moved)/float64(old))
	wants(t, 1000*gone <= 15*old && 100*moved <= 2*old, "1.5%% and 2%% at most")
}

func TestDrifts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var all []history
	count := 20 * *many
	for i := range count {
		n := []int{20, 40, 80, 160}[i%4]
		size := []float64{4, 8, 12}[i%3]
		v := make([]float64, n)
		for k := range v {
			v[k] = 100 + r.NormFloat64() + size*float64(k)/float64(n)
		}
		all = append(all, single("", v))
	}
	trends, steps := 0, 0
	for _, points := range shown(t, all) {
		if len(stepsOf(points)) > 0 {
			steps++
		}
		if slices.ContainsFunc(points, func(p change.Point) bool { return p.Kind == change.Trend }) {
			trends++
		}
	}
	t.Logf("%d of %d drifts named trends, %d have a step", trends, count, steps)
	wants(t, 120*trends >= 90*count && 120*steps <= 6*count, "90 of 120, and 6 at most")
}
