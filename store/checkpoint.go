package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"perfdata/ingest"
)

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
		if err != nil {
			return err
		}
		if last, _ := ingest.HourOf(before); before != "" && cmp.Or(hour.Compare(last), cmp.Compare(path, before)) <= 0 {
			return nil
		}
		return t.set(ctx, settingCheckpoint+tree, path)
	})
}
