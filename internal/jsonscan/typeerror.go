package jsonscan

import (
	"bytes"
	"fmt"
	"strconv"

	"perfdata/format"
)

// TypeError returns an error about the value ahead, which is of another type than expected, in
// the words of JSON Schema validators. If the value is a number, it is read: its type depends on
// it.
func (s *Scanner) TypeError(expected string) *format.Error {
	e := s.Error("")
	given := s.Kind().String()
	if s.Kind() == Number {
		if _, ok := s.Number(); ok && s.IsInteger() {
			given = "integer"
		}
	}
	e.Message = fmt.Sprintf("Invalid type. Expected: %s, given: %s", expected, given)
	return e
}

// IsInteger reports whether the number that was read last is an integer, as JSON Schema means it:
// 1.0 and 1e3 are. It goes by the digits, as a float64 may be rounded to an integer.
func (s *Scanner) IsInteger() bool { return isInteger(s.Token()) }

func isInteger(number []byte) bool {
	mantissa, exponent := number, 0
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		// One that is out of range is given as the nearest, which is far enough.
		exponent, _ = strconv.Atoi(string(number[i+1:]))
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	digits := bytes.TrimRight(fraction, "0")
	if len(digits) > 0 {
		return exponent >= len(digits)
	}
	zeros := len(whole) - len(bytes.TrimRight(whole, "0"))
	return exponent >= -zeros || zeros == len(bytes.TrimLeft(whole, "-"))
}

// WantText is Text that fails if something else than a string is ahead.
func (s *Scanner) WantText() []byte {
	if s.Kind() != String {
		s.Fail(s.TypeError("string"))
		return nil
	}
	text, _ := s.Text()
	return text
}

// SkipTypeError is TypeError that reads the value, whatever it is.
func (s *Scanner) SkipTypeError(expected string) *format.Error {
	isNumber := s.Kind() == Number
	e := s.TypeError(expected)
	if !isNumber {
		s.Skip()
	}
	return e
}
