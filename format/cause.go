package format

import (
	"errors"
	"io"
	"slices"
)

// The causes of an [Error], for [errors.Is]. An input that ends too early gives an error with the
// cause [io.ErrUnexpectedEOF]. A failed read gives the error of the io.Reader as the cause. Every
// error except a warning has a cause, by which a service can choose its answer: see [IsFinal].
var (
	ErrSyntax    = errors.New("invalid syntax")         // the text does not follow the format's grammar
	ErrLimit     = errors.New("limit exceeded")         // the message names the field of Limits
	ErrDuplicate = errors.New("duplicate")              // a duplicate member, key or trace
	ErrVersion   = errors.New("unknown format version") // the file has a version that the package does not know
	ErrSchema    = errors.New("schema violation")       // the text is well-formed, but a value is missing or invalid
	ErrUnknown   = errors.New("unknown format")         // the format is not recognized, or its name is unknown
	ErrOption    = errors.New("invalid option")         // the format does not have the option, or this value of it
	ErrSkipped   = errors.New("file should be skipped") // a file that the caller excluded, such as that of a try job
	ErrMisuse    = errors.New("invalid use")            // the program is at fault: it read an input twice, or gave none

	// ErrChanged means that the file is not the file that was opened any more: it was written to
	// while it was read.
	ErrChanged = errors.New("file changed while it was read")
)

// IsFinal reports whether an error that a Reader, a validation or an Opener returned is final: it
// is about the input, and reading the same bytes with the same options returns the same error. Its
// cause is ErrSyntax, ErrLimit, ErrDuplicate, ErrVersion, ErrSchema, ErrUnknown, ErrOption,
// ErrSkipped, ErrMisuse, or [io.ErrUnexpectedEOF].
//
// Any other error may pass, and another attempt may succeed: ErrChanged, the errors of the source
// and of temporary files, and the cause of a canceled context. A source that returns
// io.ErrUnexpectedEOF when a connection breaks, as the body of an HTTP request does, must be asked
// for its error first.
func IsFinal(err error) bool {
	if errors.Is(err, ErrChanged) {
		return false // and what else is wrong with the bytes does not matter
	}
	final := []error{
		ErrSyntax, ErrLimit, ErrDuplicate, ErrVersion, ErrSchema, ErrUnknown, ErrOption, ErrSkipped, ErrMisuse,
		io.ErrUnexpectedEOF,
	}
	return slices.ContainsFunc(final, func(cause error) bool { return errors.Is(err, cause) })
}
