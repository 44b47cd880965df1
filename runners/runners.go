package runners

import (
	"io"
	"io/fs"

	"perfdata/format"
	"perfdata/internal/rows"
)

// A Reader reads the measurements of one file of a runner. [NewReader] makes one. The exported fields
// configure it before first use; their zero values are the defaults:
//
//	Name       string         // of the input, for errors
//	Limits     format.Limits  // bounds the memory and time that the input can make the Reader use
//	InOrder    bool           // reads the file once; what it says after its results is an error
//	Summaries  bool           // yields statistics of results that have the single values, too
//	KeepFailed bool           // yields the values of failed runs, if the format says so
//
// A Reader implements [format.Reader], and has the methods Reset, which makes it read another input
// with the memory that it has, and Skipped, which returns how many results were left out because they
// hold no measurements, or are statistics of other results. A Reader serves one goroutine.
//
// What a file says about all of its results, such as the machine, may come after them. Then the
// Reader looks ahead, as package skiav1 says, but with InOrder. The Reader's memory depends on the
// header and on the largest result.
//
// Errors are [format.Error]s. An error about one value or one result is recoverable: that one is left
// out. All other errors, such as a syntax error, end the reading.
type Reader = rows.Reader

// A Header is what a file says about all of its results: the native header of a Reader.
type Header = rows.NativeHeader

// NewReader returns a Reader of in, which has a format of a package below this one, such as
// hyperfine.Format(). With another format, reading is an error. NewReader doesn't close in.
func NewReader(in io.Reader, f format.Format) *Reader { return rows.New(in, rows.SpecOf(f)) }

// NewFolderReader returns a Reader of the folder dir of fsys, which has a format of a package below
// this one, such as target/criterion and criterion.Format().
func NewFolderReader(fsys fs.FS, dir string, f format.Format) *Reader {
	return rows.NewFolder(fsys, dir, rows.SpecOf(f))
}
