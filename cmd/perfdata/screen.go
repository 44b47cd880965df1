package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"perfdata/internal/visible"
)

// Files come from anywhere, and can hold what would move the cursor of a terminal, change its title or fill its clipboard.
// Text that the tool words itself is escaped wherever it goes: descriptions, notes and errors. Data, which programs read, is
// written as it is, and only escaped on a terminal.

// A screen writes data to a terminal, with control characters escaped except tabs and line ends.
type screen struct {
	out  io.Writer
	rest []byte // the beginning of a character whose end is not written yet
	buf  []byte
}

func (s *screen) Write(p []byte) (int, error) {
	data := p
	if len(s.rest) > 0 {
		data = append(s.rest, p...)
	}
	whole := len(data)
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if end := data[len(data)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				whole = len(data) - i
			}
			break
		}
	}
	s.buf = appendShown(s.buf[:0], data[:whole])
	s.rest = append([]byte(nil), data[whole:]...)
	if _, err := s.out.Write(s.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what is left at the end.
func (s *screen) flush() {
	s.out.Write(appendShown(nil, s.rest))
	s.rest = nil
}

// appendShown appends data with its control characters escaped as in JSON, so that JSON remains what it is. Bytes that are not
// UTF-8, which JSON doesn't have, become \x9b.
func appendShown(dst, data []byte) []byte {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, data[0])
		case r == '\n', r == '\t', r == utf8.RuneError, !visible.IsHidden(r):
			dst = append(dst, data[:size]...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		data = data[size:]
	}
	return dst
}
