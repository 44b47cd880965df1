package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"perfdata/ingest"
)

// Checkpoint returns the checkpoint of a tree of files: the path up to which all its files are
// done. It is empty if none was set. The tree has any name, such as the URL of a bucket.
func (s *Store) Checkpoint(ctx context.Context, tree string) (path string, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		const query = "SELECT value FROM settings WHERE name = $1"
		path, err = scanCheckpoint(tx.QueryRowContext(ctx, query, settingCheckpoint+tree).Scan)
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
		before, err := scanCheckpoint(func(into ...any) error {
			return t.row(ctx, into, "SELECT value FROM settings WHERE name = $1", settingCheckpoint+tree)
		})
		if err != nil {
			return err
		}
		if last, _ := ingest.HourOf(before); before != "" && cmp.Or(hour.Compare(last), cmp.Compare(path, before)) <= 0 {
			return nil
		}

		if before == "" {
			t.countRows("settings", 1)
		}
		_, err = t.exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, settingCheckpoint+tree, path)
		return err
	})
}

// scanCheckpoint returns the checkpoint that scan reads, or an empty one if there is none.
func scanCheckpoint(scan func(into ...any) error) (path string, err error) {
	if err := scan(&path); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	return path, nil
}
