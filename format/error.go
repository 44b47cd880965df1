package format

import (
	"fmt"

	"perfdata/internal/chars"
)

// An Error is a fault of an input, with its position.
type Error struct {
	Name string // the name of the input that the Reader was given; may be empty

	Position // of the fault

	// Path names the faulty element, such as results.0.measurements.stat.1.value, in formats with
	// such paths. It is (root) for the whole document, and may be empty.
	Path string

	Message string // the fault, in the user's terms

	// Err is the cause, for errors.Is and errors.As: a cause of this package, such as ErrSyntax,
	// or io.ErrUnexpectedEOF, or the error of the io.Reader. Message includes its text. A warning
	// has no cause.
	Err error

	// Severity says whether the reading continues.
	Severity Severity
}

// A Severity is what an [Error] means for its input.
type Severity int

const (
	// Fatal is an error that ends the reading. Errors of validation are fatal too, unless they are
	// warnings: the input is invalid.
	Fatal Severity = iota

	// Recoverable means that the faulty measurement, result or line was left out, and that the
	// reading continues.
	Recoverable

	// Warning means that the input is valid, but may not be what its author meant. Only validation
	// gives warnings.
	Warning
)

// Error returns "name:line:column: path: message", without the parts that are empty. Name, path and
// message may contain text of the input. Error escapes control characters, including line ends, so
// that the result is one line and harmless to a terminal.
func (e *Error) Error() string {
	text := fmt.Sprintf("%d:%d: ", e.Line, e.Column)
	if e.Name != "" {
		text = e.Name + ":" + text
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	if e.Severity == Warning {
		text += "warning: "
	}
	return chars.Visible(text + e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A Position is a place in the (decompressed) input. Writers ignore it.
type Position struct {
	Offset int64 // in bytes, from 0
	Line   int   // from 1
	Column int   // in bytes, from 1, as compilers count
}
