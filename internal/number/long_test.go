package number

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"perfdata/internal/testing/quick"
)

// Numbers with more digits than strconv keeps, compared with exact fractions.
func TestLong(t *testing.T) {
	for _, test := range []struct{ name, in string }{
		{"digits before the point", "1" + strings.Repeat("0", 900) + "e-900"},
		{"as many as strconv keeps", "1" + strings.Repeat("0", 799) + "e-799"},
		{"one more", "1" + strings.Repeat("0", 800) + "e-800"},
		{"negative", "-" + strings.Repeat("7", 1000) + "E-998"},
		{"before and after the point", strings.Repeat("4503599627370496", 60) + "." + strings.Repeat("5", 99) + "e-950"},
		{"halfway", "9007199254740993" + strings.Repeat("0", 900) + "e-900"},
		{"above halfway", "9007199254740993" + strings.Repeat("0", 900) + "1e-901"},
		{"above halfway after the point", "9007199254740993." + strings.Repeat("0", 900) + "1"},
		{"zeros after the point", "0." + strings.Repeat("0", 20_000) + "25e+20000"},
		{"exponent of six digits", "0." + strings.Repeat("0", 99_999) + "125e100000"},
		{"zeros before the point", "125" + strings.Repeat("0", 100_000) + "e-100000"},
		{"zero", "0." + strings.Repeat("0", 900)},
		{"negative zero", "-0." + strings.Repeat("0", 900) + "e5"},
		{"subnormal", "49" + strings.Repeat("0", 900) + "e-1225"},
		{"too small", "1" + strings.Repeat("0", 900) + "e-1300"},
	} {
		t.Run(test.name, func(t *testing.T) { checkLong(t, test.in) })
	}

	t.Run("any", func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 0))
		for range quick.Of(300, 120) {
			integer, fraction := digits(r, 1+r.IntN(1600)), digits(r, 1+r.IntN(1600))
			checkLong(t, integer+"."+fraction+exponent(r, r.IntN(700)-350-len(integer)))
			checkLong(t, integer+exponent(r, r.IntN(700)-350-len(integer)))
		}
	})
}

func checkLong(t *testing.T, text string) {
	t.Helper()
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%.40s... is not a number", text)
	}
	want, _ := exact.Float64()
	if want == 0 && text[0] == '-' {
		want = math.Copysign(0, -1) // a fraction has no sign if it is zero
	}

	for _, after := range []string{"", " " + strings.Repeat(" ", Longest)} {
		got, n := Parse([]byte(text + after))
		if n != len(text) || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%.40s... before %q: %v of %d bytes, want %v of %d", text, after, got, n, want, len(text))
		}
	}
	got, err := ParseFloat(text, 64)
	if math.Float64bits(got) != math.Float64bits(want) || errors.Is(err, strconv.ErrRange) != math.IsInf(want, 0) {
		t.Errorf("ParseFloat(%.40s...) = %v, %v; want %v", text, got, err, want)
	}
}

// Texts that only ParseFloat takes.
func TestParseFloat(t *testing.T) {
	zeros := strings.Repeat("0", 900)
	for _, test := range []struct {
		name, in string
		bits     int
		want     float64
		err      error
	}{
		{"plus", "+1" + zeros + "e-900", 64, 1, nil},
		{"separators", "1_0" + zeros + "e-9_00", 64, 10, nil},
		{"hexadecimal", "0x1" + zeros + "p-3600", 64, 1, nil},
		{"out of range", "-1" + zeros, 64, math.Inf(-1), strconv.ErrRange},
		{"text after it", "1" + zeros + "e-900x", 64, 0, strconv.ErrSyntax},
		{"float32", "16777217" + zeros + "1e-901", 32, 16777218, nil},
		{"float32 out of range", "34028236" + zeros + "e-869", 32, math.Inf(1), strconv.ErrRange},
		{"float32 in range", "34028234" + zeros + "e-869", 32, 0x1.fffffep127, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseFloat(test.in, test.bits)
			if got != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("%v, %v; want %v, %v", got, err, test.want, test.err)
			}
		})
	}
}
