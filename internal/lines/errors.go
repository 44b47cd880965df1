package lines

import (
	"errors"
	"io"

	"perfdata/format"
	"perfdata/internal/message"
)

// ErrUTF16 is the error about an input that begins with a UTF-16 byte order mark.
var ErrUTF16 error = message.SyntaxError("the input is UTF-16: want UTF-8")

// A File is an input with what errors about its lines need. The zero File has no input: call Open first.
type File struct {
	Reader
	Name   string
	Limits format.Limits // with the defaults
}

// Open makes f read another input, with the memory that it has. Its lines have at most as many bytes as
// the limits allow.
func (f *File) Open(src io.Reader, name string, limits format.Limits) {
	f.Name, f.Limits = name, limits.WithDefaults()
	f.Reset(src, f.Limits.MaxLineBytes)
}

// FileError returns a fatal error about the file as a whole.
func FileError(name, msg string, cause error) *format.Error {
	return &format.Error{Name: name, Position: format.Position{Line: 1, Column: 1}, Message: msg, Err: cause}
}

// ErrorAt returns a recoverable error about byte i of the current line.
func (f *File) ErrorAt(i int, msg string) *format.Error {
	at := format.Position{Offset: f.Offset() + int64(i), Line: f.Number(), Column: i + 1}
	return &format.Error{Name: f.Name, Position: at, Message: msg, Err: format.ErrSyntax, Severity: format.Recoverable}
}

// WarningAt returns a warning about byte i of the current line.
func (f *File) WarningAt(i int, msg string) *format.Error {
	e := f.ErrorAt(i, msg)
	e.Severity, e.Err = format.Warning, nil
	return e
}

// LimitError returns a fatal error about the current line, which exceeds a limit at byte i.
func (f *File) LimitError(i int, limit string, max int64, what string) *format.Error {
	e := f.ErrorAt(i, message.Limit(limit, max, what))
	e.Err, e.Severity = format.ErrLimit, format.Fatal
	return e
}

// TooLongError returns the recoverable error about a current line that is longer than allowed.
func (f *File) TooLongError() *format.Error {
	e := f.LimitError(0, "MaxLineBytes", int64(f.Limits.MaxLineBytes), "bytes in one line")
	e.Severity = format.Recoverable
	return e
}

// ReadError returns the error that ended the reading of the named input, or nil at its end.
func (r *Reader) ReadError(name string) *format.Error {
	err := r.Err()
	if err == nil {
		return nil
	}
	msg := "reading failed: " + err.Error()
	if errors.Is(err, ErrUTF16) {
		msg = err.Error()
	}
	at := format.Position{Offset: r.End(), Line: r.Number() + 1, Column: 1}
	return &format.Error{Name: name, Position: at, Message: msg, Err: err}
}
