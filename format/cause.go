package format

import "errors"

// The causes of an [Error], for [errors.Is]. Input that ends too early has the cause
// [io.ErrUnexpectedEOF], and a failed read has the error of the io.Reader. A service can tell by
// the cause whose fault an error is, and how to answer.
var (
	ErrSyntax    = errors.New("invalid syntax")         // the text is not what the format's grammar allows
	ErrLimit     = errors.New("limit exceeded")         // a field of Limits, which the message names
	ErrDuplicate = errors.New("duplicate")              // a member, key or trace is repeated
	ErrVersion   = errors.New("unknown format version") // of the format
	ErrSchema    = errors.New("schema violation")       // the text is well-formed, but a value is missing or invalid
	ErrUnknown   = errors.New("unknown format")         // no format is recognized, or none has that name
	ErrSkipped   = errors.New("file should be skipped") // it is a try job's, for example, which the caller excluded
)
