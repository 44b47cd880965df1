package format

import (
	"io"
	"iter"
)

// A Reader reads the measurements of one input, of whatever format. Each format's package has
// one. A Reader serves one goroutine; several Readers share nothing.
type Reader interface {
	// FileHeader returns what the input says about itself as a whole. The Reader of each format
	// also has a method Header that returns the type of its package. If FileHeader is called
	// before Records, the Header is complete. Otherwise members on which no record depends may be
	// missing until the end of the input.
	FileHeader() (Header, error)

	// Records iterates over the measurements in the order of the input. Every error is an *Error;
	// one that isn't Recoverable is the last step. Records can be used once. Its end, including a
	// break, releases all that the Reader holds.
	Records() iter.Seq2[*Record, error]

	// Close releases what a Reader holds whose Records were not iterated over: a temporary file,
	// if FileHeader had to skip over much of an input that can't seek. It doesn't close the
	// input. It may be called at any time.
	Close() error
}

// A Writer writes measurements in one format. What it wrote is valid once Close has returned nil.
type Writer interface {
	// Write writes a measurement, or refuses it and writes nothing of it. It keeps none of the
	// memory of rec.
	Write(rec *Record) error

	// Close completes the output. It doesn't close the underlying io.Writer.
	Close() error
}

// Info describes a format. Each format's package has a function Info that returns its own.
type Info struct {
	Name       string   // as in the name of its package: "skiav1"
	Title      string   // "Skia Perf format, version 1"
	Extensions []string // of file names, with the dot; the usual one first

	// Sniff reports whether an input that begins with prefix is of this format, as far as one can
	// see. A prefix of some kilobytes is enough for most files.
	Sniff func(prefix []byte) bool

	// NewReader returns a Reader in the format's default mode. The name is for errors.
	NewReader func(in io.Reader, name string, limits Limits) Reader

	// Validate reads an input to its end and yields all that is wrong with it, in order.
	Validate func(in io.Reader, name string, limits Limits) iter.Seq[*Error]
}
