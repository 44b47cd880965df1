package number

import (
	"errors"
	"strconv"
	"strings"
)

// maxSignificant is the number of digits that strconv keeps of a number. They are more than decide
// about the rounding of any float64, if it is known whether another digit than 0 follows.
const maxSignificant = 800

// maxExponent is an exponent that makes the same number as any greater one, because no text is that
// long.
const maxExponent = 1e9

// ParseFloat is strconv.ParseFloat, but exact for numbers of any length. strconv forgets how many
// digits it cuts from a number with more than 800 digits before the point, and reads no more than
// five digits of an exponent, so its result can be wrong by powers of ten.
func ParseFloat(s string, bitSize int) (float64, error) {
	f, err := strconv.ParseFloat(s, bitSize)
	if len(s) <= maxSignificant || errors.Is(err, strconv.ErrSyntax) || strings.ContainsAny(s, "xX") {
		return f, err
	}

	// Make a text with up to 801 digits, all of them after the point, for the same float64.
	s = strings.ReplaceAll(s, "_", "")
	exponent := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, _ := strconv.Atoi(s[i+1:]) // the greatest int, with an error, if too large
		exponent, s = max(-maxExponent, min(e, maxExponent)), s[:i]
	}

	unsigned := strings.TrimLeft(s, "+-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent += len(digits) - len(fraction)
	if len(digits) > maxSignificant {
		cut := strings.Trim(digits[maxSignificant:], "0")
		if digits = digits[:maxSignificant]; cut != "" {
			digits += "1"
		}
	}
	s = s[:len(s)-len(unsigned)] + "0." + digits + "e" + strconv.Itoa(exponent)
	return strconv.ParseFloat(s, bitSize)
}
