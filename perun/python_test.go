package perun

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/quick"
)

// Numbers are written as Python writes them.
func TestPythonNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "-0.0", "1.0": "1.0", "100": "100", "1e2": "100.0",
		"1E+2": "100.0", "0.1": "0.1", "0.0001": "0.0001", "0.00012": "0.00012",
		"0.00001":                 "1e-05",
		"1e16":                    "1e+16",
		"123456789012345680.0":    "1.2345678901234568e+17",
		"9999999999999998.0":      "9999999999999998.0",
		"1e15":                    "1000000000000000.0",
		"1.10":                    "1.1",
		"4310.180936395099":       "4310.180936395099",
		"0.1000000000000000055":   "0.1",
		"12345678901234567890123": "12345678901234567890123",
		"NaN":                     "nan",
		"Infinity":                "inf",
		"-Infinity":               "-inf",
		"1e999":                   "inf",
		"10.0e-1":                 "1.0",
		"0.00":                    "0.0",
	} {
		if got := pythonNumber(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A decimal number is what Python writes for a float64 if no shorter number is nearest to that float64,
// and no number of the same length is nearer.
func TestLongDecimals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(text string) {
		f, _ := strconv.ParseFloat(text, 64)
		want := strconv.FormatFloat(f, 'f', -1, 64) == text
		if got := isDecimal(text); got != want {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	}
	for exponent := -14; exponent < 46; exponent++ {
		for range quick.Of(500, 100) {
			// Near powers of two, and anywhere between them.
			f := math.Ldexp(1, exponent)
			steps := random.Uint64N(1 << 52)
			if random.IntN(4) == 0 {
				steps %= 8
			}
			f = math.Float64frombits(math.Float64bits(f) + steps - 4)
			if f < 1e-4 {
				continue // Python writes it with an exponent
			}

			shortest := strconv.FormatFloat(f, 'f', -1, 64)
			digits := len(strings.TrimLeft(strings.Replace(shortest, ".", "", 1), "0"))
			decimals := len(shortest) - 1 - strings.Index(shortest, ".")
			if !strings.Contains(shortest, ".") {
				continue
			}
			check(shortest)
			for longer := digits; longer < 19; longer++ { // numbers that are nearest to f, or almost
				text := []byte(strconv.FormatFloat(f, 'f', decimals+longer-digits, 64))
				for _, last := range "123456789" {
					text[len(text)-1] = byte(last)
					check(string(text))
				}
			}
		}
	}
}

// An exponent is as Python writes it, in arrays too.
func TestExponents(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := []string{
		"1e-05", "1e-04", "1e-5", "1e-005", "1E-05", "1.0e-05", "1.5e-05", "15e-05", "0e-05", "0.5e-05", "1.50e-05",
		"-1.5e-05", "-0e-05", "1e05", "1e+05", "1e+15", "1e+16", "1.5e+16", "1e16", "1.5e+160", "1e+100", "1.5e-99",
		"1.234567890123456e-05", "1.2345678901234567e-05", "1.23456789012345678e-05", "12.5e-06",
	}
	for range quick.Of(20_000, 4000) {
		f := math.Ldexp(1+random.Float64(), random.IntN(120)-90)
		text := []byte(strconv.FormatFloat(f, 'e', -1, 64))
		all = append(all, string(text))
		if e := bytes.IndexByte(text, 'e'); e > 1 {
			text[e-1] = '0' + byte(random.IntN(10))
			all = append(all, string(text))
		}
	}

	s := newArray(strings.NewReader("[0, " + strings.Join(all, ", ") + "]" + strings.Repeat(" ", 100)))
	var got, want []string
	for s.EnterArray(); s.Element(); {
		s.Number()
		got = s.texts(append(got, pythonNumber(string(s.Token()))), 100)
	}
	for _, text := range append([]string{"0"}, all...) {
		want = append(want, pythonNumber(text))
	}
	if diff := cmp.Diff(want, got); diff != "" || s.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", s.Err(), diff)
	}
}

// IsDecimal agrees with its definition.
func FuzzIsDecimal(f *testing.F) {
	for _, text := range []string{
		"", "0", "-0", "7", "-7", "007", "1.", ".5", "1.50", "1.0", "-1.5", "0.00012", "0.00001", "1e5", "12\x00", "x",
		"4310.180936395099", "0.1000000000000000055", "12345678901234567890123", "123456789012345678901234567890",
		"-12345678901234567890123", "1234567890123456789012.5", "0.30000000000000004", "1.5e3", "12,", "12]",
	} {
		f.Add(text)
	}
	decimal := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		want := decimal.MatchString(text) && pythonNumber(text) == text
		if got := isDecimal(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}
