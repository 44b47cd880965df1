package format

import (
	"io"
	"iter"
)

// A Reader reads the measurements of one input. Each format's package implements it. A Reader
// serves one goroutine. Readers share nothing.
type Reader interface {
	// FileHeader returns the data that describe the whole input. The Reader of each format also
	// has a method Header, which returns the type of its package. Before Records, FileHeader
	// returns a complete Header. After that, members that no record needs may be missing until the
	// end of the input.
	FileHeader() (Header, error)

	// Records iterates over the measurements in the order of the input. Every error is an *Error.
	// An error that is not Recoverable ends the iteration. Records can be used once. The end of
	// the iteration, including via break, releases everything that the Reader holds.
	Records() iter.Seq2[*Record, error]

	// Close releases everything that the Reader holds. It is needed only if Records was not used:
	// FileHeader may have made a temporary file of an input that can't seek. Close does not close
	// the input. It may be called at any time.
	Close() error
}

// A Writer writes measurements in one format. The output is valid after Close has returned nil.
type Writer interface {
	// Write writes a measurement, or returns an error and writes no part of it. It does not keep
	// the memory of rec.
	Write(rec *Record) error

	// Close completes the output. It doesn't close the underlying io.Writer.
	Close() error
}

// Info describes a format. Each format's package has a function Info that returns its own.
type Info struct {
	Name       string   // the name of its package, such as "skiav1"
	Title      string   // such as "Skia Perf format, version 1"
	Extensions []string // of file names, with the dot; the usual one is first

	// Sniff reports whether an input that begins with prefix appears to be of this format. A few
	// kilobytes are enough for most files.
	Sniff func(prefix []byte) bool

	// NewReader returns a Reader in the format's default mode. The name is for errors.
	NewReader func(in io.Reader, name string, limits Limits) Reader

	// Validate reads an input to its end and yields every error and warning, in order.
	Validate func(in io.Reader, name string, limits Limits) iter.Seq[*Error]
}
