package change_test

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A trace is a series with the changes that were put into it.
type trace struct {
	name   string
	kind   string
	values []float64
	truth  []int
}

// kinds are the kinds of noise that generate makes.
var kinds = []string{"gauss", "lognormal", "ar", "bimodal", "spikes", "counter", "drift", "student"}

// generate makes a series of a kind. One seed always makes the same one.
func generate(kind string, seed uint64) trace {
	r := rand.New(rand.NewPCG(seed, uint64(len(kind))*1000+uint64(kind[0])))
	t := trace{name: kind, kind: kind}
	switch kind {
	case "counter":
		counter(r, &t)
		return t
	case "drift":
		for i := range 300 {
			t.values = append(t.values, 1000*(1+0.1*float64(i)/300)+20*r.NormFloat64())
		}
		return t
	}
	n := 120 + r.IntN(280)
	t.truth = places(r, n)
	base := math.Pow(10, 6*r.Float64())
	sigma := base * 0.005 * math.Pow(10, r.Float64())
	t.values = noise(r, kind, n)
	level := base
	for i := range t.values {
		if slices.Contains(t.truth, i) {
			step := sigma * (1.5 + 4.5*r.Float64())
			if r.IntN(2) == 0 {
				step = -step
			}
			level += step
		}
		t.values[i] = level + sigma*t.values[i]
	}
	return t
}

// places returns none to four places of changes in n values, 15 or more from the ends.
func places(r *rand.Rand, n int) []int {
	if r.IntN(2) == 0 {
		return nil
	}
	var at []int
	for range 1 + r.IntN(4) {
		for range 50 {
			c := 15 + r.IntN(n-30)
			if !slices.ContainsFunc(at, func(o int) bool { return c-o < 20 && o-c < 20 }) {
				at = append(at, c)
				break
			}
		}
	}
	slices.Sort(at)
	return at
}

// noise returns n values with mean near 0 and deviation near 1.
func noise(r *rand.Rand, kind string, n int) []float64 {
	v := make([]float64, n)
	last := r.NormFloat64()
	for i := range v {
		x := r.NormFloat64()
		switch kind {
		case "lognormal":
			x = (math.Exp(x) - 1.65) / 2.16
		case "ar":
			last = 0.6*last + 0.8*x
			x = last
		case "ar8":
			last = 0.8*last + 0.6*x
			x = last
		case "bimodal":
			x *= 0.3
			if r.Float64() < 0.35 {
				x += 2
			}
		case "spikes":
			if r.Float64() < 0.03 {
				x += 5 + 25*r.Float64()
			}
		case "student":
			x /= math.Sqrt((sq(r.NormFloat64()) + sq(r.NormFloat64()) + sq(r.NormFloat64())) / 3)
		}
		v[i] = x
	}
	return v
}

func sq(x float64) float64 { return x * x }

func counter(r *rand.Rand, t *trace) {
	level := float64(500 + r.IntN(4500))
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(2) {
			c := 40 + r.IntN(120)
			if len(t.truth) == 0 || c-t.truth[0] > 10 || t.truth[0]-c > 10 {
				t.truth = append(t.truth, c)
			}
		}
		slices.Sort(t.truth)
	}
	for i := range 200 {
		if slices.Contains(t.truth, i) {
			level += float64(1 + r.IntN(3))
		}
		t.values = append(t.values, level)
	}
}
