package jsonscan

import (
	"cmp"
	"slices"
)

// A shortcut leads over a long array of numbers that was skipped or skimmed.
type shortcut struct {
	begin, end int64 // offsets after its brackets
	line       int   // as a window has them, at the end
	lineStart  int64
}

// minShortcut is the least length of an array that is worth a shortcut. A file has few arrays of
// that length.
const minShortcut = 32 << 10

// noteShortcut notes that an array of numbers, without anything nested, goes from begin to here.
func (s *Scanner) noteShortcut(begin int64) {
	end := s.Offset()
	if n := len(s.shortcuts); end-begin < minShortcut || n > 0 && s.shortcuts[n-1].begin >= begin {
		return
	}
	line, lineStart := s.lineAt(s.pos)
	s.shortcuts = append(s.shortcuts, shortcut{begin, end, line, lineStart})
}

// takeShortcut goes to the end of the array that the scanner is in, if that is known and far away.
func (s *Scanner) takeShortcut() bool {
	if s.general {
		return false
	}
	at := s.Offset()
	i, _ := slices.BinarySearchFunc(s.shortcuts, at, func(c shortcut, at int64) int { return cmp.Compare(c.end, at) })
	if i == len(s.shortcuts) || s.shortcuts[i].begin > at || s.shortcuts[i].end <= s.base+int64(len(s.buf)) {
		return false
	}
	c := s.shortcuts[i]
	s.settle(len(s.buf) + 1)
	if s.rewind(c.end) != nil {
		return false
	}
	s.window = newWindow(s.buf[:0], c.end, c.line, c.lineStart)
	s.first = false
	s.sip = minSip
	return true
}

// minSip is how much is read at first after a shortcut: usually another one follows soon.
const minSip = 2 << 10
