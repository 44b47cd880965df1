package format

import (
	"io"
	"io/fs"
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

	// Close releases everything that the Reader holds, such as a temporary file of an input that
	// cannot seek. Always call it. Close does not close the input. It may be called at any time,
	// and more than once.
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

// A Format is everything that programs know about a format: how to recognize, open, validate and
// write it. Each format's package has a function Format that returns its own, and nothing else in
// this module asks which format it has. A feature that only one format has is an interface that its
// Reader or Writer implements.
type Format struct {
	Name    string   // such as "skiav1": the name of its package, except in package table
	Title   string   // such as "Skia Perf format, version 1"
	Holds   string   // what its files hold, in a few words
	Aliases []string // other names that people use for it

	// Extensions end file names, and begin with the dot. The usual one is first. A format that is a
	// folder has none.
	Extensions []string

	// Detect reports whether an input that begins with prefix is of this format. A few kilobytes
	// are enough for most files. It is nil for a format that is a folder.
	Detect func(prefix []byte) Match

	// AnyLine says that one line that Detect recognizes decides, wherever it is in the input.
	AnyLine bool

	// Open returns a Reader of in, and sets all of its options. It uses the memory of reuse, if
	// that is a Reader of this format. A wrong value of a setting, and an option that the format
	// does not have, are errors of the Reader that it returns. It is nil for a format that is a
	// folder.
	Open func(reuse Reader, in io.Reader, o Options) Reader

	// DetectDir and OpenDir are Detect and Open for the folder dir of fsys. DetectDir returns an
	// error if a file cannot be read. They are nil for a format that is a file.
	DetectDir func(fsys fs.FS, dir string) (bool, error)
	OpenDir   func(fsys fs.FS, dir string, o Options) Reader

	// Validate reads an input to its end and yields every error and warning, in order. It reads as
	// the options say. It is nil for a format that is a folder.
	Validate func(in io.Reader, o Options) iter.Seq[*Error]

	// NewWriter returns a Writer of a file. It uses the members of h that the format has. It is
	// nil for a format that is only read.
	NewWriter func(out io.Writer, h Header) (Writer, error)

	// Settings are the options that only this format has.
	Settings []Setting

	// Unmarked names one of them, with which an input that no format recognizes is of this one.
	Unmarked string

	// IsHistory says that a file holds the results of many commits, ordered by their first runs: by
	// the attr date, and where dates are equal or missing, by their place in the file.
	IsHistory bool

	// TakesParams says that files of the format lack params, which Options.Params supplies.
	TakesParams bool
}

// A Match says whether an input is of a format.
type Match struct {
	Yes bool

	// Reason says why the file may be of the format, and which part is missing, if Yes is false.
	// It is empty if nothing suggests the format.
	Reason string

	// Likely ranks the Reasons of several formats. The greatest is shown.
	Likely int
}
