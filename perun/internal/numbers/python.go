package numbers

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"perfdata/internal/number"
)

// Python returns the text that Python writes for a JSON number: usually the same, and then the
// same string.
func Python(text string) string {
	var b [window]byte
	if at, ok := spanOf(&b, text); ok && at.isPython(b[:]) {
		return text
	}
	if strings.Trim(text, "-0123456789") == "" { // an integer
		if text == "-0" {
			return "0" // Python writes all others as they are
		}
		return text
	}
	f, _ := strconv.ParseFloat(text, 64)
	if b := appendFloat(b[:0], f); string(b) != text {
		return string(b)
	}
	return text
}

// spanOf returns the place of a number in b, which it sets to the text. It returns false if the
// text is not a number, or is unusual.
func spanOf(b *[window]byte, text string) (Span, bool) {
	if len(text) >= number.MaxExtent {
		return Span{}, false
	}
	copy(b[:], text) // nothing that a number may have follows
	digits, n := lengthOf(b)
	return Span{0, uint32(n), uint32(digits)}, n == len(text) && n > 0
}

// isPython reports whether it is certain that Python writes a number as it is: that it is the shortest
// number nearest to its float64, without superfluous zeros, and has an exponent where Python writes
// one, below 1e-4 and from 1e16 on. A number of up to 15 digits is the shortest, because a float64
// tells all of them apart. For 16 and 17 digits, number.Shortest decides. If it is not certain, the
// number is parsed and written.
func (at *Span) isPython(text []byte) bool {
	start := at.Start
	if text[start] == '-' {
		start++
	}
	b := (*[number.Longest - 1]byte)(text[start:])
	n := int(at.End - start)
	if at.digits == 0 {
		return isPythonExponent(b, n)
	}
	decimals := n - int(at.digits) - 1
	if decimals < 0 {
		return start == at.Start || b[0] != '0' // not -0
	}

	// Only one zero can come after the point, and no other digit. Small numbers have an exponent.
	last := text[at.End-1] - '0'
	small := b[0] == '0' && decimals > 4 && binary.LittleEndian.Uint32(b[2:]) == fourZeros
	switch {
	case last == 0:
		return decimals == 1 && n <= 16
	case small:
		return false
	case n <= 16:
		return true // a float64 holds any 15 digits
	}
	integer, decimals, ok := number.Integer(b, int(at.digits), n)
	return ok && number.Shortest(integer, decimals)
}

// isPythonExponent is isPython for a number of n bytes that has an exponent, and no sign before it.
// Without it, reading arrays of such numbers takes 58% more time.
func isPythonExponent(b *[number.Longest - 1]byte, n int) bool {
	// The exponent has a sign and two digits, the rest one digit or a point after the first.
	digits := n - len("e-05")
	if digits < 1 || digits > 20 || b[digits] != 'e' || b[0] == '0' {
		return false
	}
	fraction := digits - len("1.")
	if digits > 1 && (b[1] != '.' || b[digits-1] == '0') {
		return false
	}

	exponent := int(b[n-2]-'0')*10 + int(b[n-1]-'0')
	switch b[digits+1] {
	case '-':
		if exponent < 5 {
			return false
		}
	case '+':
		return exponent >= 16 && digits <= 16
	default:
		return false // it has three digits
	}

	if digits <= 16 {
		return true // a float64 holds any 15 digits
	}
	integer, _, ok := number.Integer(b, 1, digits)
	return ok && number.Shortest(integer, fraction+exponent)
}

const fourZeros = '0' | '0'<<8 | '0'<<16 | '0'<<24

// IsDecimal reports whether a text is a number without an exponent, as Python writes it.
func IsDecimal(text string) bool {
	var b [window]byte
	if at, ok := spanOf(&b, text); ok && at.digits > 0 && at.isPython(b[:]) {
		return true
	}
	integer, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return isDigits(integer) && (len(integer) == 1 || integer[0] != '0') && (!point || isDigits(fraction)) &&
		Python(text) == text
}

// isDigits reports whether s has one or more digits and nothing else.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

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
