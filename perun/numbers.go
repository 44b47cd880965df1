package perun

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/number"
)

// A span is a number in a text: its place, and the digits that are there.
type span struct {
	start, end uint32
	decimals   int32  // digits after the point; negative: the number has a sign, an exponent or many digits
	integer    uint64 // all digits
}

const longest = 31 // of a number that scanNumbers finds

// scanNumbers finds numbers of an array. It takes the text that follows an element that was read, up to
// where it is known: a comma, usually. It returns the numbers that the text begins with, at most
// max, in the memory of spans, and how many bytes they take.
//
// It stops before anything unusual, such as a number that may not be whole in the text, white space
// that varies, or a fault: the caller reads that with a JSON parser, as it must read an array's
// first element.
func scanNumbers(spans []span, text []byte, max int) (_ []span, taken int) {
	spans = spans[:0]
	if len(text) == 0 || text[0] != ',' {
		return spans, 0
	}
	sep := text[:len(text)-len(bytes.TrimLeft(text[1:], " \n\r\t"))] // usually of all elements
	for len(spans) < max && len(text)-taken >= len(sep)+number.Longest {
		start := taken + len(sep)
		if string(text[taken:start]) != string(sep) {
			break
		}

		b := text[start:]
		integer, decimals, n := number.Digits((*[number.Longest - 1]byte)(b))
		if n == 0 || !endsNumber[b[n]] {
			var f float64
			f, n = number.Unusual(b, integer, decimals, n)
			if n == 0 || n > longest || math.IsInf(f, 0) || !endsNumber[b[n]] {
				break // what follows may be the rest of the number
			}
			decimals = -1
		}
		taken = start + n
		spans = append(spans, span{uint32(start), uint32(taken), int32(decimals), integer})
	}
	return spans, taken
}

// endsNumber tells what may follow a number of an array.
var endsNumber = [256]bool{',': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// appendFloats appends the numbers at places in the text that scanNumbers found.
func appendFloats(dst []float64, text []byte, spans []span) []float64 {
	k := len(dst)
	dst = slices.Grow(dst, len(spans))[:k+len(spans)]
	for i := range spans {
		if at := &spans[i]; at.decimals >= 0 {
			dst[k+i] = number.Decimal(at.integer, int(at.decimals))
		} else {
			dst[k+i], _ = number.Parse(text[at.start:])
		}
	}
	return dst
}

// appendTexts appends the texts that Python writes for the numbers at places in the text that scanNumbers
// found. They share a string, with the separators between them: a program that keeps one of them keeps
// all.
func appendTexts(dst []string, text []byte, spans []span) []string {
	if len(spans) == 0 {
		return dst
	}
	from := spans[0].start
	shared := string(text[from:spans[len(spans)-1].end])
	for i := range spans {
		at := &spans[i]
		number := shared[at.start-from : at.end-from]
		if at.decimals != 0 && !isPython(at.integer, int(at.decimals)) {
			number = pythonNumber(number)
		}
		dst = append(dst, number)
	}
	return dst
}

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
	switch {
	case f != f:
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}

	// Python's repr has an exponent below 1e-4 and from 1e16 on, else a point.
	verb := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		verb = 'e'
	}
	var room [longest + 1]byte
	b := strconv.AppendFloat(room[:0], f, verb, -1, 64)
	if verb == 'f' && bytes.IndexByte(b, '.') < 0 {
		b = append(b, ".0"...)
	}
	if string(b) != text {
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
