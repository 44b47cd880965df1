package ingest

import "perfdata"

// RunOptions are the options of [Run]. The zero value has the defaults.
type RunOptions struct {
	// Workers is the number of files that are read at the same time. If it is zero or negative, it
	// is GOMAXPROCS. Memory, and the Limits of the Opener, are for each of them.
	Workers int

	// Opener opens the files: it holds the Limits, and the Format if it is not to be detected.
	Opener perfdata.Opener

	// NotIdentity lists the keys of params that are not part of a trace's identity. Records have
	// them as attrs. If it is nil, they are commit, commit-time and date; to have none, use an
	// empty slice.
	NotIdentity []string

	// KeepGood keeps the good measurements of a file in which others are faulty. Without it, such
	// a file fails. An error that ends the reading always makes the file fail.
	KeepGood bool

	// Report is called for each file when it is done, if it is not nil. It is called by several
	// goroutines, one at a time, and in any order of the files.
	Report func(Report)
}

// A Report says what became of a file.
type Report struct {
	File   File
	Format string // empty if it is not known

	// Content is what was stored of the file. It is zero if the file failed.
	Content Content

	// Err is why the file failed and contributed nothing. It is nil if the file was committed.
	Err error

	// Faults counts the faulty measurements or lines that were left out of a file, with
	// [RunOptions.KeepGood]. FirstFaults are the first of them, at most 20.
	Faults      int
	FirstFaults []error
}

// A Summary counts what became of the files.
type Summary struct {
	Files   int // that were committed
	Records int // in these
	Faults  int // in these: measurements or lines left out, with RunOptions.KeepGood
	Failed  int // files that contributed nothing, including paths that could not be listed
}
