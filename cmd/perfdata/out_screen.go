package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"perfdata/internal/chars"
)

// Files are not trusted: they may contain control sequences that move the cursor of a terminal,
// change its title or fill its clipboard. Text for people is always escaped: descriptions, notes
// and errors. Data for programs is escaped only on a terminal. Whatever was forgotten is escaped by
// the last of all writers, which lets the styles of the tool pass, and nothing else.

// A screen writes to a terminal, with control characters escaped except tabs and line ends.
type screen struct {
	out    io.Writer
	tool   *tool  // of the last writer of an output, which may be no terminal; nil for data from files
	wanted *bool  // the tool's: whether that output has styles, which is known only later
	styles bool   // the sequences of styles pass
	rest   []byte // the beginning of a character or sequence whose end has not arrived yet
	buf    []byte
}

// Write writes all whole characters. A call may end within a character. A program that reads the
// output gets all of it as it is.
func (s *screen) Write(p []byte) (int, error) {
	if s.tool != nil {
		if !s.tool.isTerminal(s.out) {
			return s.out.Write(p)
		}
		s.styles = *s.wanted
	}

	data := p
	if len(s.rest) > 0 {
		data = append(s.rest, p...)
	}
	// At most the last three bytes can begin a character that is not complete.
	whole := len(data)
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if end := data[len(data)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				whole = len(data) - i
			}
			break
		}
	}
	// The end may also begin a style of the tool.
	if at := bytes.LastIndexByte(data[:whole], '\x1b'); s.styles && at >= 0 && styleIn(data[at:], true) > 0 {
		whole = at
	}
	s.buf = s.appendShown(s.buf[:0], data[:whole])
	// The rest is a copy, because p belongs to the caller after this call.
	s.rest = append([]byte(nil), data[whole:]...)
	if _, err := s.out.Write(s.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes an incomplete character at the end.
func (s *screen) flush() {
	if len(s.rest) == 0 {
		return
	}
	s.out.Write(s.appendShown(nil, s.rest))
	s.rest = nil
}

// appendShown appends data with its control characters escaped as in JSON, so that JSON keeps its
// meaning. Invalid UTF-8, which is not allowed in JSON, is escaped as \x9b.
func (s *screen) appendShown(dst, data []byte) []byte {
	for len(data) > 0 {
		if n := styleIn(data, false); n > 0 && s.styles {
			dst, data = append(dst, data[:n]...), data[n:]
			continue
		}
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

// styleIn returns the length of the style with which data begins, or which begins with data, if
// that is cut. Otherwise it returns 0.
func styleIn(data []byte, cut bool) int {
	for _, s := range [...]style{bold, red, yellow, cyan, endStyle} {
		isWhole := bytes.HasPrefix(data, []byte(s))
		isCut := len(data) < len(s) && strings.HasPrefix(string(s), string(data))
		if cut && isCut || !cut && isWhole {
			return len(s)
		}
	}
	return 0
}

// A style is the escape sequence that begins styled text.
type style string

// The escapes of few styles suffice, and all terminals know them. The screen passes these, and no
// others.
const (
	bold   style = "\x1b[1m"
	red    style = "\x1b[31m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"

	endStyle = "\x1b[0m"
)

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// whenColor are the values of --color.
var whenColor = []string{"auto", "always", "never"}

// setColor decides which outputs have colors. It is called again if the output is a file, which
// gets no colors unless they are wanted always.
func (t *tool) setColor() error {
	if !slices.Contains(whenColor, t.color) {
		return unknownChoice("--color", t.color, whenColor)
	}
	always := t.color == "always"
	// See https://no-color.org: an empty variable has no effect. A dumb terminal does not know styles.
	isAuto := t.color == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	t.colorOut = always || isAuto && t.isTerminal(t.out)
	t.colorErr = always || isAuto && t.isTerminal(t.errs)
	return nil
}

// styled returns text in a style, if colors are wanted.
func styled(wanted bool, s style, text string) string {
	if !wanted || text == "" {
		return text
	}
	return string(s) + text + endStyle
}
