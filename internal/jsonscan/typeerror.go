package jsonscan

import (
	"fmt"
	"math"

	"perfdata/format"
)

// TypeError returns an error about the value ahead, which is of another type than expected, in the words of JSON Schema
// validators. If the value is a number, it is read: its type depends on it.
func (s *Scanner) TypeError(expected string) *format.Error {
	e := s.Error("")
	given := s.Kind().String()
	if s.Kind() == Number {
		if f, _ := s.Number(); f == math.Trunc(f) {
			given = "integer"
		}
	}
	e.Message = fmt.Sprintf("Invalid type. Expected: %s, given: %s", expected, given)
	return e
}

// WantString reads the string ahead and returns it. Anything else fails.
func (s *Scanner) WantString() string {
	if s.Kind() != String {
		s.Fail(s.TypeError("string"))
		return ""
	}
	text, _ := s.Text()
	return string(text)
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
