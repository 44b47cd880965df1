package jsonscan

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
)

// RepeatedError returns the error about the member whose name was just read, if an earlier member
// of the object has the same name. It does not fail the scanner.
func (s *Scanner) RepeatedError(name []byte) *format.Error {
	e := s.NameError("duplicate member " + message.Quote(string(name)))
	e.Err = format.ErrDuplicate
	return e
}

// FailRepeated fails because an earlier member has the name that was just read. It returns false.
func (s *Scanner) FailRepeated(name []byte) bool {
	s.Fail(s.RepeatedError(name))
	return false
}

// ReportRepeated makes s skip the value of each duplicate member after calling report with its name,
// instead of failing.
func (s *Scanner) ReportRepeated(report func(name []byte)) { s.repeated = report }

// PassRepeated is FailRepeated, or reports the member and skips its value, see ReportRepeated. It
// returns whether the object can be read on.
func (s *Scanner) PassRepeated(name []byte) bool {
	if s.repeated == nil || s.err != nil {
		return s.FailRepeated(name)
	}
	s.repeated(name)
	return s.Skip()
}

// FailLimit fails because of a limit. The method that makes the error is one of s, such as
// s.TokenError.
func (s *Scanner) FailLimit(at func(message string) *format.Error, limit string, max int64, what string) {
	if s.err == nil {
		e := at(message.Limit(limit, max, what))
		e.Err = format.ErrLimit
		s.Fail(e)
	}
}

// ChangedMessage says what EndAgain found.
const ChangedMessage = "the input changed while it was read"

// EndAgain fails unless a value that was skipped and is now read ends here, as it did the
// first time.
func (s *Scanner) EndAgain(end int64) {
	if s.err == nil && s.Offset() != end {
		e := s.Error(ChangedMessage)
		e.Err = format.ErrChanged
		s.Fail(e)
	}
}

// describe names the byte or rune that b begins with, for a person.
func describe(b []byte) string {
	switch r, size := utf8.DecodeRune(b); {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("byte 0x%02x, which is not valid UTF-8", b[0])
	case r == '\ufeff':
		return "a byte order mark"
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf("control character 0x%02x", r)
	default:
		return fmt.Sprintf("%q", r)
	}
}

// TypeError returns an error about the value ahead, which is of another type than expected, in
// the words of JSON Schema validators. If the value is a number, it is read: its type depends on
// it.
func (s *Scanner) TypeError(expected string) *format.Error {
	e := s.Error("")
	if s.Kind() == NaN {
		s.failAhead("a value")
	}
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

// SkipTypeError is TypeError that reads the value, whatever it is.
func (s *Scanner) SkipTypeError(expected string) *format.Error {
	isNumber := s.Kind() == Number
	e := s.TypeError(expected)
	if !isNumber {
		s.Skip()
	}
	return e
}
