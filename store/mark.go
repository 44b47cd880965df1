package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"perfdata/ingest"
)

// Mark returns the mark of a tree of files: the path up to which all its files are done. It is empty
// if none was set. The tree has any name, such as the URL of a bucket.
func (s *Store) Mark(ctx context.Context, tree string) (path string, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		path, err = scanMark(tx.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = $1", settingMark+tree).Scan)
		return err
	})
	return path, err
}

// AdvanceMark sets the mark of a tree in the storage layout to a path, as [ingest.Report] and
// [ingest.Summary] have it, unless its mark is that of a later file: so several programs may read the
// same tree.
func (s *Store) AdvanceMark(ctx context.Context, tree, path string) error {
	if err := cmp.Or(checkPath("tree", tree), checkPath("path", path)); err != nil {
		return err
	}
	hour, ok := ingest.HourOf(path)
	if !ok {
		return fmt.Errorf("mark %.500q: %w", path, ingest.ErrLayout)
	}

	return s.write(ctx, func(t *transaction) error {
		before, err := scanMark(func(into ...any) error {
			return t.row(ctx, into, "SELECT value FROM settings WHERE name = $1", settingMark+tree)
		})
		if err != nil {
			return err
		}
		if last, _ := ingest.HourOf(before); before != "" && cmp.Or(hour.Compare(last), cmp.Compare(path, before)) <= 0 {
			return nil
		}
		_, err = t.exec(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, settingMark+tree, path)
		return err
	})
}

// scanMark returns the mark that scan reads, or an empty one if there is none.
func scanMark(scan func(into ...any) error) (path string, err error) {
	if err := scan(&path); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	return path, nil
}
