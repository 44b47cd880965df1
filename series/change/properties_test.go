package change_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/quick"
	"perfdata/series/change"
)

// eachSeries calls test with generated series of all kinds.
func eachSeries(seed int, test func(name string, values []float64)) {
	for _, kind := range kinds {
		for i := range quick.Of(*many, *many/2) {
			test(kind, generate(kind, uint64(seed+i)).values)
		}
	}
}

// TestScaled multiplies values by powers of two and by -1.
func TestScaled(t *testing.T) {
	var f change.Finder
	eachSeries(5_000_000, func(name string, values []float64) {
		want := slices.Clone(f.Find(values))
		for _, factor := range []float64{1024, 1.0 / (1 << 20), -1} {
			scaled := slices.Clone(values)
			for i := range scaled {
				scaled[i] *= factor
			}
			got := slices.Clone(f.Find(scaled))
			for i := range got {
				got[i].Before /= factor
				got[i].After /= factor
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, times %g (-want +got):\n%s", name, factor, diff)
			}
		}
	})
}

// TestReversed reverses the order of the values. The p-values and intervals may differ by
// rounding.
func TestReversed(t *testing.T) {
	var f change.Finder
	eachSeries(6_000_000, func(name string, values []float64) {
		n := len(values)
		want := slices.Clone(f.Find(values))
		reversed := slices.Clone(values)
		slices.Reverse(reversed)
		got := slices.Clone(f.Find(reversed))
		for i := range got {
			p := &got[i]
			switch p.Kind {
			case change.Outlier:
				p.Index, p.Lo, p.Hi = n-1-p.Index, n-1-p.Hi, n-1-p.Lo
				continue
			case change.Trend:
				p.Index = n - p.Hi + (p.Hi-p.Lo)/2
			default:
				p.Index = n - p.Index
			}
			p.Lo, p.Hi = n-p.Hi, n-p.Lo
		}
		place := func(p change.Point) [4]int { return [4]int{p.Index, p.Lo, p.Hi, int(p.Kind)} }
		slices.Reverse(got)
		sortPlaces(want)
		sortPlaces(got)
		if diff := cmp.Diff(want, got, cmp.Transformer("place", place)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	})
}

func sortPlaces(points []change.Point) {
	slices.SortFunc(points, func(a, b change.Point) int { return 4*(a.Index-b.Index) + int(a.Kind) - int(b.Kind) })
}

// TestSpecialValues has series for which the statistics are not defined, or overflow.
func TestSpecialValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	least := math.SmallestNonzeroFloat64
	step := slices.Concat(slices.Repeat([]float64{1}, 20), slices.Repeat([]float64{2}, 20))
	gaps := slices.Clone(step)
	gaps[3], gaps[19], gaps[20], gaps[30] = nan, inf, -inf, nan
	spike := slices.Repeat([]float64{5}, 40)
	spike[17] = 50
	for _, test := range []struct {
		name   string
		values []float64
		want   []change.Point
	}{
		{"none", nil, nil},
		{"one", []float64{1}, nil},
		{"equal", slices.Repeat([]float64{3}, 50), nil},
		{"not numbers", slices.Repeat([]float64{nan, inf}, 50), nil},
		{"constants", step, []change.Point{{Index: 20, Lo: 20, Hi: 20, Before: 1, After: 2, Ratio: 2}}},
		{"gaps", gaps, []change.Point{{Index: 21, Lo: 19, Hi: 21, Before: 1, After: 2, Ratio: 2}}},
		{"from zero", append(make([]float64, 20), step[20:]...),
			[]change.Point{{Index: 20, Lo: 20, Hi: 20, Before: 0, After: 2, Ratio: inf}}},
		{"least numbers", append(make([]float64, 20), slices.Repeat([]float64{least}, 20)...),
			[]change.Point{{Index: 20, Lo: 20, Hi: 20, Before: 0, After: least, Ratio: inf}}},
		{"largest numbers",
			append(slices.Repeat([]float64{-math.MaxFloat64}, 20), slices.Repeat([]float64{math.MaxFloat64}, 20)...),
			[]change.Point{{Index: 20, Lo: 20, Hi: 20, Before: -math.MaxFloat64, After: math.MaxFloat64, Ratio: -1}}},
		{"spike", spike, []change.Point{{Index: 17, Lo: 17, Hi: 17, Before: 5, After: 50, Ratio: 10, P: 1, Kind: change.Outlier}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var f change.Finder
			got := slices.Clone(f.Find(test.values))
			for i := range got {
				if got[i].Kind != change.Outlier {
					if !(got[i].P >= 0 && got[i].P <= 0.01) {
						t.Errorf("p is %g", got[i].P)
					}
					got[i].P = 0
				}
			}
			if diff := cmp.Diff(test.want, got, cmp.Comparer(slices.Equal[[]change.Point])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllocations(t *testing.T) {
	var f change.Finder
	values := generate("spikes", 7).values
	f.Find(values)
	if n := testing.AllocsPerRun(10, func() { f.Find(values) }); n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
}

var updateBits = flag.Bool("update-bits", false, "write testdata/bits.txt")

// TestBits compares all bits of the points of generated series with recorded ones, so that other
// platforms are seen to give the same. The series are of integers: the generator itself uses
// package math.
func TestBits(t *testing.T) {
	var b strings.Builder
	var f change.Finder
	r := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		level := 1000 + r.IntN(1000)
		values := make([]float64, 50+r.IntN(300))
		last := 0
		for i := range values {
			if r.IntN(60) == 0 {
				level += r.IntN(200) - 100
			}
			last = last/2 + r.IntN(60) - r.IntN(60)
			values[i] = float64(level+last) / 7
			if r.IntN(80) == 0 {
				values[i] *= 3
			}
		}
		appendBits(&b, f.Find(values))
	}
	const name = "testdata/bits.txt"
	if *updateBits {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// appendBits writes a line for each point, with its numbers in hexadecimal.
func appendBits(b *strings.Builder, points []change.Point) {
	fmt.Fprintf(b, "%d points\n", len(points))
	for _, p := range points {
		fmt.Fprintf(b, "%s %d %d %d %x %x %x %x\n", p.Kind, p.Index, p.Lo, p.Hi, p.Before, p.After, p.Ratio, p.P)
	}
}

// FuzzFind checks what holds for the points of any values: eight bytes each.
func FuzzFind(f *testing.F) {
	f.Add([]byte{})
	f.Add(slices.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, 20))
	var step []byte
	for i := range 40 {
		step = binary.LittleEndian.AppendUint64(step, math.Float64bits(float64(i%3)+float64(i/20*10)))
	}
	f.Add(step)
	var finder change.Finder
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		last := -1
		for _, p := range finder.Find(values) {
			switch {
			case p.Index < last || p.Index >= len(values),
				p.Lo < 0 || p.Lo > p.Index || p.Hi < p.Index || p.Hi > len(values),
				!(p.P >= 0 && p.P <= 1),
				math.IsNaN(p.Before) || math.IsNaN(p.After) || math.IsNaN(p.Ratio):
				t.Errorf("after index %d of %d values: %+v", last, len(values), p)
			}
			last = p.Index
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var f change.Finder
	var all [][]float64
	for _, kind := range kinds {
		for i := range 50 {
			if values := generate(kind, uint64(7_000_000+i)).values; len(values) >= 200 {
				all = append(all, values[:200])
			}
		}
	}
	i := 0
	for b.Loop() {
		f.Find(all[i%len(all)])
		i++
	}
}
