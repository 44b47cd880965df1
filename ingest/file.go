package ingest

import (
	"context"
	"io"
	"time"
)

// A File is a file to be ingested. [Walk] yields the files of a tree. A program may make others,
// for an upload for example: a File needs a Path and Open.
type File struct {
	// Path names the file in reports and in the store. It has slashes on every system.
	Path string

	// Hour is when the file was written: a full hour, in UTC. It is zero if the Path has no hour.
	Hour time.Time

	Size    int64     // in bytes, when the file was listed
	ModTime time.Time // when the file was listed; may be zero

	// Open opens the file for reading its bytes, once, from the beginning. Another attempt opens it
	// again (RunOptions.Retries). If a Read can block for long, it must fail when the context is
	// canceled. Run opens several Files at the same time.
	//
	// If the result has the method Stat of an [fs.File], a file that changes while it is read
	// fails.
	Open func(ctx context.Context) (io.ReadCloser, error)
}
