package jsonscan

import (
	"math"

	"perfdata/internal/chars"
)

// AppendValue reads the value ahead, whatever it is, checks all of it, and appends its text to
// dst: without white space, strings as package jsonenc writes them, and numbers as they are
// written. It calls outOfRange, unless that is nil, after each number that is out of float64's
// range: TokenError is then about that number.
func (s *Scanner) AppendValue(dst []byte, outOfRange func()) ([]byte, bool) {
	switch s.Kind() {
	case Null:
		if s.Null() {
			dst = append(dst, "null"...)
		}
	case Bool:
		if value, ok := s.Bool(); ok && value {
			dst = append(dst, "true"...)
		} else if ok {
			dst = append(dst, "false"...)
		}

	case Number:
		if f, ok := s.Number(); ok {
			dst = append(dst, s.buf[s.tokenStart:s.pos]...)
			if math.IsInf(f, 0) && outOfRange != nil {
				outOfRange()
			}
		}
	case String:
		if text, ok := s.Text(); ok {
			dst = chars.AppendJSON(dst, string(text))
		}

	case Array:
		before := byte('[')
		for s.EnterArray(); s.Element(); before = ',' {
			dst, _ = s.AppendValue(append(dst, before), outOfRange)
		}
		dst = appendEnd(dst, before, "[]")

	case Object:
		before := byte('{')
		s.eachMember(func(name []byte) {
			dst = chars.AppendJSON(append(dst, before), string(name))
			dst, _ = s.AppendValue(append(dst, ':'), outOfRange)
			before = ','
		})
		dst = appendEnd(dst, before, "{}")
	}
	return dst, s.err == nil
}

// appendEnd appends the end of an array or object, or all of it if before tells that nothing of
// it was appended.
func appendEnd(dst []byte, before byte, brackets string) []byte {
	if before == brackets[0] {
		return append(dst, brackets...)
	}
	return append(dst, brackets[1])
}
