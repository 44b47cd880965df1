package perun

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"perfdata/internal/number"
)

// pythonNumber returns the text that Python writes for a JSON number: usually the same, and then the
// same string.
func pythonNumber(text string) string {
	digits := strings.TrimPrefix(text, "-")
	switch {
	case text == "-0":
		return "0" // Python writes all other integers as they are
	case isDigits(digits) || isUsual(digits):
		return text
	}
	f, _ := strconv.ParseFloat(text, 64)
	var b [longest + 1]byte
	if b := appendFloat(b[:0], f); string(b) != text {
		return string(b)
	}
	return text
}

// isDecimal reports whether a text is a number without an exponent, as Python writes it.
func isDecimal(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if isUsual(digits) {
		return text != "-0"
	}
	integer, fraction, point := strings.Cut(digits, ".")
	return isDigits(integer) && (len(integer) == 1 || integer[0] != '0') && (!point || isDigits(fraction)) &&
		pythonNumber(text) == text
}

// isDigits reports whether s has one or more digits and nothing else.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}

// isUsual reports whether it is certain that the text is a number without a sign and an exponent, and
// that Python writes it as it is.
func isUsual(text string) bool {
	var b [number.Longest - 1]byte
	if len(text) >= longest+1 {
		return false
	}
	copy(b[:], text) // nothing that a number may have follows
	integer, decimals, n := number.Digits(&b)
	return n == len(text) && n > 0 && isPython(integer, decimals)
}

// isPython reports whether it is certain that Python writes a number with so many decimals as it is:
// that it is the shortest number nearest to its float64, without superfluous zeros. Only one zero can
// come after the point, and no other digit. Below 1e-4, Python writes an exponent; a number with 16
// digits or more, which has at most 19 decimals, is not below.
func isPython(integer uint64, decimals int) bool {
	switch {
	case decimals <= 0:
		return decimals == 0
	case integer%10 == 0:
		return decimals == 1 && integer < 1e15
	}
	small := decimals > 4 && integer < 1e15 && number.Decimal(integer, decimals) < 1e-4
	return !small && number.Shortest(integer, decimals)
}

// appendFloat appends f as Python's repr does: with an exponent below 1e-4 and from 1e16 on, else
// with a point.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	n := len(dst)
	if dst = strconv.AppendFloat(dst, f, 'f', -1, 64); bytes.IndexByte(dst[n:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}
