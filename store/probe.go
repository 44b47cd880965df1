package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"
)

// Check returns nil if the database can be read, and has the tables of this version of the package.
func (s *Store) Check(ctx context.Context) error {
	version := 0
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_version").Scan(&version)
	})
	if err == nil && version != len(schema) {
		err = fmt.Errorf("its schema has version %d: want %d", version, len(schema))
	}
	return wrap(err, "check")
}

// Probe returns nil if the Store can do its work: the database is as [Store.Check] wants it, and takes
// a row, which Probe commits to a table of its own. A disk that is full or read-only is an error. If
// others write for longer than the patience, that is no reason, and Probe returns nil.
func (s *Store) Probe(ctx context.Context, patience time.Duration) error {
	if err := s.Check(ctx); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t, err := s.db.begin(waiting)
	switch {
	case err != nil && waiting.Err() != nil && ctx.Err() == nil:
		return nil
	case err == nil:
		err = t.probe(ctx)
		if err == nil {
			err = t.Commit()
		} else {
			t.Rollback()
		}
		t.end(err)
	}
	if err == nil {
		err = s.db.probe()
	}
	return wrap(cause(ctx, err), "probe")
}

// probe writes the row.
func (t *transaction) probe(ctx context.Context) error {
	const make = "CREATE TABLE IF NOT EXISTS probes (id INTEGER PRIMARY KEY, milliseconds BIGINT NOT NULL)"
	if _, err := t.ExecContext(ctx, make); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, `INSERT INTO probes (id, milliseconds) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET milliseconds = excluded.milliseconds`, time.Now().UnixMilli())
	return err
}

// probe writes a file beside the database, and removes it. The write-ahead log has room for a row even
// on a full disk.
func (db *sqliteDB) probe() error {
	name := db.file + "-probe"
	err := os.WriteFile(name, make([]byte, 64<<10), 0o600)
	if removed := os.Remove(name); err == nil {
		err = removed
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// probe does nothing: the server has its disk to itself.
func (db *postgresDB) probe() error { return nil }
