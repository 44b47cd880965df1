package number

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// shortestText is AppendShortest with strconv alone.
func shortestText(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func checkShortest(t *testing.T, f float64) {
	t.Helper()
	if got, want := string(AppendShortest([]byte("x"), f)), "x"+shortestText(f); got != want {
		t.Fatalf("%b: %s, want %s", f, got, want)
	}
}

// around checks f, its neighbors, and their negatives.
func around(t *testing.T, f float64) {
	t.Helper()
	for _, x := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1))} {
		checkShortest(t, x)
		checkShortest(t, -x)
	}
}

func TestAppendShortest(t *testing.T) {
	t.Run("constants", func(t *testing.T) {
		for _, f := range []float64{
			0, 1, 9, 10, 99_999_999, 100_000_000, 1e15, 1<<53 - 1, 1 << 53, 1e16, 1e21, math.MaxFloat64,
			0.1, 0.3, 9.5, 1e-5, 1e-6, 1e-7, math.SmallestNonzeroFloat64, 5e-324, 2.5, 1.25, 1 - 1.0/(1<<53),
			1<<52 + 0.5, 1<<51 + 0.5, 1<<50 + 0.25, 3.0000000000000004, 0.30000000000000004, 123456.789,
			1.8780049494515712e-06, 1.0892244829585408e-06, // rounding to an integer carries into the high word
		} {
			around(t, f)
		}
	})
	t.Run("powers of two", func(t *testing.T) {
		for e := -1074; e < 1024; e++ {
			around(t, math.Ldexp(1, e))
		}
	})
	t.Run("powers of ten", func(t *testing.T) {
		for e := -30; e < 30; e++ {
			for digit := range 10 {
				around(t, float64(digit)*math.Pow10(e))
			}
		}
	})
}

func FuzzAppendShortest(f *testing.F) {
	f.Add(0.1)
	f.Add(-123456.789)
	f.Add(4503599627370496.5)
	f.Add(1e-6)
	f.Fuzz(func(t *testing.T, x float64) {
		if x-x == 0 {
			checkShortest(t, x)
		}
	})
}

func BenchmarkAppendShortest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func() float64{
		"all digits": func() float64 { return (0.1 + r.Float64()) * math.Pow10(r.IntN(6)-2) },
		"decimals":   func() float64 { return math.Round(r.Float64()*1e7) / math.Pow10(1+r.IntN(6)) },
		"integers":   func() float64 { return math.Floor(math.Pow(10, 6*r.Float64())) },
	}
	for name, next := range kinds {
		numbers := make([]float64, 1000)
		for i := range numbers {
			numbers[i] = next()
		}
		b.Run(name, func(b *testing.B) {
			var text []byte
			for b.Loop() {
				for _, f := range numbers {
					text = AppendShortest(text[:0], f)
				}
			}
		})
		b.Run("strconv, "+name, func(b *testing.B) {
			var text []byte
			for b.Loop() {
				for _, f := range numbers {
					text = strconv.AppendFloat(text[:0], f, 'f', -1, 64)
				}
			}
		})
	}
}
