package jsonscan

import (
	"math"

	"perfdata/internal/chars"
	"perfdata/internal/forms"
)

// Skip skips the value ahead, whatever it is, and checks all of it.
func (s *Scanner) Skip() bool {
	kind := s.Kind()
	if s.SkipNaN() {
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
		s.eachMember(func([]byte) { s.Skip() })
	}
	return s.err == nil
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

// SkipRepeated is Skip for a value in which duplicate members, at any depth, are not errors: it
// calls report with the name of each.
func (s *Scanner) SkipRepeated(report func(name []byte)) bool {
	s.skipped = report
	ok := s.Skip()
	s.skipped = nil
	return ok
}

// eachMember reads the object ahead, and calls read after each member's name, to read its value.
// A name that repeats is an error, except in SkipRepeated.
func (s *Scanner) eachMember(read func(name []byte)) {
	depth, count := len(s.open), 0
	s.namesAt(depth).Reset()
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		if !s.names[depth].Add(s, name) {
			if s.skipped == nil || s.err != nil {
				s.FailRepeated(name)
				break
			}
			s.skipped(name)
		}

		count++
		if s.remembered++; s.remembered > s.limits.MaxMembers {
			s.failMembers()
			break
		}
		read(name)
	}
	s.remembered -= count
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
