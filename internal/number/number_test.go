package number

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		in   string
		want float64
		n    int
	}{
		{"0", 0, 1},
		{"-12.5e-3", -12.5e-3, 8},
		{"12 ns/op", 12, 2},
		{"64.88 MB/s", 64.88, 5},
		{"007", 0, 1}, // in JSON, the number ends after the zero
		{"1e", 0, 0},
		{"1.", 0, 0},
		{".5", 0, 0},
		{"-", 0, 0},
		{"+1", 0, 0},
		{"x", 0, 0},
		{"1.5e+3", 1500, 6},
		{"1E22", 1e22, 4},
		{"1e23", 1e23, 4},
		{"9.007199254740993e15", 9007199254740992, 20},
		{"1e-", 0, 0},
		{"1e+x", 0, 0},
		{"2e-05}", 2e-05, 5},
		{"2e-005", 2e-05, 6},
		{"9.148165240875465e-10", 9.148165240875465e-10, 21},
		{"18446744073709551617e5", 18446744073709551617e5, 22}, // 1e5 modulo 2^64
		{"1e999", math.Inf(1), 5},
		{"-1e999", math.Inf(-1), 6},
		{"123456789012345678901234567890", 123456789012345678901234567890, 30},
		{"9007199254740993", 9007199254740992, 16},
		{"0.30000000000000004, 1", 0.30000000000000004, 19},
		{"0.0012345678901234567", 0.0012345678901234567, 21},
		{"9999999999999999999", 9999999999999999999, 19},
		{"0.000000000000000001", 1e-18, 20},
		{"-0.0", math.Copysign(0, -1), 4},
		{"12345678", 12345678, 8},
		{"12345678.12345678", 12345678.12345678, 17},
		{"1234567890123456.", 0, 0},
		{"12345678.", 0, 0},
		{"1700000000.125 s", 1700000000.125, 14},
		{"123456789012345678.9", 123456789012345678.9, 20},
		{"1234567890123456.7890123", 1234567890123456.7890123, 24},
		{"1234567.8e5", 1234567.8e5, 11},
		{"0123456789", 0, 1},
		{"0.00003999999989900971", 0.00003999999989900971, 22},
		{"-0.00000010000000000000047", -0.00000010000000000000047, 26},
		{"0.000000000000000000000000001", 1e-27, 29},
		{"0.0000000000000000000000000012345", 1.2345e-27, 33},
		{"0.00001234567890123456e3", 0.01234567890123456, 24},
		{"0.00001234567890123456.5", 0.00001234567890123456, 22},
		{"0.0000000000000000000000000", 0, 27},
		{"1.7976931348623157e-10]", 1.7976931348623157e-10, 22},
	} {
		t.Run(test.in, func(t *testing.T) {
			got, n := Parse([]byte(test.in))
			inside, m := Parse([]byte(test.in + strings.Repeat(" ", Longest)))
			if inside != got || m != n {
				t.Errorf("%s: %v of %d bytes, and before other text %v of %d", test.in, got, n, inside, m)
			}
			if got != test.want || math.Signbit(got) != math.Signbit(test.want) || n != test.n {
				t.Errorf("%s: %v of %d bytes, want %v of %d", test.in, got, n, test.want, test.n)
			}
		})
	}
}

// FuzzParse compares the parser with strconv and encoding/json, and with itself where more text
// follows.
func FuzzParse(f *testing.F) {
	f.Add("-12.5e-3")
	f.Add("123456789012345678901234567890")
	f.Add("0.30000000000000004")
	f.Add("8.41e-21")
	f.Add("9007199254740993.0")
	f.Fuzz(func(t *testing.T, in string) {
		if in == "" || len(in) > maxSignificant { // strconv can be wrong about longer ones: see TestLong
			return
		}
		got, n := Parse([]byte(in))
		inside, m := Parse([]byte(in + strings.Repeat(" ", Longest)))
		if m != n || math.Float64bits(inside) != math.Float64bits(got) {
			t.Errorf("%q: %v of %d bytes, and before other text %v of %d", in, got, n, inside, m)
		}
		if n == 0 {
			if json.Valid([]byte(in)) && (in[0] == '-' || in[0]-'0' <= 9) {
				t.Errorf("%q is refused", in)
			}
			return
		}
		want, _ := strconv.ParseFloat(in[:n], 64)
		if !json.Valid([]byte(in[:n])) || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v of %d bytes, want %v", in, got, n, want)
		}
	})
}

// Decimal agrees with strconv about any integer, and about those halfway between two numbers.
func FuzzDecimal(f *testing.F) {
	f.Add(uint64(0), 0)
	f.Add(uint64(1<<53+1), 0)
	f.Add(uint64(math.MaxUint64), 27)
	f.Add(uint64(9007199254740993), 17)
	f.Fuzz(func(t *testing.T, integer uint64, decimals int) {
		if decimals < 0 || decimals > maxDecimals {
			return
		}
		text := strconv.FormatUint(integer, 10) + "e-" + strconv.Itoa(decimals)
		want, _ := strconv.ParseFloat(text, 64)
		if got := Decimal(integer, decimals); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if got := divide(integer, decimals); got != want {
			t.Errorf("%s: %v if divided, want %v", text, got, want)
		}
	})
}

// Shortest is right if it says that strconv would write the number so.
func FuzzShortest(f *testing.F) {
	f.Add(uint64(30000000000000004), 17)
	f.Add(uint64(30000000000000001), 17)
	f.Add(uint64(9007199254740993), 1)
	f.Add(uint64(12345678901234567), 13)
	f.Add(uint64(99999999999999999), 20)
	f.Fuzz(checkShortestText)
}

// checkShortestText checks Shortest against strconv, if it is certain.
func checkShortestText(t *testing.T, integer uint64, decimals int) {
	if decimals < 0 || decimals > maxDecimals || integer == 0 || !Shortest(integer, decimals) {
		return
	}
	text := strconv.FormatUint(integer, 10) + "e-" + strconv.Itoa(decimals)
	number, _ := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	digits = strings.Replace(digits, ".", "", 1)
	if want := strings.TrimRight(strconv.FormatUint(integer, 10), "0"); digits != want {
		t.Errorf("%s is shortest, but strconv writes %s", text, digits)
	}
}

// Below a power of two, the next float64 is half as far away as above it.
func TestShortestAtPowersOfTwo(t *testing.T) {
	for exponent := -20; exponent < 60; exponent++ {
		power := math.Ldexp(1, exponent)
		for decimals := range maxDecimals {
			if f := power * math.Pow10(decimals); f > 1e15 && f < 1e17 {
				for integer := uint64(f) - 200; integer < uint64(f)+200; integer++ {
					checkShortestText(t, integer, decimals)
				}
			}
		}
	}
}

// Shortest is certain of most numbers that a program writes with all digits.
func TestShortest(t *testing.T) {
	certain, all := 0, 0
	for i := range 10_000 {
		x := (0.1 + float64(i*7919%10_007)/10_007) * math.Pow10(i%6-2)
		text := strconv.FormatFloat(x, 'f', -1, 64)
		_, fraction, _ := strings.Cut(text, ".")
		integer, _ := strconv.ParseUint(strings.Replace(text, ".", "", 1), 10, 64)
		all++
		if Shortest(integer, len(fraction)) {
			certain++
		}
	}
	if certain < all*9/10 {
		t.Errorf("certain of %d of %d numbers", certain, all)
	}
}
