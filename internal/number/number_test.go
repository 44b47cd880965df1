package number

import (
	"encoding/json"
	"math"
	"strconv"
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
		{"1e999", math.Inf(1), 5},
		{"-1e999", math.Inf(-1), 6},
		{"123456789012345678901234567890", 123456789012345678901234567890, 30},
		{"9007199254740993", 9007199254740992, 16},
	} {
		t.Run(test.in, func(t *testing.T) {
			got, n := Parse([]byte(test.in))
			if got != test.want || n != test.n {
				t.Errorf("%s: %v of %d bytes, want %v of %d", test.in, got, n, test.want, test.n)
			}
		})
	}
}

// FuzzParse compares the parser with strconv and encoding/json.
func FuzzParse(f *testing.F) {
	f.Add("-12.5e-3")
	f.Add("123456789012345678901234567890")
	f.Fuzz(func(t *testing.T, in string) {
		if in == "" {
			return
		}
		got, n := Parse([]byte(in))
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
