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
	if len(s) <= maxSignificant || errors.Is(err, strconv.ErrSyntax) {
		return f, err
	}
	return strconv.ParseFloat(shorten(s), bitSize)
}

// shorten returns a text with up to 801 digits, all of them after the point, for the float64 that s
// means. A hexadecimal number is returned as it is. s must be a number for strconv.
func shorten(s string) string {
	short, digits, exponent, fraction, cut := make([]byte, 0, maxSignificant+32), 0, 0, false, false
	if s[0] == '-' {
		short = append(short, '-')
	}
	short = append(short, "0."...)

scan:
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			fraction = true
		case c|0x20 == 'x':
			return s
		case c|0x20 == 'e':
			e, _ := strconv.Atoi(strings.ReplaceAll(s[i+1:], "_", "")) // the greatest int, with an error, if too large
			exponent += max(-maxExponent, min(e, maxExponent))
			break scan
		case c-'0' > 9: // a sign, or a separator of digits
		case c == '0' && digits == 0, digits == maxSignificant:
			cut = cut || c != '0'
			if fraction && digits == 0 {
				exponent--
			} else if !fraction && digits > 0 {
				exponent++
			}
		default:
			short = append(short, c)
			digits++
			if !fraction {
				exponent++
			}
		}
	}

	if cut {
		short = append(short, '1')
	}
	if digits == 0 {
		short = append(short, '0')
	}
	return string(strconv.AppendInt(append(short, 'e'), int64(exponent), 10))
}
