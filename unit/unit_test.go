package unit_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/unit"
)

func TestParse(t *testing.T) {
	const (
		unknown = format.Unknown
		lower   = format.Lower
		higher  = format.Higher
	)
	tests := []struct {
		text   string
		base   string
		factor float64
		better format.Direction
	}{
		{"ns", "s", 1e-9, lower},
		{"us", "s", 1e-6, lower},
		{"µs", "s", 1e-6, lower}, // the micro sign
		{"μs", "s", 1e-6, lower}, // the Greek letter
		{"ms", "s", 1e-3, lower},
		{"s", "s", 1, lower},
		{"sec", "s", 1, lower},
		{"min", "s", 60, lower},
		{"h", "s", 3600, lower},
		{"Milliseconds", "s", 1e-3, lower},
		{"nanosecond", "s", 1e-9, lower},
		{"microseconds", "s", 1e-6, lower},
		{"minutes", "s", 60, lower},
		{"hours", "s", 3600, lower},

		{"B", "B", 1, lower},
		{"kB", "B", 1e3, lower},
		{"KB", "B", 1e3, lower},
		{"TB", "B", 1e12, lower},
		{"MB", "B", 1e6, lower},
		{"GB", "B", 1e9, lower},
		{"KiB", "B", 1 << 10, lower},
		{"MiB", "B", 1 << 20, lower},
		{"GiB", "B", 1 << 30, lower},
		{"TiB", "B", 1 << 40, lower},
		{"Bytes", "B", 1, lower},
		{"Megabytes", "B", 1e6, lower},
		{"bits", "B", 1.0 / 8, lower},
		{"kilobytes", "B", 1e3, lower},
		{"gigabytes", "B", 1e9, lower},
		{"kbit/s", "B/s", 1e3 / 8, higher},
		{"Mbit/s", "B/s", 1e6 / 8, higher},
		{"Gbit/s", "B/s", 1e9 / 8, higher},
		{"bps", "B/s", 1.0 / 8, higher},
		{"kbps", "B/s", 1e3 / 8, higher},
		{"Mbps", "B/s", 1e6 / 8, higher},
		{"Gbps", "B/s", 1e9 / 8, higher},

		{"ns/op", "s/op", 1e-9, lower},
		{"ns/iter", "s/op", 1e-9, lower},
		{"B/op", "B/op", 1, lower},
		{"allocs/op", "allocs/op", 1, lower},
		{"allocs", "allocs", 1, lower},
		{"allocations/operation", "allocs/op", 1, lower},
		{"L1-miss-ns/op", "L1-miss-s/op", 1e-9, lower},
		{"peak-RSS-bytes", "peak-RSS-B", 1, lower},
		{"cache-misses/op", "cache-misses/op", 1, unknown},
		{"ms/request", "s/request", 1e-3, lower},
		{"ns/KiB", "s/B", 1e-9 / 1024, lower},
		{"milliseconds-per-frame", "s/frame", 1e-3, lower},

		{"MB/s", "B/s", 1e6, higher},
		{"ops/s", "op/s", 1, higher},
		{"iter/sec", "op/s", 1, higher},
		{"i/s", "op/s", 1, higher},
		{"ops/ms", "op/s", 1e3, higher},
		{"ops/min", "op/s", 1.0 / 60, higher},
		{"items/s", "items/s", 1, higher},
		{"pure_ops/sec", "pure_ops/s", 1, higher},
		{"frames-per-second", "frames/s", 1, higher},
		{"iterations per second", "op/s", 1, higher},
		{"runs_per_s", "runs/s", 1, higher},
		{"fps", "frames/s", 1, higher},
		{"Hz", "1/s", 1, higher},
		{"1/s", "1/s", 1, higher},

		{"1", "1", 1, unknown},
		{"%", "1", 0.01, unknown},
		{"percentage", "1", 0.01, unknown},
		{"ops", "op", 1, unknown},
		{"ms/s", "s/s", 1e-3, unknown},
		{"B/cycle", "B/cycle", 1, unknown},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			u, ok := unit.Parse(test.text)
			if !ok {
				t.Fatal("unknown")
			}
			if got := u.Quantity.String(); got != test.base {
				t.Errorf("base unit %q, want %q", got, test.base)
			}
			if got := u.Factor(); got != test.factor {
				t.Errorf("factor %v, want %v", got, test.factor)
			}
			if u.Better != test.better {
				t.Errorf("better %q, want %q", u.Better, test.better)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	for _, text := range []string{
		"", "/", "/s", "ns/", "-ns", "results", "Count", "score", "x/y", "ns/op/s", "Hz/op", "ns/Hz",
		"Ms", "mb", "kb", "NS", "ms ", " ms", "ns\t", "min_ms", "mvtx_sec", "drop_rate_%", "avg-op",
		"ns/op\t     344 B/op\t       3 allocs/op", "objects (bigger is better)", "milli\x00s/s",
		"ms_smallerIsBetter", "milliseconds of a long name",
	} {
		t.Run(text, func(t *testing.T) {
			if u, ok := unit.Parse(text); ok || u != (unit.Unit{}) {
				t.Errorf("got %+v, %v", u, ok)
			}
		})
	}
}

func TestConvert(t *testing.T) {
	tests := []struct {
		value    float64
		from, to string
		want     float64
	}{
		{9964651.066589, "ns", "ms", 9.964651066589},
		{9.964651066589, "ms", "ns", 9964651.066589},
		{0.05, "ns", "ms", 5e-8}, // 0.05 / 1e6 is 5.0000000000000004e-08
		{0.07, "ns/op", "s/iter", 7e-11},
		{1.1, "KiB", "B", 1126.4},
		{1.1, "MiB/s", "KiB/s", 1126.4},
		{3, "KiB", "kB", 3.072},
		{100, "Mbit/s", "MB/s", 12.5},
		{12, "ops/ms", "ops/s", 12000},
		{90, "s", "min", 1.5},
		{90, "ops/min", "ops/s", 1.5},
		{1.5, "h", "ms", 5.4e6},
		{37, "%", "1", 0.37},
		{-2, "us", "ns", -2000},
		{0, "us", "ns", 0},
		{math.Copysign(0, -1), "us", "ns", math.Copysign(0, -1)},
		{math.Inf(1), "us", "ns", math.Inf(1)},
		{math.Inf(-1), "ns", "us", math.Inf(-1)},
		{math.MaxFloat64, "s", "ns", math.Inf(1)},
		{5e-324, "ns", "s", 0},
	}
	for _, test := range tests {
		t.Run(test.from+" to "+test.to, func(t *testing.T) {
			from, _ := unit.Parse(test.from)
			to, _ := unit.Parse(test.to)
			got, ok := from.Convert(test.value, to)
			if !ok || math.Float64bits(got) != math.Float64bits(test.want) {
				t.Errorf("%v: got %v, %v, want %v", test.value, got, ok, test.want)
			}
		})
	}
}

func TestConvertNaN(t *testing.T) {
	ms, _ := unit.Parse("ms")
	s, _ := unit.Parse("s")
	if got, ok := ms.Convert(math.NaN(), s); !ok || got == got {
		t.Errorf("got %v, %v", got, ok)
	}
}

func TestOtherQuantity(t *testing.T) {
	for _, pair := range [][2]string{
		{"ns", "B"}, {"ns", "ns/op"}, {"L1-miss-ns", "ns"}, {"ops/s", "items/s"}, {"Hz", "frames/s"}, {"none", "none"},
	} {
		t.Run(pair[0]+" to "+pair[1], func(t *testing.T) {
			from, _ := unit.Parse(pair[0])
			to, _ := unit.Parse(pair[1])
			if got, ok := from.Convert(1, to); ok {
				t.Errorf("got %v", got)
			}
		})
	}
}

// Units that mean the same are equal.
func TestEqual(t *testing.T) {
	for _, texts := range [][]string{
		{"ns/op", "nsec/op", "ns/iter", "nanoseconds/operation", "nanoseconds per iteration"},
		{"op/s", "ops/sec", "iter/s", "iterations/second"},
		{"kB", "KB", "kilobytes", "Kilobyte"},
		{"us", "µs", "μs", "usec", "microseconds"},
	} {
		want, _ := unit.Parse(texts[0])
		for _, text := range texts[1:] {
			t.Run(text, func(t *testing.T) {
				if got, _ := unit.Parse(text); got != want {
					t.Errorf("got %+v, want that of %q: %+v", got, texts[0], want)
				}
			})
		}
	}
}

func TestQuantity(t *testing.T) {
	u, _ := unit.Parse("L1-miss-ns/op")
	want := unit.Quantity{Metric: "L1-miss", Of: "s", Per: "op"}
	if diff := cmp.Diff(want, u.Quantity); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

func TestParseAllocs(t *testing.T) {
	texts := []string{"ns/op", "L1-miss-ns/op", "Milliseconds", "frames-per-second", "results", "MB/s"}
	n := testing.AllocsPerRun(100, func() {
		for _, text := range texts {
			unit.Parse(text)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever is parsed, the name of the base unit is the same quantity, with the factor 1, unless its
// name is taken for another unit.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"ns/op", "L1-miss-ns/op", "frames-per-second", "Mbit/s", "%", "Bytes", "x per h", "Hz", "a/b/s"} {
		f.Add(seed, 1.5)
	}
	f.Fuzz(func(t *testing.T, text string, value float64) {
		u, ok := unit.Parse(text)
		if !ok {
			if u != (unit.Unit{}) {
				t.Fatalf("unknown, but %+v", u)
			}
			return
		}
		base, ok := unit.Parse(u.Quantity.String())
		if !ok || base.Quantity != u.Quantity || base.Better != u.Better || base.Factor() != 1 {
			t.Errorf("base unit %q: %+v, %v", u.Quantity, base, ok)
		}
		if got, ok := u.Convert(value, u); !ok || got != value && value == value {
			t.Errorf("%v converted to the same unit: %v, %v", value, got, ok)
		}
		if got, ok := u.Convert(1, base); !ok || got != u.Factor() || !(got > 0) {
			t.Errorf("factor %v: %v", u.Factor(), got)
		}
	})
}
