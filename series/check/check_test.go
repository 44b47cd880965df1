package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/judgment"
)

// text returns a result in short.
func text(r *Result) string {
	s := r.VerdictText() + fmt.Sprintf(" %.4g of %d", r.Ratio, r.Old.N)
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	if r.Needed > 0 {
		s += fmt.Sprintf(", needs %d", r.Needed)
	}
	return s
}

var (
	five = []float64{100, 103, 98, 101, 102}
	nan  = math.NaN()
)

// repeat returns values as many times.
func repeat(values []float64, times int) []float64 {
	return slices.Repeat(values, times)
}

// added returns the values plus a number.
func added(values []float64, by float64) []float64 {
	sum := slices.Clone(values)
	for i := range sum {
		sum[i] += by
	}
	return sum
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name string
		s    Input
		want string
	}{
		{"the same", Input{History: singles(five), New: singles([]float64{104})}, "same 1.03 of 5"},
		{"noise", Input{History: singles([]float64{100, 106, 95, 101, 103}), New: singles([]float64{108})}, "within noise 1.069 of 5"},
		{"far beyond noise", Input{History: singles([]float64{100, 106, 95, 101, 103}), New: singles([]float64{130})}, "worse 1.287 of 5"},
		{"worse", Input{History: singles(five), New: singles([]float64{130})}, "worse 1.287 of 5"},
		{"better", Input{History: singles(five), New: singles([]float64{70})}, "better 0.6931 of 5"},
		{"higher is better", Input{History: singles(five), New: singles([]float64{70}), Better: format.Higher}, "worse 0.6931 of 5"},
		{"few values", Input{History: singles(five[:3]), New: singles([]float64{130})},
			"unknown 1.3 of 3: the history has too few values, needs 2"},
		{"no history", Input{New: singles([]float64{130})}, "unknown 0 of 0: no value of the history is a number"},
		{"no number in the history", Input{History: singles([]float64{nan, math.Inf(1)}), New: singles([]float64{130})},
			"unknown 0 of 0: no value of the history is a number"},
		{"no number", Input{History: singles(five), New: singles([]float64{nan})}, "unknown 0 of 0: no new value is a number"},
		{"gaps", Input{History: singles([]float64{nan, 100, 103, math.Inf(1), 98, 101, 102}), New: singles([]float64{nan, 130})},
			"worse 1.287 of 5"},
		{"equal values", Input{History: singles(repeat([]float64{7}, 5)), New: singles([]float64{8})}, "worse 1.143 of 5"},
		{"exact", Input{History: singles(five[:1]), New: singles([]float64{106}), Exact: true}, "worse 1.06 of 1"},
		{"exact, below the threshold", Input{History: singles(five[:1]), New: singles([]float64{104}), Exact: true}, "same 1.04 of 1"},
		{"negative", Input{History: singles([]float64{-100, -103, -98, -101, -102}), New: singles([]float64{-70})}, "worse 1.307 of 5"},
		{"zero", Input{History: singles(repeat([]float64{0}, 5)), New: singles([]float64{1})}, "worse +Inf of 5"},
		{"still zero", Input{History: singles(repeat([]float64{0}, 5)), New: singles([]float64{0})}, "same 1 of 5"},
		{"inside of twenty values", Input{History: singles(append(append(repeat(five, 2), 140), repeat(five, 2)...)),
			New: singles([]float64{135})}, "within noise 1.337 of 21"},
		{"the level after a change", Input{History: singles(append(repeat(five, 4), repeat(added(five, 50), 3)...)),
			New: singles([]float64{150})}, "same 0.9934 of 15"},
		{"worse than after a change", Input{History: singles(append(repeat(five, 4), repeat(added(five, -50), 3)...)),
			New: singles([]float64{100})}, "worse 1.961 of 15"},
		{"largest numbers", Input{History: singles([]float64{1e308, -1e308, 1e308, -1e308, 1e308}), New: singles([]float64{1.7e308})},
			"within noise 1.7 of 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.s.Better == format.Unknown {
				tt.s.Better = format.Lower
			}
			var c Checker
			if diff := cmp.Diff(tt.want, text(&c.Judge([]Input{tt.s})[0])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A difference of a series without a direction is a change.
func TestChanged(t *testing.T) {
	var c Checker
	if r := c.Judge([]Input{{History: singles(five), New: singles([]float64{130})}})[0]; r.Verdict != judgment.Changed {
		t.Errorf("verdict %v", r.Verdict)
	}
}

// The interval encloses a new value, and does not contain values that there cannot be.
func TestInterval(t *testing.T) {
	noisy := []float64{1, 9, 5, 2, 8, 5}
	for _, tt := range []struct {
		name  string
		s     Input
		isLow func(lo float64) bool
	}{
		{"positive", Input{History: singles(noisy), New: singles([]float64{6})}, func(lo float64) bool { return lo == 0 }},
		{"positive, and little noise", Input{History: singles(five), New: singles([]float64{6})}, func(lo float64) bool { return lo > 80 && lo < 98 }},
		{"not negative", Input{History: singles(added(noisy, -1)), New: singles([]float64{0})}, func(lo float64) bool { return lo == 0 }},
		{"negative", Input{History: singles(added(noisy, -2)), New: singles([]float64{6})}, func(lo float64) bool { return lo < -3 }},
		{"negative before the gap", Input{History: singles(append([]float64{-1, nan}, noisy...)), New: singles([]float64{6})},
			func(lo float64) bool { return lo < -3 }},
		{"negative now", Input{History: singles(noisy), New: singles([]float64{-1})}, func(lo float64) bool { return lo < -1 }},
		{"infinite", Input{History: singles(append([]float64{math.Inf(-1)}, noisy...)), New: singles([]float64{6})},
			func(lo float64) bool { return lo == 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c Checker
			r := c.Judge([]Input{tt.s})[0]
			if !tt.isLow(r.Old.Lo) || r.Old.Hi < 9 {
				t.Errorf("%g from %g to %g", r.Old.Median, r.Old.Lo, r.Old.Hi)
			}
		})
	}
}

// Some of these are in every table of Student's distribution.
func TestStudentScore(t *testing.T) {
	for _, tt := range []struct {
		share float64
		n     int
		want  float64
	}{{0, 4, 0}, {0.5, 3, 0.816496581}, {0.95, 4, 4.302652730}, {0.995, 4, 14.089047276}, {0.95, 9, 2.306004135},
		{0.99, 19, 2.878440473}, {1e-9, 19, 1.2710e-9}} {
		if got := studentScore(tt.share, tt.n); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%g of %d values: %.9f, want %.9f", tt.share, tt.n, got, tt.want)
		}
	}
}

// The bits are the same on all platforms.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var all []Input
	for i := range 12 {
		history := make([]float64, 8+i)
		for j := range history {
			history[j] = float64(900+r.IntN(100)) / 7
		}
		all = append(all, Input{History: singles(history), New: singles([]float64{float64(900+r.IntN(300)) / 7})})
	}
	var c Checker
	results := c.Judge(all)
	var got []string
	for _, r := range results[:4] {
		got = append(got, fmt.Sprintf("%x %x %x %x", r.Old.Lo, r.Old.Hi, r.P, r.Q))
	}
	want := []string{
		"0x1.d8bbb4fe5d8a8p+06 0x1.3cda44243b9f4p+07 0x1.c71c71c71c71cp-02 0x1.c71c71c71c71cp-02",
		"0x1.ef9d4f6dd573ep+06 0x1.1b2a7dffd6c55p+07 0x1.d9d8bbe8a7069p-08 0x1.d9d8bbe8a7069p-07",
		"0x1.fb9a4da2eef02p+06 0x1.215173c32bebap+07 0x1.2acb77ae4e19cp-16 0x1.2acb77ae4e19cp-14",
		"0x1.facc5dbddb7dcp+06 0x1.20dc130565ddep+07 0x1.44b2471fb3d96p-08 0x1.85a2bbbfa49e7p-07",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What several new values say began in the history.
func TestSince(t *testing.T) {
	history := append(repeat(five, 6), added(five, 20)[:2]...)
	var c Checker
	r := c.Judge([]Input{{History: singles(history), New: singles(added(five, 20)), Better: format.Lower}})[0]
	if r.Verdict != judgment.Worse || r.Level != 30 {
		t.Errorf("%s since %d, want worse since 30", text(&r), r.Level)
	}
}

// A step that a few commits of the history have already is as clear as one that none has, also if all
// series have it.
func TestLate(t *testing.T) {
	for late := range 10 {
		history := append(repeat(five, 4), added(repeat(five, 2), 20)[:late]...)
		all := repeatInput(Input{History: singles(history), New: singles([]float64{121}), Better: format.Lower}, 50)
		var c Checker
		for _, r := range c.Judge(all) {
			if r.Verdict != judgment.Worse || r.Suspect || r.Level != 20 || r.Old.N != 20 {
				t.Fatalf("after %d commits: %s since %d", late, text(&r), r.Level)
			}
		}
	}
}

func repeatInput(s Input, times int) []Input { return slices.Repeat([]Input{s}, times) }

// A level that has lasted for ten commits is the one to compare with, and so is a better one of five.
func TestBase(t *testing.T) {
	for _, tt := range []struct {
		name      string
		late      int
		by, value float64
		want      string
	}{
		{"worse for ten commits", 10, 20, 121, "same 1 of 10"},
		{"better for five commits, and now as before", 5, -20, 101, "worse 1.247 of 5"},
		{"better for three commits, and now as before", 3, -20, 101, "same 1 of 23"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			history := append(repeat(five, 4), added(repeat(five, 2), tt.by)[:tt.late]...)
			var c Checker
			r := c.Judge([]Input{{History: singles(history), New: singles([]float64{tt.value}), Better: format.Lower}})[0]
			if diff := cmp.Diff(tt.want, text(&r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// scale returns samples with all values multiplied.
func scale(samples []series.Sample, factor float64) []series.Sample {
	var scaled []series.Sample
	for _, s := range samples {
		values := slices.Clone(s.Values)
		for i := range values {
			values[i] *= factor
		}
		scaled = append(scaled, series.Sample{Commit: s.Commit, Values: values})
	}
	return scaled
}

// The order of series, and other factors of their values, change no verdict.
func TestJudgeTogether(t *testing.T) {
	var all, other []Input
	for i := range 20 {
		s := Input{History: singles(repeat(added(five, float64(i)), 4)), New: singles([]float64{100 + float64(i*i)}), Better: format.Lower}
		all = append(all, s)
		scaled := Input{New: scale(s.New, 1024), History: scale(s.History, 1024), Better: format.Lower}
		other = append(other, scaled)
	}
	slices.Reverse(other)
	var c Checker
	want := c.Judge(all)
	got := c.Judge(other)
	slices.Reverse(got)
	for i := range want {
		if diff := cmp.Diff(text(&want[i]), text(&got[i])); diff != "" || want[i].P != got[i].P {
			t.Errorf("series %d: (-want +got):\n%s%g, %g", i, diff, want[i].P, got[i].P)
		}
	}
}

// Whatever the values, verdicts agree with the numbers beside them.
func FuzzJudge(f *testing.F) {
	f.Add(100.0, 3.0, 20, 120.0)
	f.Add(0.0, 0.0, 5, 0.0)
	f.Add(math.MaxFloat64, math.MaxFloat64, 30, -math.MaxFloat64)
	f.Add(5e-324, 5e-324, 30, math.Inf(1))
	f.Add(1.3482698511467367e+308, 8.560443499344361e+307, 194, -1.7976931348623156e+306) // more new values than are needed
	f.Add(1.3482698511467367e+308, 8.560443499344361e+307, 227, -1.7976931348623156e+306) // scores of all sizes
	f.Fuzz(func(t *testing.T, level, noise float64, n int, value float64) {
		history := make([]float64, min(max(n, 0), 300))
		for i := range history {
			history[i] = level + noise*float64(i*i%7-3)
		}
		var c Checker
		all := []Input{{History: singles(history), New: singles([]float64{value}), Better: format.Lower}, {History: singles(history), New: singles(history)}}
		for _, r := range c.Judge(all) {
			switch {
			case r.Verdict.IsDifferent() && (r.Reason != "" || !(math.Abs(r.Ratio-1) > 0.05) || !(r.P < 0.05)):
				t.Errorf("%+v", r)
			case r.Base < 0 || r.Base+r.Old.N > len(history) || r.Level > len(history):
				t.Errorf("%+v of %d values", r, len(history))
			case r.P < 0 || r.P > 1 || r.Q < r.P || r.Needed < 0:
				t.Errorf("%+v", r)
			}
		}
	})
}

// Soon after a change, the runs before it say how much noise there is.
func TestBorrow(t *testing.T) {
	noisy := []float64{100, 130, 85, 120, 95, 110, 80, 125, 90, 105}
	calm := repeat([]float64{50, 50.1, 49.9, 50.2, 49.8, 50}, 2)
	var c Checker
	for _, tt := range []struct {
		name    string
		history []float64
		want    judgment.Verdict
	}{
		{"after noise", append(repeat(noisy, 2), calm...), judgment.Noise},
		{"after none", append(repeat([]float64{100, 100.5, 99.5, 100.2}, 5), calm...), judgment.Worse},
		{"alone", calm, judgment.Worse},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := c.Judge([]Input{{History: singles(tt.history), New: singles([]float64{57}), Better: format.Lower}})[0]
			if r.Verdict != tt.want || r.Old.N != len(calm) || r.Old.Median != 50 {
				t.Errorf("%s, p=%g, want %v", text(&r), r.P, tt.want)
			}
		})
	}
}

// The medians of runs hide spikes of their values, of which a new run may have three.
func TestSpikesWithin(t *testing.T) {
	var history []series.Sample
	for i := range 20 {
		values := added(five, float64(i%3))
		values[i%5] = 160
		history = append(history, series.Sample{Commit: i, Values: values})
	}
	for _, tt := range []struct {
		spikes int
		want   judgment.Verdict
	}{{2, judgment.Same}, {3, judgment.Noise}} {
		latest := slices.Clone(five)
		for i := range tt.spikes {
			latest[i] = 160
		}
		var c Checker
		in := Input{History: history, New: []series.Sample{{Values: latest}}, Better: format.Lower}
		if r := c.Judge([]Input{in})[0]; r.Verdict != tt.want {
			t.Errorf("%d spikes: %s, p=%g, want %v", tt.spikes, text(&r), r.P, tt.want)
		}
	}
}

// A change that is certain for a series alone is a suspicion in a run of several if an old run has
// been two thirds as far.
func TestClear(t *testing.T) {
	history := append(repeat(five, 6), 113)
	in := Input{History: singles(append(history, five...)), New: singles([]float64{119}), Better: format.Lower}
	for _, tt := range []struct {
		count     int
		isSuspect bool
	}{{1, false}, {10, true}} {
		var c Checker
		if r := c.Judge(repeatInput(in, tt.count))[0]; r.Verdict != judgment.Worse || r.Suspect != tt.isSuspect {
			t.Errorf("among %d: %s, p=%g", tt.count, text(&r), r.P)
		}
	}
}

// Noise with two modes is not a step if the history has been in both.
func TestTwoModes(t *testing.T) {
	history := append(repeat(five, 4), 115) // one of 21 values
	var c Checker
	r := c.Judge([]Input{{History: singles(append(history, five...)), New: singles([]float64{118}), Better: format.Lower}})[0]
	if r.Verdict != judgment.Noise || r.P < 2.0/27 {
		t.Errorf("%s, p=%g", text(&r), r.P)
	}
}

// Spreads of few values that differ by chance are moved to the usual one, and spreads that differ
// because the noise does are not moved.
func TestModerator(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   func(i int) float64 // the noise of a series
		n    int
		isOK func(weight float64) bool
	}{
		{"one noise, few values", func(int) float64 { return 3 }, 10, func(w float64) bool { return w > 0.7 }},
		{"one noise, many values", func(int) float64 { return 3 }, 80, func(w float64) bool { return w > 0.7 }},
		{"noises of 1 to 10", func(i int) float64 { return float64(1 + i%10) }, 80, func(w float64) bool { return w < 0.1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(27, 1))
			var m moderator
			for i := range 200 {
				values := make([]float64, tt.n)
				for j := range values {
					values[j] = 100 + tt.of(i)*r.NormFloat64()
				}
				m.add(100, values)
			}
			m.settle()
			if !tt.isOK(m.weight) {
				t.Errorf("the weight of the usual spread is %.2f", m.weight)
			}
		})
	}

	// Equal values have no spread, and few histories say nothing.
	var m moderator
	for _, values := range [][]float64{five, five, repeat([]float64{7}, 9), {0, 0, 0, 0, 0}, {1e308, -1e308, 1e308, 1, 2}} {
		m.add(7, values)
	}
	m.settle()
	if got := m.moderate(100, 3); got != 3 {
		t.Errorf("a spread of 3 became %g", got)
	}
}
