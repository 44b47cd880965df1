package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Package math has the same functions; their last bits differ between platforms.
func TestAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := 1400*r.Float64() - 700
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		for _, y := range []float64{math.Exp(x), 0.5 + r.Float64()} {
			if got, want := Log(y), math.Log(y); math.Abs(got-want) > 1e-15*max(math.Abs(want), 0.5) {
				t.Fatalf("Log(%v) = %v, want %v", y, got, want)
			}
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name    string
		f, math func(float64) float64
		x       []float64
	}{
		{"log", Log, math.Log, []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, nan}},
		{"exp", Exp, math.Exp, []float64{0, inf, -inf, nan, 709.8, -745.2, math.MaxFloat64, -math.MaxFloat64}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, x := range test.x {
				got, want := test.f(x), test.math(x)
				if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%v: %v, want %v", x, got, want)
				}
			}
		})
	}
}

// The bits are the same on all platforms.
func TestBits(t *testing.T) {
	for _, test := range []struct{ x, log, exp float64 }{
		{0.1, -0x1.26bb1bbb55515p+01, 0x1.1aec7b35a00d4p+00},
		{0.75, -0x1.269621134db92p-02, 0x1.0ef9db467dcf8p+01},
		{3.3, 0x1.31a4e7240c777p+00, 0x1.b1cd5e7807b7cp+04},
		{123.456, 0x1.343774f3e2362p+02, 0x1.1428e1cbc017p+178},
		{700, 0x1.a344e6741ebabp+02, 0x1.d945df4f8ec63p+1009},
	} {
		if got := Log(test.x); got != test.log {
			t.Errorf("Log(%v) = %x, want %x", test.x, got, test.log)
		}
		if got := Exp(test.x); got != test.exp {
			t.Errorf("Exp(%v) = %x, want %x", test.x, got, test.exp)
		}
	}
}
