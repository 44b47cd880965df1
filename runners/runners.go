package runners

import "perfdata/internal/rows"

// A Reader reads the measurements of one file of a runner. Each format's package has a function that
// makes one. The exported fields configure it before first use; their zero values are the defaults:
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
