package peers

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/corpus"
)

// A number is one that JSON may spell as a string, such as "NaN".
type number float64

func (n *number) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		_, err := fmt.Sscan(text, (*float64)(n))
		return err
	}
	return json.Unmarshal(data, (*float64)(n))
}

// TestEDivisive compares with the recorded steps of Otava.
func TestEDivisive(t *testing.T) {
	for _, path := range corpus.Glob(t, corpus.Shared(t, "oracles", "changepoints"), "*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var file struct {
				Values []float64
				Otava  []struct {
					Window    int     `json:"window_len"`
					MaxP      float64 `json:"max_pvalue"`
					Magnitude float64 `json:"min_magnitude"`
					Points    []struct {
						Index        int
						P            number
						Mean1, Mean2 float64
					} `json:"change_points"`
				}
			}
			corpus.ReadOracle(t, path, &file)
			for _, o := range file.Otava {
				e := EDivisive{Window: o.Window, MaxP: o.MaxP, MinMagnitude: o.Magnitude}
				points := e.Find(file.Values)
				if len(points) != len(o.Points) {
					t.Errorf("window %d, p %g: %d points, want %d", o.Window, o.MaxP, len(points), len(o.Points))
					continue
				}
				for i, want := range o.Points {
					p := points[i]
					if p.Index != want.Index || !near(p.P, float64(want.P)) ||
						!near(p.Before, want.Mean1) || !near(p.After, want.Mean2) {
						t.Errorf("window %d, p %g: %+v, want %+v", o.Window, o.MaxP, p, want)
					}
				}
			}
		})
	}
}

// near tells whether two numbers differ by at most 1e-9 of the second.
func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-9*math.Abs(want)
}

// TestBestSplit compares the best splits of short series, and of intervals of them.
func TestBestSplit(t *testing.T) {
	var all []struct {
		Values            []float64
		Start, End, Index int
		QHat              float64
	}
	corpus.ReadOracle(t, filepath.Join(corpus.Shared(t, "oracles", ""), "edivisive-qhat.json"), &all)
	for i, want := range all {
		var g grid
		g.set(want.Values)
		at, q := g.best(want.Start, want.End)
		if at != want.Index || !near(q, want.QHat) {
			t.Errorf("case %d: split at %d with %g, want %d with %g", i, at, q, want.Index, want.QHat)
		}
	}
}

// TestStepFit compares with the recorded fits of Skia Perf, bit by bit.
func TestStepFit(t *testing.T) {
	for _, path := range corpus.Glob(t, corpus.Shared(t, "oracles", "skia-stepfit"), "*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var file struct {
				Values []float64
				Radius int
				Params map[string][2]float32
				Fits   map[string][][]json.RawMessage
			}
			corpus.ReadOracle(t, path, &file)
			values := make([]float32, len(file.Values))
			for i, v := range file.Values {
				values[i] = float32(v)
			}
			for method, fits := range file.Fits {
				s := StepFit{StepMethod(method), file.Params[method][0], file.Params[method][1]}
				for _, want := range fits {
					var at int
					_ = json.Unmarshal(want[0], &at)
					got := s.Fit(values[at-file.Radius : at+file.Radius+1])
					for i, n := range []float32{got.Size, got.LeastSquares, got.Regression} {
						var x number
						if err := json.Unmarshal(want[i+1], &x); err != nil || float32(x) != n && (x == x || n == n) {
							t.Errorf("%s at %d: %v, want %s", method, at, got, want)
						}
					}
					if string(want[4]) != `"`+string(got.Status)+`"` {
						t.Errorf("%s at %d: %v, want %s", method, at, got, want)
					}
				}
			}
		})
	}
}

// TestStudent compares p of Student's t-test with scipy's. Otava divides variances by n, scipy by
// n-1.
func TestStudent(t *testing.T) {
	var all []struct {
		A, B []float64
		P    number `json:"student_p"`
	}
	corpus.ReadOracle(t, filepath.Join(corpus.Shared(t, "oracles", ""), "two-samples.json"), &all)
	for i, test := range all {
		a, va := meanVariance(test.A)
		b, vb := meanVariance(test.B)
		n, m := float64(len(test.A)), float64(len(test.B))
		tt := (a - b) / math.Sqrt((n*va+m*vb)/(n+m-2)*(1/n+1/m))
		got := studentP(tt, n+m-2)
		if want := float64(test.P); !near(got, want) && (got == got || want == want) {
			t.Errorf("case %d: %g, want %g", i, got, want)
		}
	}
}

// A row of interesting fits is one step, at the clearest of them.
func TestStepFitFind(t *testing.T) {
	values := []float64{math.NaN()}
	for i := range 60 {
		v := 100 + float64(i*7%5)
		if i >= 20 && i < 40 {
			v += 30
		}
		values = append(values, v)
	}
	for _, fit := range []StepFit{{Method: MannWhitneyStep, Interesting: 0.01}, {Method: CohenStep, Interesting: 3}} {
		t.Run(string(fit.Method), func(t *testing.T) {
			var got []int
			for _, p := range fit.Find(values, 7) {
				got = append(got, p.Index)
			}
			if diff := cmp.Diff([]int{21, 41}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if points := (StepFit{Method: PercentStep}).Find(values[:5], 7); points != nil {
		t.Errorf("few values: %v", points)
	}
}
