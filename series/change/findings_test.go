package change_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series/change"
	"perfdata/traceid"
)

// TestOneCause puts one change into 150 of 500 series, which have different noise and miss some
// commits.
func TestOneCause(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var f change.Finder
	var all []change.Found
	for i := range 500 {
		sigma := 0.005 + 0.03*r.Float64()
		s := change.Found{Better: format.Lower, Params: traceid.Of("suite", "a", "test", fmt.Sprint(i))}
		var values []float64
		for c := range 200 {
			if r.IntN(10) == 0 {
				continue
			}
			v := 100 * (1 + sigma*r.NormFloat64())
			if i < 150 && c >= 120 {
				v *= 1.15
			}
			values = append(values, v)
			s.Commits = append(s.Commits, c)
		}
		if i < 150 {
			s.Params = traceid.Merge(s.Params, traceid.Of("arch", "arm"))
		}
		s.Points = slices.Clone(f.Find(values))
		all = append(all, s)
	}
	findings, _ := change.Findings(all, 0.05, 0.05)
	if len(findings) == 0 {
		t.Fatal("no findings")
	}
	first := findings[0]
	if first.At != 120 || first.Worse < 147 {
		t.Errorf("finding at %d, %d changes, %d worse", first.At, len(first.Changes), first.Worse)
	}
	if diff := cmp.Diff(traceid.Of("arch", "arm", "suite", "a"), first.Params); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
	for _, other := range findings[1:] {
		if other.At > 110 && other.At < 130 {
			t.Errorf("another finding at %d, %d to %d, with %d changes", other.At, other.Lo, other.Hi, len(other.Changes))
		}
	}
	if len(findings) > 1 {
		t.Errorf("%d findings, want one: %+v", len(findings), findings[1:])
	}
}

func TestFindings(t *testing.T) {
	point := func(lo, at, hi int, ratio, p float64) change.Point {
		return change.Point{Index: at, Lo: lo, Hi: hi, Before: 1, After: ratio, Ratio: ratio, P: p}
	}
	for _, test := range []struct {
		name   string
		series []change.Found
		want   string
	}{
		{"none", nil, "[]"},
		{"no points", []change.Found{{}}, "[]"},
		{"overlap", []change.Found{
			{Points: []change.Point{point(3, 5, 8, 1.1, 1e-6)}}, {Points: []change.Point{point(6, 7, 9, 1.2, 1e-6)}},
		}, "[step 7 6-8 x1.15 2]"},
		{"apart", []change.Found{
			{Points: []change.Point{point(3, 3, 3, 1.1, 1e-6)}}, {Points: []change.Point{point(9, 9, 9, 1.2, 1e-6)}},
		}, "[step 9 9-9 x1.20 1 step 3 3-3 x1.10 1]"},
		{"not significant together", []change.Found{
			{Points: []change.Point{point(3, 3, 3, 1.1, 0.02)}}, {}, {}, {},
		}, "[]"},
		{"the largest change is elsewhere", []change.Found{
			{Points: []change.Point{point(3, 6, 8, 1.5, 1e-6)}}, {Points: []change.Point{point(3, 5, 8, 1.1, 1e-6)}}, {Points: []change.Point{point(3, 5, 8, 1.1, 1e-6)}},
		}, "[step 5 3-8 x1.10 3]"},
		{"trend", []change.Found{
			{Points: []change.Point{{Index: 15, Lo: 10, Hi: 20, Before: 1, After: 2, Ratio: 2, P: 1e-6, Kind: change.Trend}}},
		}, "[trend 15 10-19 x2.00 1]"},
		{"commits without a value", []change.Found{
			{Points: []change.Point{point(1, 1, 1, 1.1, 1e-6)}, Commits: []int{0, 10, 20}},
		}, "[step 10 1-10 x1.10 1]"},
		{"below the threshold", []change.Found{{Points: []change.Point{point(3, 3, 3, 1.04, 1e-6)}}}, "[]"},
		{"two directions", []change.Found{
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 6, 9, 0.5, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 6, 9, 0.6, 1e-6)}, Better: format.Lower},
		}, "[step 6 5-9 x0.55 2 better step 7 5-9 x1.20 1 worse]"},
		{"a time and a rate", []change.Found{
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 7, 9, 0.8, 1e-6)}, Better: format.Higher},
		}, "[step 7 5-9 x1.00 2 worse]"},
		{"without a direction", []change.Found{
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}},
			{Points: []change.Point{point(5, 7, 9, 0.5, 1e-6)}},
			{Points: []change.Point{point(5, 7, 9, 1.1, 1e-6)}},
			{Points: []change.Point{point(5, 7, 9, 1.3, 1e-6)}, Better: format.Lower},
		}, "[step 7 5-9 x0.50 1 step 7 5-9 x1.15 2 step 7 5-9 x1.30 1 worse]"},
		{"there and back", []change.Found{
			{Points: []change.Point{point(5, 5, 5, 1.5, 1e-6), point(7, 7, 7, 0.5, 1e-6)}, Better: format.Lower},
		}, "[step 7 7-7 x0.50 1 better step 5 5-5 x1.50 1 worse]"},
		{"taken back", []change.Found{{
			Points: []change.Point{
				{Index: 5, Lo: 5, Hi: 5, Before: 10, After: 15, Ratio: 1.5, P: 1e-6}, {Index: 6, Lo: 6, Hi: 6, Kind: change.Outlier},
				{Index: 9, Lo: 9, Hi: 9, Before: 15, After: 10.1, Ratio: 10.1 / 15, P: 1e-6},
			},
			Better: format.Lower,
		}}, "[excursion 5 5-5 x1.50 1 worse]"},
		{"taken back after long", []change.Found{{
			Points: []change.Point{
				{Index: 5, Lo: 5, Hi: 5, Before: 10, After: 15, Ratio: 1.5, P: 1e-6},
				{Index: 14, Lo: 14, Hi: 14, Before: 15, After: 10, Ratio: 10. / 15, P: 1e-6},
			},
		}}, "[step 5 5-5 x1.50 1 step 14 14-14 x0.67 1]"},
		{"taken back in one of two", []change.Found{
			{Points: []change.Point{
				{Index: 5, Lo: 5, Hi: 5, Before: 10, After: 15, Ratio: 1.5, P: 1e-6},
				{Index: 9, Lo: 9, Hi: 9, Before: 15, After: 10, Ratio: 10. / 15, P: 1e-6},
			}},
			{Points: []change.Point{point(5, 5, 5, 1.5, 1e-6)}},
		}, "[step 5 5-5 x1.50 2 step 9 9-9 x0.67 1]"},
		{"trends in two directions", []change.Found{
			{Points: []change.Point{{Index: 15, Lo: 10, Hi: 20, Before: 1, After: 2, Ratio: 2, P: 1e-6, Kind: change.Trend}}, Better: format.Lower},
			{Points: []change.Point{{Index: 15, Lo: 10, Hi: 20, Before: 3, After: 1, Ratio: 1. / 3, P: 1e-6, Kind: change.Trend}}, Better: format.Lower},
		}, "[trend 15 10-19 x0.33 1 better trend 15 10-19 x2.00 1 worse]"},
		{"significant together", []change.Found{
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 7, 9, 0.8, 0.03)}, Better: format.Lower}, {}, {},
		}, "[step 7 5-9 x1.20 2 worse step 7 5-9 x0.80 1 better]"},
		{"significant together, but elsewhere", []change.Found{
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(5, 7, 9, 1.2, 1e-6)}, Better: format.Lower},
			{Points: []change.Point{point(15, 17, 19, 0.8, 0.03)}, Better: format.Lower}, {}, {},
		}, "[step 7 5-9 x1.20 2 worse]"},
		{"outlier", []change.Found{{Points: []change.Point{{Index: 3, Lo: 3, Hi: 3, Ratio: 9, Kind: change.Outlier}}}}, "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			findings, _ := change.Findings(test.series, 0.05, 0.05)
			got := []string{}
			for _, f := range findings {
				text := fmt.Sprintf("%s %d %d-%d x%.2f %d", f.Kind, f.At, f.Lo, f.Hi, f.Ratio, len(f.Changes))
				switch len(f.Changes) {
				case f.Worse:
					text += " worse"
				case f.Better:
					text += " better"
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, fmt.Sprint(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFindingsOrder changes the order of the series, many of which tie: nothing else changes.
func TestFindingsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var f change.Finder
	for range 50 {
		var all []change.Found
		for i := range 12 {
			values := make([]float64, 40)
			at, size := 8+r.IntN(6)+20*r.IntN(2), []float64{1.2, 0.7, 20, 0.01}[r.IntN(4)]
			for c := range values {
				values[c] = 100 + float64(c*7%3)
				if c >= at {
					values[c] *= size
				}
			}
			all = append(all, change.Found{Params: traceid.Of("name", fmt.Sprint(i)), Better: format.Lower, Points: slices.Clone(f.Find(values))})
		}
		describe := func() (text []string) {
			findings, _ := change.Findings(all, 0.05, 0.05)
			for _, f := range findings {
				text = append(text, fmt.Sprintf("%s %d %d-%d x%.2f %d+%d", f.Kind, f.At, f.Lo, f.Hi, f.Ratio, f.Worse, f.Better))
			}
			slices.Sort(text)
			return text
		}
		want := describe()
		for range 3 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			if diff := cmp.Diff(want, describe()); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	}
}
