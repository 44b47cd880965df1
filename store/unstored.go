package store

import (
	"context"
	"database/sql"
	"time"

	"perfdata/ingest"
)

// minAge is how long ago a file was modified, at least, so that its time tells it from a later
// version. A file system may not tell times apart that are closer.
const minAge = 2 * time.Second

// stampOf returns what tells a file from other versions of it, as the database has it: NULL if
// nothing does.
func stampOf(f ingest.File, now time.Time) (size, modified any) {
	if f.ModTime.IsZero() || now.Sub(f.ModTime) < minAge {
		return nil, nil
	}
	return f.Size, f.ModTime.UnixNano()
}

// Lookup returns the stored properties of a file, or nil if the store does not have it in its
// present form, judging by size and time. Files that failed, or had faults, are read again, so
// that they are reported. [ingest.Run] calls it. An error of the database, except for damage, is
// reported when the file is stored.
func (s *Store) Lookup(ctx context.Context, f ingest.File) (*ingest.Stored, error) {
	return s.lookup(ctx, f, "path = $3 AND replaced_by = ''", f.Path)
}

// lookup is Lookup for the files that a condition with arguments from $3 on selects.
func (s *Store) lookup(ctx context.Context, f ingest.File, condition string, args ...any) (*ingest.Stored, error) {
	size, modified := stampOf(f, time.Now())
	if modified == nil || checkPath("path", f.Path) != nil {
		return nil, nil
	}
	var stored ingest.Stored
	var sum []byte
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT format, records, sha256 FROM sources
			WHERE size = $1 AND modified = $2 AND sha256 IS NOT NULL AND error = '' AND `+condition+" LIMIT 1",
			append([]any{size, modified}, args...)...).Scan(&stored.Format, &stored.Content.Records, &sum)
	})
	if isDamaged(err) {
		return nil, wrap(err, "looking for "+f.Path)
	}
	if err != nil || len(sum) != len(stored.Content.SHA256) {
		return nil, nil
	}
	stored.Content.Size, stored.Content.SHA256 = f.Size, [32]byte(sum)
	return &stored, nil
}

// Lookup is Store.Lookup, and for a version also that of a path of arrival. A file at the path of a
// version is not read only if it is of the same folder, or if it is not known of which: in two
// folders, files of equal names may have the same size and time. If the options name a commit, a
// file stored at another one is read.
func (s *sink) Lookup(ctx context.Context, f ingest.File) (*ingest.Stored, error) {
	if s.options.Verify || s.upload != nil {
		return nil, nil
	}
	v := s.versionOf(f)
	if v == nil {
		return s.Store.Lookup(ctx, f)
	}
	return s.lookup(ctx, f, "(request = $3 OR path = $4 AND request IS NULL) AND ($5 = '' OR commit_name = $5)",
		v.request, f.Path, s.options.Opener.Commit)
}
