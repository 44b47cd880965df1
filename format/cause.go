package format

import "errors"

// The causes of an [Error], for [errors.Is]. An input that ends too early gives an error with the
// cause [io.ErrUnexpectedEOF]. A failed read gives the error of the io.Reader as the cause. A
// service can choose its answer by the cause.
var (
	ErrSyntax    = errors.New("invalid syntax")         // the text does not follow the format's grammar
	ErrLimit     = errors.New("limit exceeded")         // the message names the field of Limits
	ErrDuplicate = errors.New("duplicate")              // a duplicate member, key or trace
	ErrVersion   = errors.New("unknown format version") // the file has a version that the package does not know
	ErrSchema    = errors.New("schema violation")       // the text is well-formed, but a value is missing or invalid
	ErrUnknown   = errors.New("unknown format")         // the format is not recognized, or its name is unknown
	ErrSkipped   = errors.New("file should be skipped") // a file that the caller excluded, such as that of a try job
)
