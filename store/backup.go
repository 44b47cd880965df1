package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup copies the database to a file, which [Open] can open, while others read and write. The
// file has the state of the database at one time. It is written under another name and renamed,
// so that an older file is either replaced by a whole backup or left unchanged.
//
// It is for SQLite. For PostgreSQL, which has pg_dump, the cause of the error is
// [errors.ErrUnsupported].
func (s *Store) Backup(ctx context.Context, file string) error {
	return wrap(cause(ctx, s.db.backup(ctx, file)), "backup")
}

// backup copies by VACUUM INTO, which also leaves out free space.
func (db *sqliteDB) backup(ctx context.Context, file string) error {
	if err := db.check(); err != nil {
		return err
	}
	if info, err := os.Stat(file); err == nil && os.SameFile(info, db.opened) {
		return &inputError{fmt.Sprintf("%s is the database", file), fs.ErrInvalid}
	}
	temp, err := tempBeside(file)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	copied := filepath.Join(temp, "backup.db")

	pool := sql.OpenDB(sqliteConnector(sqliteURI(db.file, db.memory.readerCache))) // the readers may write nothing
	defer pool.Close()
	if _, err := pool.ExecContext(ctx, "VACUUM INTO ?", copied); err != nil {
		return err
	}
	if err := syncFile(copied); err != nil {
		return err
	}
	return os.Rename(copied, file)
}

// vacuum writes the file again. Others that write wait.
func (db *sqliteDB) vacuum(ctx context.Context) error {
	if err := db.take(ctx); err != nil {
		return err
	}
	defer func() { <-db.turn }()
	// The copy has a cache of the same size, and pages of both are in memory.
	if err := db.setCache(ctx, db.memory.readerCache); err != nil {
		return err
	}
	err := waitWhileBusy(ctx, func() error {
		if err := db.check(); err != nil {
			return err
		}
		_, err := db.conn.ExecContext(ctx, "VACUUM")
		return err
	})
	if err = errors.Join(err, db.setCache(context.WithoutCancel(ctx), db.memory.writerCache)); err != nil {
		return err
	}
	// The file becomes smaller when the write-ahead log is copied to it, which the last reader may
	// do.
	_, err = db.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// setCache sets the memory for pages of the connection that writes, in bytes.
func (db *sqliteDB) setCache(ctx context.Context, size int) error {
	_, err := db.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA cache_size(%d)", -size>>10))
	return err
}

// size is the size of the file and its write-ahead log.
func (db *sqliteDB) size(context.Context) (int64, error) {
	var size int64
	for _, name := range []string{db.file, db.file + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		} else if name == db.file || !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return size, nil
}

func (db *postgresDB) backup(context.Context, string) error {
	return &inputError{"a PostgreSQL database is copied by pg_dump", errors.ErrUnsupported}
}

// integrity reads all pages. A page that cannot be read may be an error, and not a row.
func (db *sqliteDB) integrity(ctx context.Context, tx *sql.Tx) (faults []string, err error) {
	fault := ""
	query := fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults)
	err = eachRow(ctx, tx, query, nil, []any{&fault}, func() error {
		if fault != "ok" {
			faults = append(faults, fault)
		}
		return nil
	})
	if isDamaged(err) {
		return append(faults, err.Error()), nil
	}
	return faults, err
}

// integrity returns nothing: the server verifies pages where it reads them, if it was set up so.
func (db *postgresDB) integrity(context.Context, *sql.Tx) ([]string, error) { return nil, nil }

// tables lists the tables with rows for files.
const tables = "sources, commits, source_commits, listed_commits, traces, spellings, params, postings, row_groups, " +
	"annotations"

func (db *postgresDB) vacuum(ctx context.Context) error {
	_, err := db.writers.ExecContext(ctx, "VACUUM (ANALYZE) "+tables)
	return err
}

func (db *postgresDB) size(ctx context.Context) (size int64, err error) {
	err = db.readers.QueryRowContext(ctx, `
		SELECT SUM(pg_total_relation_size(TRIM(name)::regclass)) FROM regexp_split_to_table($1, ',') AS name`,
		tables).Scan(&size)
	return size, err
}

// A Size is how much a store has.
type Size struct {
	Bytes        int64 // of the file and its log, or of the tables and their indexes
	Files        int   // including files that failed
	Measurements int   // including measurements that newer ones hide
	Traces       int   // including traces without measurements, until Vacuum
}

// Size returns the size of the store. It reads the table of files, and counts traces.
func (s *Store) Size(ctx context.Context) (Size, error) {
	var size Size
	err := s.view(ctx, func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, `
			SELECT COUNT(*), COALESCE(SUM(records), 0), (SELECT COUNT(*) FROM traces) FROM sources`)
		return cmp.Or(row.Scan(&size.Files, &size.Measurements, &size.Traces),
			checkCount(ctx, tx, "sources"), checkCount(ctx, tx, "traces"))
	})
	if err == nil {
		size.Bytes, err = s.db.size(ctx)
	}
	return size, wrap(cause(ctx, err), "size")
}
