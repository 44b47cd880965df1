package jsonscan

import (
	"cmp"
	"slices"

	"perfdata/internal/chars"
	"perfdata/internal/forms"
)

// FirstError returns the error that ended the reading, or an earlier one in a value that was
// skipped fast and not read since: SkipFast notices only faults that move the value's end.
func (s *Scanner) FirstError(skipped ...Bookmark) error {
	err := s.err
	for _, b := range skipped {
		if !s.Return(b) || !s.SkipForgiving() {
			return s.err
		}
	}
	s.Fail(err)
	return err
}

// SkipFast skips the value ahead and looks for little more than its end. It is for values that
// Return will come back to, and is many times as fast as Skip. It fails only on what Skip fails
// on too, though perhaps later in the input.
func (s *Scanner) SkipFast() bool {
	kind := s.Kind()
	if kind != Array && kind != Object {
		return s.Skip()
	}

	// The elements, or the values of the members, usually resemble each other.
	var set forms.Set
	if kind == Array {
		s.EnterArray()
	} else {
		s.EnterObject()
	}
	for s.nextOf(kind) {
		try := !s.general && set.Worthwhile(32)
		if try && s.match(&set, nil) != nil {
			continue
		}
		start := s.Offset()
		try = try && s.Kind() >= Array // Skip reads all others, and looks at more
		ok := s.SkipValueFast()
		if n := s.Offset() - start; ok && try && n >= forms.Small && n <= maxSkipped && start >= s.base {
			set.LearnSkipped(s.buf[start-s.base : s.pos])
		}
		set.Missed(s.Offset() - start)
	}
	return s.err == nil
}

// maxSkipped is the length of the longest value whose form SkipFast learns. Longer ones usually have
// arrays of numbers, which are skipped faster without a form. To learn those too takes half of the
// time of skipping a profile of Perun in today's layout.
const maxSkipped = 4 << 10

// nextOf goes to the next element of an array, or to the value of an object's next member.
func (s *Scanner) nextOf(kind Kind) bool {
	if kind == Array {
		return s.Element()
	}
	_, _, ok := s.Member()
	return ok
}

// SkipRestFast skips the rest of the array that was entered last, and leaves it, as SkipFast does.
// No element may have been announced and not been read.
func (s *Scanner) SkipRestFast() bool {
	if s.err != nil || !s.takeShortcut() && !s.skipFastTo(1, '[') {
		return false
	}
	s.open = s.open[:len(s.open)-1]
	return true
}

// SkipValueFast is SkipFast for a single value that is not similar to others.
func (s *Scanner) SkipValueFast() bool {
	if k := s.Kind(); k != Array && k != Object {
		return s.Skip()
	}
	return s.skipFastTo(0, s.buf[s.pos])
}

// skipFastTo skips the rest of an array or object that begins with the bracket opening. Depth
// is how many arrays and objects are open in it, including itself.
func (s *Scanner) skipFastTo(depth int, opening byte) bool {
	begin := int64(0) // of the last array, if it holds numbers only
	for {
		i := chars.NextBracketOrQuote(s.buf, s.pos)
		if i == len(s.buf) {
			s.pos = i
			if !s.fill() {
				s.failAt(s.pos, "the end of an array or object")
				return false
			}
			continue
		}

		s.pos = i + 1
		c := s.buf[i]
		if c == ']' && begin > 0 {
			s.noteShortcut(begin)
		}
		begin = 0
		switch c {
		case '"':
			if !s.skipTextFast() {
				return false
			}

		case '[':
			depth++
			begin = s.Offset()
		case '{':
			depth++

		case '}', ']':
			depth--
			if depth == 0 {
				s.first = false
				if c != opening+2 {
					s.failAt(i, string(opening+2))
				}
				return s.err == nil
			}
		}
	}
}

// ValueLen returns how long the array or object is that b begins with, and how many arrays and
// objects at most are open in it at the same time, if it is otherwise valid. The length is 0
// if b ends before it.
func ValueLen(b []byte) (length, depth int) {
	open := 0
	for i := 0; ; {
		if i = chars.NextBracketOrQuote(b, i); i == len(b) {
			return 0, 0
		}
		i++
		switch b[i-1] {
		case '"':
			if i = chars.EndOfText(b, i); i == len(b) {
				return 0, 0
			}
			i++
		case '[', '{':
			open++
			depth = max(depth, open)
		default:
			if open--; open == 0 {
				return i, depth
			}
		}
	}
}

// skipTextFast skips the rest of a string whose first quote was read.
func (s *Scanner) skipTextFast() bool {
	for {
		s.pos = chars.EndOfText(s.buf, s.pos)
		if s.pos < len(s.buf) && s.buf[s.pos] == '"' {
			s.pos++
			return true
		}
		if !s.fill() {
			s.failAt(len(s.buf), "the end of the string")
			return false
		}
	}
}

// A shortcut leads over a long array of numbers that was skipped.
type shortcut struct {
	begin int64    // offset after its opening bracket
	end   Position // after its closing bracket
}

// noteShortcut notes that an array of numbers, without anything nested, goes from begin to here, if it is
// worth a shortcut. A file has few arrays of that length.
func (s *Scanner) noteShortcut(begin int64) {
	const minShortcut = 32 << 10
	if n := len(s.shortcuts); s.Offset()-begin < minShortcut || n > 0 && s.shortcuts[n-1].begin >= begin {
		return
	}
	s.shortcuts = append(s.shortcuts, shortcut{begin, s.locate(s.pos)})
}

// takeShortcut goes to the end of the array that the scanner is in, if that is known and far away.
func (s *Scanner) takeShortcut() bool {
	if s.general {
		return false
	}
	at := s.Offset()
	i, _ := slices.BinarySearchFunc(s.shortcuts, at, func(c shortcut, at int64) int {
		return cmp.Compare(c.end.Offset, at)
	})
	if i == len(s.shortcuts) || s.shortcuts[i].begin > at || s.shortcuts[i].end.Offset <= s.base+int64(len(s.buf)) {
		return false
	}
	c := s.shortcuts[i]
	s.flushPlaces(len(s.buf) + 1)
	if s.rewind(c.end.Offset) != nil {
		return false
	}
	s.window = newWindow(s.buf[:0], c.end)
	s.first = false
	s.shortRead = 2 << 10 // usually another shortcut follows soon
	return true
}
