package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"
)

// Probe returns nil if the Store can do its work: the database can be read, has the tables of this
// version of the package, and takes a row, which Probe commits to a table of its own. A disk that
// is full or read-only is an error. If others write for longer than the patience, Probe returns
// nil.
func (s *Store) Probe(ctx context.Context, patience time.Duration) error {
	if err := s.view(ctx, func(tx *sql.Tx) error { return checkVersion(ctx, tx) }); err != nil {
		return wrap(err, "probe")
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	t, err := s.db.begin(waiting)
	switch {
	case err != nil && waiting.Err() != nil && ctx.Err() == nil:
		return nil
	case err == nil:
		_, err = t.ExecContext(ctx, `INSERT INTO probes (id, milliseconds) VALUES (1, $1)
			ON CONFLICT (id) DO UPDATE SET milliseconds = excluded.milliseconds`, time.Now().UnixMilli())
		err = t.commit(ctx, err)
	}

	if err == nil {
		err = s.db.probe()
	}
	return wrap(cause(ctx, err), "probe")
}

// probe writes a file beside the database, and removes it. The write-ahead log has room for a row
// even on a full disk.
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
