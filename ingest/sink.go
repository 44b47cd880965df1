package ingest

import (
	"context"
	"crypto/sha256"
	"errors"

	"perfdata/format"
	"perfdata/series"
)

// A Sink stores the records of files. [Run] calls Begin once for each file whose header could be
// read.
//
// Several goroutines call Begin at the same time, and the methods of different Batches. If a store
// has a single writer, its Batches must take turns by themselves.
//
// Files arrive in any order. To make the result independent of it, a Sink must not let a later
// call win over an earlier one, but a later file over an earlier one: compare [File.Hour], and
// [File.Path] where the hours are equal.
type Sink interface {
	// Begin returns a Batch for the records of a file. If it returns an error, the file fails with
	// that error, and nothing else is called for it.
	//
	// The context is the context of Run, and may be used until Commit or Rollback returns.
	Begin(ctx context.Context, src Source) (Batch, error)

	// WantsSHA256 reports whether Content is to have the SHA-256, which takes about as long as the
	// reading.
	WantsSHA256() bool
}

// ErrRefused is the cause of an error of a Sink about a file that it would refuse again, such as one
// with other content than it has under the same path.
var ErrRefused = errors.New("the store refused the file")

// A Deduplicator is a Sink that may have files from earlier. [Run] asks it before it opens a file, from
// several goroutines at the same time.
type Deduplicator interface {
	Sink

	// Lookup returns what the Sink has of a file, or nil if the file is to be read: if the Sink does not
	// have it, or if it may have changed since, by its size and time. If Lookup returns an error, the
	// file fails with it.
	Lookup(ctx context.Context, f File) (*Stored, error)
}

// A Stored describes a file that a Sink has.
type Stored struct {
	Format  string // may be empty
	Content Content
}

// A Batch takes the records of one file, and makes all of them visible or none. One goroutine at a
// time calls its methods: Add for each record, and then either Commit or Rollback. If an Add
// fails, the next call is Rollback. If Commit fails, Run calls Rollback after it.
type Batch interface {
	// Add takes a point. The point, its record and their slices are valid until Add returns, and
	// must not be changed. Their strings may be kept, like the strings of a [format.Record]. Points come in
	// the order of the file.
	Add(at *series.Point) error

	// Commit makes the records visible, all at once. After an error, none may be visible. The
	// header is the Source's header, completed by the rest of the file.
	Commit(header format.Header, content Content) error

	// Rollback discards the records. It is also called after the context was canceled, and must
	// succeed then. If it fails, its error is reported together with the cause of the Rollback.
	Rollback() error
}

// A Source is a file that was opened and detected, with its header.
type Source struct {
	File
	Format string // the name of the format, as in format.Format: "skiav1"

	// Header is the header, as far as it is known before the first record: everything that the
	// records depend on. In a large file, its other parts may come after the records.
	Header format.Header
}

// Content describes the bytes of a file, as they were read: compressed, if the file is.
type Content struct {
	Size    int64             // in bytes
	SHA256  [sha256.Size]byte // zero unless the Sink wants it
	Records int               // added to the Batch
}
