package store

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"perfdata/ingest"
)

// minAge is how long ago a file was modified, at least, so that its time tells it from a later version. A
// file system may not tell times apart that are closer.
const minAge = 2 * time.Second

// stampOf returns what tells a file from other versions of it, as the database has it: NULL if nothing
// does.
func stampOf(f ingest.File, now time.Time) (size, modified any) {
	if f.ModTime.IsZero() || now.Sub(f.ModTime) < minAge {
		return nil, nil
	}
	return f.Size, f.ModTime.UnixNano()
}

// unstored iterates over the files that are not stored, or may have changed since, and calls skip with the
// others. Files that failed, or had faults, are not skipped, so that they are reported.
func (s *Store) unstored(
	ctx context.Context, files iter.Seq2[ingest.File, error], skip func(ingest.Report),
) iter.Seq2[ingest.File, error] {
	return func(yield func(ingest.File, error) bool) {
		for f, err := range files {
			if err == nil {
				if report, ok := s.stored(ctx, f); ok {
					skip(report)
					continue
				}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// stored returns the report of a file that is stored as it is, as far as its size and time tell. An error
// of the database is that of storing the file.
func (s *Store) stored(ctx context.Context, f ingest.File) (r ingest.Report, ok bool) {
	size, modified := stampOf(f, time.Now())
	if modified == nil || checkPath("path", f.Path) != nil {
		return r, false
	}
	r.File = f
	var sum []byte
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT format, records, sha256 FROM sources
			WHERE path = $1 AND size = $2 AND modified = $3 AND sha256 IS NOT NULL AND error = '' AND replaced_by = ''`,
			f.Path, size, modified).Scan(&r.Format, &r.Content.Records, &sum)
	})
	if err != nil || len(sum) != len(r.Content.SHA256) {
		return r, false
	}
	r.Content.Size, r.Content.SHA256 = f.Size, [32]byte(sum)
	return r, true
}
