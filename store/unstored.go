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

func (s *sink) Lookup(ctx context.Context, f ingest.File) (*ingest.Stored, error) {
	if s.options.Verify || s.upload != nil {
		return nil, nil
	}
	if v := s.versionOf(f); v != nil {
		return s.hasVersion(ctx, v)
	}
	return s.Store.Lookup(ctx, f)
}
