package benchfmt

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/lines"
	"perfdata/internal/message"
)

// An input is a file that is read line by line, with its position and its errors.
type input struct {
	name   string
	limits format.Limits // with the defaults
	lines  *lines.Reader
	at     place         // the current line
	kept   int64         // bytes that lines made the Reader keep for later lines
	err    *format.Error // the error that ended the reading
}

// A place is the position of a line.
type place struct {
	offset int64
	line   int
	event  bool   // the line is output of an event, and the position is the event's
	pkg    string // the package whose output it is
}

// keep counts n more bytes that are kept for later lines, or fewer if n is negative.
func (in *input) keep(n int64) {
	in.kept += n
	if max := in.limits.MaxHeaderBytes; in.kept > max {
		text := message.Limit("MaxHeaderBytes", max, "bytes of configuration, unit metadata and unfinished lines")
		in.err = in.fatal(text, format.ErrLimit)
	}
}

// fail returns a recoverable error about byte i of the current line, which is left out.
func (in *input) fail(i int, text string) *format.Error {
	e := in.fatal(text, format.ErrSyntax)
	e.Severity = format.Recoverable
	if !in.at.event {
		e.Offset += int64(i)
		e.Column += i
	}
	return e
}

// failUTF8 returns an error about the first invalid byte in part of a line.
func (in *input) failUTF8(line []byte) *format.Error {
	i := lines.InvalidUTF8(line)
	return in.fail(i, fmt.Sprintf("invalid UTF-8 byte 0x%02x", line[i]))
}

// tooLong reports whether the current line exceeds MaxLineBytes.
func (in *input) tooLong(line []byte) bool {
	return !in.at.event && in.lines.TooLong() || len(line) > in.limits.MaxLineBytes
}

func (in *input) failTooLong() *format.Error {
	return in.failLimit("MaxLineBytes", in.limits.MaxLineBytes, "bytes of one line")
}

// failLimit returns a recoverable error about the current line, which exceeds a limit and is left
// out.
func (in *input) failLimit(limit string, max int, what string) *format.Error {
	e := in.fail(0, message.Limit(limit, int64(max), what))
	e.Err = format.ErrLimit
	return e
}

// failNumber returns an error about a number from byte start to byte end, which strconv refuses.
func (in *input) failNumber(line []byte, start, end int, what, want string, err error) *format.Error {
	if errors.Is(err, strconv.ErrRange) {
		return in.fail(start, fmt.Sprintf("%s %s is out of range", what, quote(line[start:end])))
	}
	return in.fail(start, fmt.Sprintf("%s %s is not a %s", what, quote(line[start:end]), want))
}

// fatal returns an error about the current line that ends the reading.
func (in *input) fatal(text string, cause error) *format.Error {
	return &format.Error{
		Name:     in.name,
		Position: format.Position{Offset: in.at.offset, Line: in.at.line, Column: 1},
		Path:     shorten(in.at.pkg),
		Message:  text,
		Err:      cause,
	}
}

// maxShown is the number of bytes of input text that an error shows. An error does not keep the
// text itself.
const maxShown = 500

// shorten returns s, or the beginning of a long s.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > maxShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// quote quotes a part of a line without the blanks around it, or the beginning of a long part.
func quote(b []byte) string {
	b = bytes.TrimSpace(b)
	return message.Quote(string(b[:min(len(b), maxShown+utf8.UTFMax)]))
}
