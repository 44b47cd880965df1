package jsonscan

import (
	"math/big"
	"strings"
	"testing"
)

// A number is an integer if JSON Schema accepts it as an integer, in any notation.
func TestIsInteger(t *testing.T) {
	for _, sign := range []string{"", "-"} {
		for _, whole := range []string{"0", "1", "10", "100", "120", "987654321098765432109876543210"} {
			for _, fraction := range []string{"", ".0", ".5", ".50", ".05", ".000", ".00000000000000000001"} {
				for _, exponent := range []string{
					"", "e0", "E+1", "e2", "e-1", "e-2", "E-3", "e-700", "e400", "e-0", "e+02",
				} {
					text := sign + whole + fraction + exponent
					r, ok := new(big.Rat).SetString(text)
					if !ok {
						t.Fatal(text)
					}
					if got := isInteger([]byte(text)); got != r.IsInt() {
						t.Errorf("%s: %v", text, got)
					}
				}
			}
		}
	}
	for text, want := range map[string]bool{
		"1e99999999999999999999":  true,
		"1e-99999999999999999999": false,
		"0e-99999999999999999999": true,
	} {
		if got := isInteger([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
		s := newScanner(strings.NewReader(text))
		if s.Number(); s.IsInteger() != want {
			t.Errorf("%s: %v", s.Token(), !want)
		}
	}
}
