package number

import (
	"encoding/json"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perfdata/internal/testing/quick"
)

var numbers = flag.Int("numbers", 50_000, "how many numbers TestOracle parses and writes")

// The oracle is strconv: every random number is parsed and written bit by bit as strconv does. To
// run it on more numbers: go test ./internal/number -run TestOracle -numbers 10000000
func TestOracle(t *testing.T) {
	for i, shape := range texts {
		t.Run("parse/"+shape.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range *numbers / len(texts) / quick.Of(1, 8) {
				checkParse(t, []string{"", "-"}[r.IntN(2)]+shape.next(r))
			}
		})
	}
	for i, shape := range floats {
		t.Run("write/"+shape.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(2, uint64(i)))
			for range *numbers / len(floats) / quick.Of(1, 8) {
				f := shape.next(r)
				checkShortest(t, f)
				checkShortest(t, -f)
			}
		})
	}
	t.Run("Shortest", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(3, 0))
		for range *numbers {
			checkIsShortest(t, r)
		}
	})
}

// texts has the shapes of the numbers that are parsed. They are numbers, or begin like numbers.
var texts = []struct {
	name string
	next func(r *rand.Rand) string
}{
	{"few digits", func(r *rand.Rand) string { return withPoint(r, digits(r, 1+r.IntN(15))) }},
	{"all digits", func(r *rand.Rand) string { return withPoint(r, digits(r, 16+r.IntN(4))) }},
	{"large", func(r *rand.Rand) string { return digits(r, 7+r.IntN(12)) + "." + digits(r, 1+r.IntN(9)) }},
	{"many digits", func(r *rand.Rand) string { return withPoint(r, digits(r, 20+r.IntN(30))) }},
	{"leading zeros", func(r *rand.Rand) string {
		return "0." + strings.Repeat("0", r.IntN(24)) + digits(r, 1+r.IntN(19))
	}},
	{"small exponents", func(r *rand.Rand) string {
		return withPoint(r, digits(r, 1+r.IntN(20))) + exponent(r, r.IntN(61)-30)
	}},
	{"any exponents", func(r *rand.Rand) string {
		return withPoint(r, digits(r, 1+r.IntN(20))) + exponent(r, r.IntN(1000)-500)
	}},
	{"halfway integers", func(r *rand.Rand) string {
		// Five to the power of decimals makes an odd number of halves, quarters and so on of it.
		decimals, odd := r.IntN(5), 1<<53+r.Uint64N(1<<52)|1
		text := strconv.FormatUint(odd*pow5[decimals]+r.Uint64N(3)-1, 10)
		return strings.TrimSuffix(text[:len(text)-decimals]+"."+text[len(text)-decimals:], ".")
	}},
	{"halfway", func(r *rand.Rand) string {
		// The float64s above this one are at most 2^-55 of it away, so 60 bits hold the halfway point.
		f := float(r)
		half := new(big.Float).SetPrec(60).SetFloat64(f)
		half.Add(half, new(big.Float).SetFloat64(math.Nextafter(f, math.Inf(1)))).Quo(half, big.NewFloat(2))
		return half.Text('e', []int{15, 16, 17, 18, 800}[r.IntN(5)])
	}},
	{"subnormals", func(r *rand.Rand) string {
		f := math.Float64frombits(r.Uint64N(1 << (1 + r.IntN(53))))
		return strconv.FormatFloat(f, 'e', r.IntN(22)-1, 64)
	}},
	{"shortest", func(r *rand.Rand) string { return strconv.FormatFloat(float(r), 'e', -1, 64) }},
	{"without exponent", func(r *rand.Rand) string {
		return strconv.FormatFloat(math.Ldexp(1+r.Float64(), r.IntN(160)-80), 'f', -1, 64)
	}},
	{"bytes of numbers", func(r *rand.Rand) string {
		b := make([]byte, 1+r.IntN(12))
		for i := range b {
			b[i] = "0123456789012345678901234567890.eE+-"[r.IntN(36)]
		}
		return string(b)
	}},
}

// floats has the shapes of the numbers that are written.
var floats = []struct {
	name string
	next func(r *rand.Rand) float64
}{
	{"few digits", func(r *rand.Rand) float64 {
		return float64(r.Uint64N(1<<(1+r.IntN(54)))) / math.Pow10(r.IntN(20))
	}},
	{"all digits", func(r *rand.Rand) float64 { return math.Ldexp(1+r.Float64(), r.IntN(80)-25) }},
	{"any", float},
	{"integers", func(r *rand.Rand) float64 { return float64(r.Uint64N(1 << (1 + r.IntN(56)))) }},
	// Halves, quarters and so on of integers have two equally near decimals more often.
	{"halfway", func(r *rand.Rand) float64 { return math.Ldexp(float64(r.Uint64N(1<<53)), -r.IntN(12)) }},
}

// digits returns an integer of n digits. Half of them end in zeros or nines.
func digits(r *rand.Rand, n int) string {
	b := []byte{byte('1' + r.IntN(9))}
	for len(b) < n {
		b = append(b, byte('0'+r.IntN(10)))
	}
	if end := []string{"0", "9"}[r.IntN(2)]; r.IntN(2) == 0 {
		keep := 1 + r.IntN(n)
		return string(b[:keep]) + strings.Repeat(end, n-keep)
	}
	return string(b)
}

func withPoint(r *rand.Rand, digits string) string {
	switch n := r.IntN(len(digits) + 1); {
	case r.IntN(4) == 0 || n == len(digits):
		return digits
	case n == 0:
		return "0." + digits
	default:
		return digits[:n] + "." + digits[n:]
	}
}

func exponent(r *rand.Rand, n int) string {
	text := []string{"e", "E"}[r.IntN(2)]
	switch {
	case n < 0:
		text, n = text+"-", -n
	case r.IntN(2) == 0:
		text += "+"
	}
	return text + strings.Repeat("0", r.IntN(3)) + strconv.Itoa(n)
}

// float returns any finite float64.
func float(r *rand.Rand) float64 {
	for {
		if f := math.Float64frombits(r.Uint64() >> 1); f-f == 0 && f < math.MaxFloat64 {
			return f
		}
	}
}

// beginning matches what Parse tries to read as a number. It is a number if it is valid JSON.
var beginning = regexp.MustCompile(`^-?(0|[1-9][0-9]*|)(\.[0-9]*)?([eE][+-]?[0-9]*)?`)

// checkParse compares all ways to parse text with strconv: near the end of a text and far from it.
func checkParse(t *testing.T, text string) {
	t.Helper()
	number := beginning.FindString(text)
	if !json.Valid([]byte(number)) {
		number = ""
	}
	want, _ := strconv.ParseFloat(number, 64)
	for _, after := range []string{"", " " + strings.Repeat(" ", Longest), ",." + strings.Repeat("7", Longest)} {
		got, n := Parse([]byte(text + after))
		if n != len(number) || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s before %q: %v of %d bytes, want %v of %q", text, after, got, n, want, number)
		}
	}
}

// checkIsShortest compares what Shortest says of a number of 15 to 17 digits with what strconv
// writes. Shortest is not certain next to powers of two, of two decimals that are equally near, of
// more than 17 digits, nor where its shift is out of range.
func checkIsShortest(t *testing.T, r *rand.Rand) {
	t.Helper()
	f := math.Ldexp(1+r.Float64(), r.IntN(96)-43)
	text := strconv.FormatFloat(f, 'e', 14+r.IntN(3), 64)
	if r.IntN(2) == 0 {
		text = strconv.FormatFloat(f, 'e', -1, 64)
	}
	mantissa, exp, _ := strings.Cut(text, "e")
	mantissa = strings.Replace(mantissa, ".", "", 1)
	integer, _ := strconv.ParseUint(mantissa, 10, 64)
	scale, _ := strconv.Atoi(exp)
	integer += r.Uint64N(3) - 1

	decimals := len(mantissa) - 1 - scale
	if decimals < 0 || decimals > maxDecimals {
		return
	}
	number := Decimal(integer, decimals)
	want, _, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	shortest := strings.Replace(want, ".", "", 1) == strconv.FormatUint(integer, 10)
	got := Shortest(integer, decimals)
	if got && !shortest && integer >= 1e15 || !got && shortest && certain(integer, number, decimals) {
		t.Fatalf("%d with %d decimals: shortest is %v, but strconv writes %s", integer, decimals, got, want)
	}
}

// certain reports whether Shortest must know whether a number of 15 digits or more with a number
// of decimals is the shortest one.
func certain(integer uint64, number float64, decimals int) bool {
	twice := new(big.Float).SetPrec(200).SetFloat64(2 * number)
	for range decimals {
		twice.Mul(twice, big.NewFloat(10))
	}
	whole, _ := twice.Int(nil)
	halfway := twice.IsInt() && whole.Bit(0) == 1
	shift := 52 - math.Ilogb(number) - decimals // of the float64's mantissa times 5^decimals
	nextToPower := (math.Float64bits(number)+3)&(1<<52-1) < 7
	return integer < 1e17 && decimals <= 22 && !nextToPower && 1 <= shift && shift <= 62 && !halfway
}
