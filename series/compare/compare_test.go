package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchmath"

	"perfdata/format"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/judgment"
	"perfdata/traceid"
)

// p equals benchmath's, with and without equal values.
func TestP(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	comparer := compare.NewComparer(compare.DefaultOptions())
	for range quick.Of(2000, 800) {
		sample := func() []float64 {
			values := make([]float64, 1+random.IntN(12))
			if random.IntN(40) == 0 {
				values = make([]float64, 20+random.IntN(40))
			}
			for i := range values {
				values[i] = float64(random.IntN(1 + 1<<random.IntN(20)))
			}
			return values
		}
		old, new := sample(), sample()
		got := comparer.Samples(old, new, format.Lower, false)
		thresholds := benchmath.DefaultThresholds
		want := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(old), &thresholds),
			benchmath.NewSample(slices.Clone(new), &thresholds)).P
		if math.Abs(got.P-want) > 1e-12*want {
			t.Fatalf("%v %v: p %v, want %v", old, new, got.P, want)
		}
	}
}

// The ratio and its interval are taken from the sorted ratios of all pairs.
func TestInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	comparer := compare.NewComparer(compare.DefaultOptions())
	// The ranks are the results of R's qwilcox(0.025, n, m).
	ranks := map[[2]int]int{
		{3, 3}: 0, {4, 4}: 1, {5, 5}: 3, {6, 6}: 6, {10, 10}: 24, {4, 8}: 5, {2, 8}: 1, {20, 20}: 128,
	}
	for sizes, rank := range ranks {
		for _, kind := range []string{"positive", "signs"} {
			t.Run(fmt.Sprint(sizes, kind), func(t *testing.T) {
				sample := func(n int) []float64 {
					values := make([]float64, n)
					for i := range values {
						values[i] = math.Exp(random.NormFloat64())
						if kind == "signs" {
							values[i] = random.NormFloat64()
						}
					}
					return values
				}
				old, new := sample(sizes[0]), sample(sizes[1])
				got := comparer.Samples(old, new, format.Lower, false)

				center := median(old)
				var pairs []float64
				for _, a := range old {
					for _, b := range new {
						if kind == "positive" {
							pairs = append(pairs, b/a)
						} else {
							pairs = append(pairs, 1+(b-a)/math.Abs(center))
						}
					}
				}
				slices.Sort(pairs)
				if want := median(pairs); math.Abs(got.Estimate.Ratio/want-1) > 0.5 || len(pairs)%2 == 1 && got.Estimate.Ratio != want {
					t.Errorf("ratio %v, want %v", got.Estimate.Ratio, want)
				}
				if rank == 0 {
					if !math.IsInf(got.Estimate.Hi, 1) {
						t.Errorf("interval to %v, want none", got.Estimate.Hi)
					}
					return
				}
				if lo, hi := pairs[rank-1], pairs[len(pairs)-rank]; !near(got.Estimate.Lo, lo) || !near(got.Estimate.Hi, hi) {
					t.Errorf("interval from %v to %v, want from %v to %v", got.Estimate.Lo, got.Estimate.Hi, lo, hi)
				}
			})
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// times returns a sample of n different values near x.
func times(x float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = x * (1 + float64(i)/1000)
	}
	return values
}

func TestVerdicts(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name     string
		old, new []float64
		better   format.Direction
		exact    bool
		want     string
	}{
		{"slower", times(100, 10), times(120, 10), format.Lower, false, "worse"},
		{"faster", times(120, 10), times(100, 10), format.Lower, false, "better"},
		{"a rate that rises", times(100, 10), times(120, 10), format.Higher, false, "better"},
		{"a rate that falls", times(120, 10), times(100, 10), format.Higher, false, "worse"},
		{"no direction", times(100, 10), times(120, 10), format.Unknown, false, "changed"},
		{"within the threshold", times(100, 10), times(102, 10), format.Lower, false, "same"},
		{"at the threshold", times(100, 10), times(105, 10), format.Lower, false, "unknown"},
		{"equal", times(100, 10), times(100, 10), format.Lower, false, "same"},
		{"all values equal", make([]float64, 4), make([]float64, 4), format.Lower, false, "same"},
		{"one value", times(100, 1), times(200, 1), format.Lower, false, "unknown 4"},
		{"three values", times(100, 3), times(200, 3), format.Lower, false, "unknown 4"},
		{"four values", times(100, 4), times(200, 4), format.Lower, false, "worse"},
		{"one exact value", times(100, 1), times(106, 1), format.Lower, true, "worse"},
		{"one exact value within the threshold", times(100, 1), times(105, 1), format.Lower, true, "same"},
		{"an exact value from zero", []float64{0}, []float64{1}, format.Lower, true, "worse"},
		{"an exact value to zero", []float64{1}, []float64{0}, format.Lower, true, "better"},
		{"exact zeros", []float64{0}, []float64{0}, format.Lower, true, "same"},
		{"exact values that differ", []float64{1, 1, 2}, []float64{1}, format.Lower, true, "same inexact"},
		{"from zero", make([]float64, 5), times(1, 5), format.Lower, false, "worse"},
		{"negative values that rise", times(-100, 5), times(-50, 5), format.Lower, false, "worse"},
		{"denormal values", times(5e-324, 5), times(5e-322, 5), format.Lower, false, "worse"},
		{"huge values", times(1e-300, 5), times(1e300, 5), format.Lower, false, "worse"},
		{"huge values of both signs", times(-1e308, 5), times(1e308, 5), format.Lower, false, "worse"},
		{"no value", nil, times(1, 5), format.Lower, false, "unknown: there is no value on one side"},
		{"NaN", []float64{1, math.NaN()}, times(1, 5), format.Lower, false, "unknown: a value is not a finite number"},
		{"infinite", times(1, 5), []float64{inf}, format.Lower, true, "unknown: a value is not a finite number"},
		{"noise", []float64{1, 9, 2, 8, 3, 7}, []float64{2, 9, 1, 8, 5, 7}, format.Lower, false, "unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			comparer := compare.NewComparer(compare.DefaultOptions())
			r := comparer.Samples(test.old, test.new, test.better, test.exact)
			got := r.Verdict.String()
			if r.Needed > 0 && strings.HasSuffix(test.want, fmt.Sprint(" ", r.Needed)) {
				got += fmt.Sprint(" ", r.Needed)
			}
			if r.Inexact {
				got += " inexact"
			}
			if r.Reason != "" {
				got += ": " + r.Reason
			}
			if got != test.want {
				t.Errorf("%s, want %s: %+v", got, test.want, r)
			}
		})
	}
}

// q is computed from the rows whose interval is beyond the threshold.
func TestAdjust(t *testing.T) {
	options := compare.DefaultOptions()
	beyond := func(p float64) *judgment.Judgment {
		return &judgment.Judgment{P: p, Estimate: judgment.Estimate{Lo: 1.1, Hi: 1.2}, Verdict: judgment.Worse}
	}
	results := []*judgment.Judgment{
		beyond(0.01), {P: 0.001, Estimate: judgment.Estimate{Lo: 0.9, Hi: 1.1}}, beyond(0.03), beyond(0.04), beyond(0.2), {P: math.NaN(), Estimate: judgment.Estimate{Lo: 2, Hi: 2}},
	}
	options.Adjust(results)
	want := []string{"0.040", "NaN", "0.053", "0.053", "0.200", "NaN"}
	var got, suspect []string
	for _, r := range results {
		got = append(got, fmt.Sprintf("%.3f", r.Q))
		suspect = append(suspect, fmt.Sprint(r.Suspect))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("q (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"false", "false", "true", "true", "true", "false"}, suspect); diff != "" {
		t.Errorf("suspect (-want +got):\n%s", diff)
	}
}

// describe returns a report as text.
func describe(r *compare.Report) string {
	var b strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s %s %s %.4g %.4g %t %d+%d\n", row.Series.Trace, row.Verdict, row.Better, row.Ratio, row.P, row.Series.ByUnit,
			row.Old.N, row.New.N)
		if row.From != nil {
			fmt.Fprintf(&b, "from %s\n", row.From.Unit)
		}
	}
	for _, g := range r.Geomeans {
		fmt.Fprintf(&b, "geomean %s %s %.4g %.4g %.4g %d %t\n", g.Group.ID(), g.Unit, g.Old, g.New, g.Ratio, g.Series, g.SameSets)
	}
	for side, all := range [][]*series.Series{r.OnlyOld, r.OnlyNew} {
		for _, s := range all {
			fmt.Fprintf(&b, "only %s %s\n", []string{"old", "new"}[side], s.Trace)
		}
	}
	return b.String()
}

// lines returns n lines of a benchmark whose values grow a little.
func lines(name string, value float64, unit string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s 1 %g %s\n", name, value*(1+float64(i)/1000), unit)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string
		rule     compare.Rule
		set      func(*series.Series)
		want     string
	}{
		{
			name: "the worst first",
			old:  lines("A", 10, "ns/op", 5) + lines("B", 10, "ns/op", 5) + lines("C", 10, "ns/op", 5) + lines("D", 10, "ns/op", 1),
			new:  lines("A", 10, "ns/op", 5) + lines("B", 5, "ns/op", 5) + lines("C", 20, "ns/op", 5) + lines("D", 10, "ns/op", 1),
			want: `,name=C,unit=ns_op, worse lower 2 0.007937 true 5+5
,name=B,unit=ns_op, better lower 0.5 0.007937 true 5+5
,name=D,unit=ns_op, unknown lower 1 1 true 1+1
,name=A,unit=ns_op, same lower 1 1 true 5+5
geomean , ns/op 10.01 10.01 1 4 true
`,
		},
		{
			name: "units of one quantity",
			old:  lines("A", 1000, "ns/op", 4) + lines("B", 4, "ns/op", 4),
			new:  lines("A", 2, "us/op", 4) + lines("C", 4, "ns/op", 4),
			want: `,name=A,unit=us_op, worse lower 2 0.02857 true 4+4
from ns/op
geomean , ns/op 4.006 4.006 NaN 0 false
geomean , us/op 1.002 2.003 2 1 true
only old ,name=B,unit=ns_op,
only new ,name=C,unit=ns_op,
`,
		},
		{
			name: "groups",
			old:  "os: linux\n" + lines("A", 10, "ns/op", 1) + "os: plan9\n" + lines("A", 30, "ns/op", 1),
			new:  "os: linux\n" + lines("A", 20, "ns/op", 1) + "os: plan9\n" + lines("A", 15, "ns/op", 1),
			rule: compare.Rule{By: []string{"os"}}, set: func(s *series.Series) { s.Exact = true },
			want: `,name=A,os=linux,unit=ns_op, worse lower 2 NaN true 1+1
,name=A,os=plan9,unit=ns_op, better lower 0.5 NaN true 1+1
geomean ,os=linux, ns/op 10 20 2 1 true
geomean ,os=plan9, ns/op 30 15 0.5 1 true
`,
		},
		{
			name: "a direction",
			old:  lines("A", 10, "x", 5),
			new:  lines("A", 20, "x", 5),
			set:  func(s *series.Series) { s.Better = format.Higher },
			want: ",name=A,unit=x, better higher 2 0.007937 false 5+5\ngeomean , x 10.02 20.04 2 1 true\n",
		},
		{name: "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := collect(t, test.old, test.new)
			for _, s := range all {
				if test.set != nil {
					test.set(s)
				}
			}
			report := compare.NewComparer(compare.DefaultOptions()).Compare(all, test.rule)
			got := strings.ReplaceAll(describe(report), "geomean  ", "geomean , ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The order of the lines does not matter, and values that are there twice do not change medians.
func TestCompareOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	options := compare.DefaultOptions()
	for range 50 {
		var sides [2][]string
		for side := range sides {
			for range 1 + random.IntN(60) {
				line := lines(string(rune('A'+random.IntN(4))), math.Exp(random.NormFloat64()), []string{"ns/op", "B/op"}[random.IntN(2)], 1)
				sides[side] = append(sides[side], line)
			}
		}
		text := func() string {
			return describe(compare.NewComparer(options).Compare(
				collect(t, strings.Join(sides[0], ""), strings.Join(sides[1], "")), compare.Rule{}))
		}
		sorted := func() string {
			lines := strings.Split(text(), "\n")
			slices.Sort(lines)
			return strings.Join(lines, "\n")
		}
		want := sorted()
		for _, side := range sides {
			random.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
		}
		if diff := cmp.Diff(want, sorted()); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

// Swapping the sides inverts the ratio, and makes worse better.
func TestSwapped(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	comparer := compare.NewComparer(compare.DefaultOptions())
	for range 300 {
		sample := func() []float64 {
			values := make([]float64, 1+random.IntN(9))
			for i := range values {
				values[i] = math.Exp(random.NormFloat64())
			}
			return values
		}
		old, new := sample(), sample()
		a, b := comparer.Samples(old, new, format.Lower, false), comparer.Samples(new, old, format.Lower, false)
		if math.Abs(a.Estimate.Ratio*b.Estimate.Ratio-1) > 1e-9 || math.Abs(a.P-b.P) > 1e-12 || a.Needed > 0 && b.Verdict == judgment.Worse {
			t.Fatalf("%v %v: %+v and %+v", old, new, a, b)
		}
	}
}

func FuzzSamples(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{4, 5, 6}, false)
	f.Add([]byte{0, 0}, []byte{0}, true)
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, math.Copysign(0, -1)}
	f.Fuzz(func(t *testing.T, a, b []byte, exact bool) {
		sample := func(bytes []byte) []float64 {
			var values []float64
			for _, c := range bytes[:min(len(bytes), 60)] {
				if int(c) >= 256-len(special) {
					values = append(values, special[255-int(c)])
				} else {
					values = append(values, float64(c)-20)
				}
			}
			return values
		}
		old, new := sample(a), sample(b)
		r := compare.NewComparer(compare.DefaultOptions()).Samples(old, new, format.Lower, exact)
		if r.Reason != "" {
			if r.Verdict != judgment.Unknown {
				t.Errorf("%v, although %s", r.Verdict, r.Reason)
			}
			return
		}
		// The ratio of the medians may be outside the interval, which is about the median of the ratios.
		if e := r.Estimate; r.Ratio != r.Ratio || !(e.Lo <= e.Ratio && e.Ratio <= e.Hi) {
			t.Errorf("%v %v: ratio %v, estimate %+v", old, new, r.Ratio, e)
		}
		if !exact && !(r.P >= 0 && r.P <= 2) { // above 1 as in benchstat
			t.Errorf("p is %v", r.P)
		}
		_, _, _ = r.Delta(0.05), r.Test(), r.Old.Percent()
	})
}

// A side of several commits in a known order is compared by its values since the last step, whatever came first.
func TestLevels(t *testing.T) {
	const commits, step = 40, 25
	level := func(before, after float64) *series.Records {
		return &series.Records{Name: "history", IsHistory: true, All: func(yield func(*format.Record, error) bool) {
			for i := range commits {
				rec := format.Record{Params: traceid.Of("name", "A"), Unit: "ns", Commit: fmt.Sprintf("c%02d", i)}
				if rec.Value = before; i >= step {
					rec.Value = after
				}
				rec.Value += float64(i % 3)
				if !yield(&rec, nil) {
					return
				}
			}
		}}
	}
	withoutOrder := level(100, 150)
	withoutOrder.IsHistory = false
	tests := []struct {
		name     string
		old, new *series.Records
		want     string
	}{
		{"old side", level(100, 150), level(150, 150), "same n=15+40 since c25+"},
		{"new side", level(100, 100), level(100, 150), "worse n=40+15 since +c25"},
		{"both sides", level(100, 150), level(200, 150), "same n=15+15 since c25+c25"},
		{"a guess", withoutOrder, level(150, 150), "unknown n=40+40 since +"},
		{"no step", level(100, 100), level(100, 100), "same n=40+40 since +"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var a series.Answer
			for side, source := range []*series.Records{tt.old, tt.new} {
				if err := a.Ask(t.Context(), side, &series.Question{}, source); err != nil {
					t.Fatal(err)
				}
			}
			a.Sort()
			row := compare.NewComparer(compare.DefaultOptions()).Compare(a.Series(), compare.Rule{}).Rows[0]
			got := fmt.Sprintf("%s n=%d+%d since %s+%s", row.VerdictText(), row.Old.N, row.New.N, row.Old.Since, row.New.Since)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Values of a param are compared since the last step of each.
func TestLevelsAcross(t *testing.T) {
	a := series.Answer{Across: "level"}
	source := &series.Records{IsHistory: true, All: func(yield func(*format.Record, error) bool) {
		for i := range 40 {
			for k, name := range []string{"1", "9"} {
				rec := format.Record{Params: traceid.Of("level", name, "name", "A"), Unit: "ns", Commit: fmt.Sprintf("c%02d", i)}
				if rec.Value = 100 + float64(i%3); k == 1 && i >= 30 {
					rec.Value *= 2
				}
				if !yield(&rec, nil) {
					return
				}
			}
		}
	}}
	if err := a.Ask(t.Context(), series.Old, &series.Question{}, source); err != nil {
		t.Fatal(err)
	}
	a.Sort()
	rule := compare.Rule{Sides: a.Sides}
	row := compare.NewComparer(compare.DefaultOptions()).Compare(a.Series(), rule).Rows[0]
	if row.Verdict != judgment.Worse || row.New.N != 10 || row.New.Since != "c30" || row.Old.N != 40 {
		t.Errorf("%v of %d and %d values since %s, want worse of 40 and 10 since c30", row.Verdict, row.Old.N, row.New.N, row.New.Since)
	}
}
