package change_test

import (
	"flag"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/quick"
	"perfdata/series/change"
)

// The figures in the package comment are of -many 60. With 30, a rate of twice what a test allows is noticed in nine of
// ten cases.
var many = flag.Int("many", 30, "the `number` of generated series of each kind")

// stepsOf returns the places of the steps among points.
func stepsOf(points []change.Point) []int {
	var at []int
	for _, p := range points {
		if p.Kind == change.Step {
			at = append(at, p.Index)
		}
	}
	return at
}

// TestGenerated finds the steps of generated series, of seeds that the method was not tuned with.
func TestGenerated(t *testing.T) {
	var f change.Finder
	var all score
	for _, kind := range kinds {
		var s score
		for i := range *many {
			tr := generate(kind, uint64(1_000_000+i))
			found := stepsOf(f.Find(tr.values))
			s.add(tr, found)
			if kind != "student" {
				all.add(tr, found)
			}
		}
		t.Logf("%-9s %v", kind, &s)
	}
	t.Logf("%-9s %v", "all", &all)
	if all.f1() < 0.94 || all.falsePerThousand() > 0.2 {
		t.Errorf("%v, want F1 of 0.94 and 0.2 false points", &all)
	}
}

// TestUnchanged counts the points of autocorrelated series that do not change.
func TestUnchanged(t *testing.T) {
	var f change.Finder
	for _, n := range []int{100, 200, 300} {
		var s score
		for i := range 3 * *many {
			values := noise(rand.New(rand.NewPCG(uint64(i), uint64(n))), "ar8", n)
			s.add(trace{values: values}, stepsOf(f.Find(values)))
		}
		if t.Logf("%d values: %v", n, &s); s.falsePerThousand() > 1.5 {
			t.Errorf("%v", &s)
		}
	}
}

// TestTwoSigma finds a step of two standard deviations in the middle of 40 values. A line fits some of them
// nearly as well: those are trends.
func TestTwoSigma(t *testing.T) {
	var f change.Finder
	steps, found, all := 0, 0, 10**many
	for i := range all {
		values := noise(rand.New(rand.NewPCG(uint64(i), 2)), "gauss", 40)
		for j := range values[20:] {
			values[20+j] += 2
		}
		points := f.Find(values)
		if len(stepsOf(points)) > 0 {
			steps++
		}
		if slices.ContainsFunc(points, func(p change.Point) bool { return p.Kind != change.Outlier }) {
			found++
		}
	}
	if t.Logf("found in %d of %d, as steps in %d", found, all, steps); 100*found < 90*all || 100*steps < 70*all {
		t.Errorf("found in %d of %d, as steps in %d", found, all, steps)
	}
}

// TestTrend finds a trend and no step in series that drift.
func TestTrend(t *testing.T) {
	var f change.Finder
	drifting := 0
	count := 2 * *many
	for i := range count {
		points := f.Find(generate("drift", uint64(2_000_000+i)).values)
		if len(stepsOf(points)) == 0 && slices.ContainsFunc(points, func(p change.Point) bool { return p.Kind == change.Trend }) {
			drifting++
		}
	}
	if t.Logf("a trend in %d of %d", drifting, count); 100*drifting < 97*count {
		t.Errorf("a trend in %d of %d", drifting, count)
	}
}

// TestIntervals counts the intervals of found steps that contain the truth.
func TestIntervals(t *testing.T) {
	var f change.Finder
	var in, found int
	for _, kind := range kinds {
		var kindIn, kindFound int
		for i := range *many {
			tr := generate(kind, uint64(3_000_000+i))
			for _, p := range f.Find(tr.values) {
				near := slices.IndexFunc(tr.truth, func(at int) bool { return abs(at-p.Index) <= 10 })
				if p.Kind != change.Step || near < 0 {
					continue
				}
				kindFound++
				if at := tr.truth[near]; p.Lo <= at && at <= p.Hi {
					kindIn++
				}
			}
		}
		t.Logf("%-9s %d of %d", kind, kindIn, kindFound)
		in, found = in+kindIn, found+kindFound
	}
	if 100*in < 95*found {
		t.Errorf("%d of %d intervals contain the truth", in, found)
	}
}

// TestAppending counts how often a new value moves a step that is older than 20 values, makes
// one, or takes one away.
func TestAppending(t *testing.T) {
	var f change.Finder
	moves, all := 0, 0
	series := quick.Of(*many/6, 1)        // 9,000 values, of which 3 in 1,000 move an old step
	if testing.Short() && !quick.Test() { // it calls Find for each value
		series = *many / 15
	}
	for _, kind := range kinds {
		for i := range series {
			values := generate(kind, uint64(4_000_000+i)).values
			var before []int
			for n := 30; n <= len(values); n++ {
				all0 := stepsOf(f.Find(values[:n]))
				old := slices.DeleteFunc(slices.Clone(all0), func(at int) bool { return at >= n-21 })
				if n > 30 {
					all++
					young := func(at int) bool { return at >= n-21 }
					if !slices.Equal(slices.DeleteFunc(before, young), slices.DeleteFunc(slices.Clone(old), young)) {
						moves++
					}
				}
				before = all0
			}
		}
	}
	if t.Logf("%d of %d", moves, all); 100*moves > all {
		t.Errorf("%d of %d new values move an old step", moves, all)
	}
}

// A given is a series of the oracles in folder quality.
type given struct {
	Name, Kind  string
	Values      []float64
	Truth       []int
	Annotations map[string][]int
}

func readGiven(t *testing.T, set string) (all []given) {
	t.Helper()
	corpus.ReadOracle(t, filepath.Join(corpus.Shared(t, "oracles", "quality"), set+".json"), &all)
	return all
}

// TestGiven scores the series of the oracles.
func TestGiven(t *testing.T) {
	for _, test := range []struct {
		set    string
		f1     float64
		falses float64
	}{
		{"synthetic", 0.94, 0.3},
		{"realnoise", 0.93, 0.3},
	} {
		t.Run(test.set, func(t *testing.T) {
			var all score
			for _, g := range readGiven(t, test.set) {
				h := single(g.Name, g.Values)
				all.add(trace{values: g.Values, truth: g.Truth}, stepsOf(find(t, &h)))
			}
			t.Log(&all)
			wants(t, all.f1() >= test.f1 && all.falsePerThousand() <= test.falses, "F1 of %g and %g false points", test.f1, test.falses)
		})
	}
}

// TestAnnotated scores series that five people annotated. To find nothing is worth 0.703 and
// 0.615.
func TestAnnotated(t *testing.T) {
	var f change.Finder
	var f1, covering, recall float64
	all := readGiven(t, "tcpd")
	for _, g := range all {
		found := stepsOf(f.Find(g.Values))
		a, r := annotatedF1(g.Annotations, found)
		f1, recall = f1+a, recall+r
		covering += coverings(g.Annotations, found, len(g.Values))
	}
	n := float64(len(all))
	t.Logf("F1 %.3f, covering %.3f, recall %.3f", f1/n, covering/n, recall/n)
	if f1/n < 0.703 || covering/n < 0.615 {
		t.Errorf("F1 %.3f and covering %.3f are worse than finding nothing", f1/n, covering/n)
	}
}

// TestHistories logs what the default method finds in real histories whose changes people know.
func TestHistories(t *testing.T) {
	var f change.Finder
	for _, path := range corpus.Glob(t, corpus.Shared(t, "oracles", "perfherder-history"), "*.json") {
		var file struct {
			Points  [][2]float64
			Changes []float64
		}
		corpus.ReadOracle(t, path, &file)
		var values []float64
		var truth []int
		for i, p := range file.Points {
			values = append(values, p[1])
			for _, at := range file.Changes {
				if p[0] == at {
					truth = append(truth, i)
				}
			}
		}
		found := stepsOf(f.Find(values))
		hits := matches(truth, found)
		if t.Logf("%s: %v, Perfherder's tests have %v", filepath.Base(path), found, truth); 2*hits < len(truth) {
			t.Errorf("%s: %v, want most of %v", filepath.Base(path), found, truth)
		}
	}
	for _, path := range corpus.Glob(t, corpus.Shared(t, "oracles", "mongo-profiles"), "*.json") {
		var file struct {
			Series   []float64
			Expected int
		}
		corpus.ReadOracle(t, path, &file)
		t.Logf("%s: %d steps, MongoDB's tests have %d", filepath.Base(path), len(stepsOf(f.Find(file.Series))), file.Expected)
	}
}
