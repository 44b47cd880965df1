package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync"

	"perfdata/ingest"
)

// IngestOptions are the options of [Store.Ingest] and [Store.Upload]. The zero value has the
// defaults.
type IngestOptions struct {
	ingest.RunOptions

	// Run is the name of the run that the files belong to: files of a run add up. If it is empty,
	// each file is a run of its own, whose name is the path of the file.
	Run string

	// Verify reads files that are stored already, and compares their content. Without it, a file
	// is not opened if the store has its path, with the same size and time of the last
	// modification.
	Verify bool

	// AllowNoCommit stores measurements without a commit. If it is not set, they make a file fail
	// with [ErrNoCommit], unless Opener.Commit names one.
	AllowNoCommit bool

	// NewVersions says that the paths of files without an hour are names that later files have,
	// too, as a job writes bench.txt at each commit. Other content under such a path, or the same
	// content at another commit, is stored under a path that sorts by the time of arrival, as for
	// an [Upload], so that it is newer. If it names several commits and has all measurements of an
	// earlier version, as a growing history does, it replaces that one. Content that the store has
	// under the name already changes nothing, unless another version of a commit came since.
	//
	// Without NewVersions, and for files with an hour, other content is the error
	// [ErrOtherContent].
	NewVersions bool

	// Folder is the name of the folder of the files. With NewVersions, it tells them from files of
	// the same paths in other folders.
	Folder string
}

// Ingest stores files, all or nothing of each, as [ingest.Run] does, and records the errors of
// those that fail. A file that is stored already is not read again, unless its size or time has
// changed or the options want to verify it; it is reported as if it were, and nothing changes if
// its content is the same. If options have no Charset, the trace IDs use the charset of the
// store.
//
// The error says that the context was canceled, or that an error could not be recorded.
func (s *Store) Ingest(
	ctx context.Context, files iter.Seq2[ingest.File, error], options IngestOptions,
) (ingest.Summary, error) {
	return s.ingest(ctx, files, &sink{Store: s, options: options})
}

func (s *Store) ingest(ctx context.Context, files iter.Seq2[ingest.File, error], sink *sink) (ingest.Summary, error) {
	var failure error // the first
	options := sink.options.RunOptions
	if options.Charset == nil {
		options.Charset = s.charset
	}

	report := options.Report
	options.Report = func(r ingest.Report) {
		if sink.upload != nil && sink.upload.repeated != "" && r.Err == nil {
			r.File.Path = sink.upload.repeated
		} else if !r.Skipped && ctx.Err() == nil { // if the context is canceled, the files are not at fault
			noted := r
			if stored, ok := sink.moved.LoadAndDelete(r.File.Path); ok {
				noted.File = stored.(ingest.File)
			}
			if err := s.Note(ctx, noted); err != nil {
				r.Err, failure = errors.Join(r.Err, err), cmp.Or(failure, err)
			}
		}

		if report != nil {
			report(r)
		}
	}

	summary, err := ingest.Run(ctx, files, sink, options)
	return summary, errors.Join(err, failure)
}

// LookupFor is [Store.Lookup] for an ingestion with options: [Store.Ingest] reads the files for which
// it returns nil.
func (s *Store) LookupFor(ctx context.Context, f ingest.File, options IngestOptions) (*ingest.Stored, error) {
	return (&sink{Store: s, options: options}).Lookup(ctx, f)
}

// A sink is a Store with options.
type sink struct {
	*Store
	options IngestOptions
	upload  *request // nil for the files of a tree
	moved   sync.Map // from the paths of versions to their files as they are stored
}

// Checkpoint returns the checkpoint of a tree of files: the path up to which all its files are
// done. It is empty if none was set. The tree has any name, such as the URL of a bucket.
func (s *Store) Checkpoint(ctx context.Context, tree string) (path string, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		path, err = setting(ctx, tx, settingCheckpoint+tree)
		return err
	})
	return path, err
}

// AdvanceCheckpoint sets the checkpoint of a tree in the storage layout to a path, as
// [ingest.Report] and [ingest.Summary] have it, unless its checkpoint is a later file, so that
// several programs may read the same tree.
func (s *Store) AdvanceCheckpoint(ctx context.Context, tree, path string) error {
	if err := cmp.Or(checkPath("tree", tree), checkPath("path", path)); err != nil {
		return err
	}
	hour, ok := ingest.HourOf(path)
	if !ok {
		return fmt.Errorf("checkpoint %.500q: %w", path, ingest.ErrLayout)
	}

	return s.write(ctx, func(t *transaction) error {
		before, err := setting(ctx, t, settingCheckpoint+tree)
		last, _ := ingest.HourOf(before)
		if err != nil || before != "" && cmp.Or(hour.Compare(last), cmp.Compare(path, before)) <= 0 {
			return err
		}
		return t.set(ctx, settingCheckpoint+tree, path)
	})
}
