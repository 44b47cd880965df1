package format

import (
	"strconv"

	"perfdata/internal/visible"
)

// An Error is a fault of an input, with its place.
type Error struct {
	Name string // of the input, as its reader was told; may be empty

	Position // of the fault

	// Path names the faulty element, such as results.0.measurements.stat.1.value, where the
	// format has such paths. It is (root) where the whole document is meant, and empty where no
	// element is.
	Path string

	Message string // the fault, in the user's terms

	// Err is the cause, for errors.Is and errors.As: one of the causes of this package, such as
	// ErrSyntax, or io.ErrUnexpectedEOF, or the error of the io.Reader. Message includes it. A
	// warning has none.
	Err error

	// Recoverable: the faulty measurement, result or line was left out, and reading goes on.
	Recoverable bool

	// Warning: nothing is invalid, but the author of the file may not have meant it so. Only
	// validation gives warnings.
	Warning bool
}

// Error returns "name:line:column: path: message", without the parts that are empty. Name, path
// and message may hold anything that the input holds; here their control characters, line ends
// included, are escaped, so that an error is one line and does nothing to the terminal that it is
// printed on.
func (e *Error) Error() string {
	b := make([]byte, 0, 128)
	if e.Name != "" {
		b = visible.Append(b, e.Name)
		b = append(b, ':')
	}
	b = strconv.AppendInt(b, int64(e.Line), 10)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(e.Column), 10)
	b = append(b, ": "...)
	if e.Path != "" {
		b = visible.Append(b, e.Path)
		b = append(b, ": "...)
	}
	if e.Warning {
		b = append(b, "warning: "...)
	}
	return string(visible.Append(b, e.Message))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
