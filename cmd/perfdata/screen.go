package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"perfdata/internal/chars"
)

// Files are not trusted: they may contain control sequences that move the cursor of a terminal,
// change its title or fill its clipboard. Text for people is always escaped: descriptions, notes
// and errors. Data for programs is escaped only on a terminal.

// A screen writes data to a terminal, with control characters escaped except tabs and line ends.
type screen struct {
	out  io.Writer
	rest []byte // the beginning of a character whose end has not arrived yet
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

// flush writes an incomplete character at the end.
func (s *screen) flush() {
	s.out.Write(appendShown(nil, s.rest))
	s.rest = nil
}

// appendShown appends data with its control characters escaped as in JSON, so that JSON keeps its
// meaning. Invalid UTF-8, which is not allowed in JSON, is escaped as \x9b.
func appendShown(dst, data []byte) []byte {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, data[0])
		case r == '\n', r == '\t', r == utf8.RuneError, !chars.IsHidden(r):
			dst = append(dst, data[:size]...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		data = data[size:]
	}
	return dst
}
