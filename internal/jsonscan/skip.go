package jsonscan

import (
	"math"
	"strconv"

	"perfdata/internal/chars"
	"perfdata/internal/forms"
)

// Skip skips the value ahead, whatever it is, and checks all of it.
func (s *Scanner) Skip() bool {
	kind := s.Kind()
	if s.skipsNaN && s.SkipNaN() {
		return true
	}

	switch kind {
	case NaN:
		s.failAhead("a value")
	case Null:
		return s.Null()
	case Bool:
		_, ok := s.Bool()
		return ok
	case Number, String:
		var ok bool
		if kind == Number {
			_, ok = s.Number()
		} else {
			_, ok = s.Text()
		}
		if s.bindsSkipped && ok {
			s.BindText(s.skippedTag, s.Offset())
		}
		return ok

	case Array:
		s.EnterArray()
		begin, flat := s.Offset(), true
		for s.Element() {
			flat = flat && s.Kind() < Array
			s.Skip()
		}
		if flat && s.err == nil {
			s.noteShortcut(begin)
		}
	case Object:
		before := s.remembered
		for range s.Members() {
			if s.remember() {
				s.Skip()
			}
		}
		s.remembered = before
	}
	return s.err == nil
}

// SkipForgiving is Skip that also skips, in the value, what ForgiveNaN is about.
func (s *Scanner) SkipForgiving() bool {
	s.skipsNaN = true
	ok := s.Skip()
	s.skipsNaN = false
	return ok
}

// SkipBound is Skip for a value of which a later value, that matches, may have other strings and numbers:
// it binds each of them with the tag. Otherwise a member that nobody wants, and that always differs, would
// keep values from matching.
func (s *Scanner) SkipBound(tag forms.Tag) bool {
	s.bindsSkipped, s.skippedTag = s.form != nil, tag
	ok := s.Skip()
	s.bindsSkipped = false
	return ok
}

// remember counts a member of an object that is read as a part of a larger value. It fails, and returns
// false, if the names of these objects take too much memory.
func (s *Scanner) remember() bool {
	if s.remembered++; s.remembered > s.limits.MaxMembers {
		s.failMembers()
	}
	return s.err == nil
}

func (s *Scanner) failMembers() {
	what := "members of an object and the objects around it"
	s.FailLimit(s.NameError, "MaxMembers", int64(s.limits.MaxMembers), what)
}

// AppendValue reads the value ahead, whatever it is, checks all of it, and appends its text to
// dst: without white space, strings as package jsonenc writes them, and numbers as they are
// written. It calls outOfRange, unless that is nil, after each number that is out of float64's
// range: TokenError is then about that number.
func (s *Scanner) AppendValue(dst []byte, outOfRange func()) ([]byte, bool) {
	switch s.Kind() {
	case NaN:
		s.failAhead("a value")
	case Null:
		if s.Null() {
			dst = append(dst, "null"...)
		}
	case Bool:
		if value, ok := s.Bool(); ok {
			dst = strconv.AppendBool(dst, value)
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
		dst = append(dst, '[')
		begin := len(dst)
		for s.EnterArray(); s.Element(); {
			dst, _ = s.AppendValue(dst, outOfRange)
			dst = append(dst, ',')
		}
		dst = append(dst[:max(begin, len(dst)-1)], ']')

	case Object:
		dst = append(dst, '{')
		begin, remembered := len(dst), s.remembered
		for name := range s.Members() {
			if s.remember() {
				dst = append(chars.AppendJSON(dst, string(name)), ':')
				dst, _ = s.AppendValue(dst, outOfRange)
				dst = append(dst, ',')
			}
		}
		s.remembered = remembered
		dst = append(dst[:max(begin, len(dst)-1)], '}')
	}
	return dst, s.err == nil
}
