package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnavailable is the cause of an error of a database that could not do its work: it is away,
// full, or has too many connections, or others kept it busy for too long. The same call may
// succeed later. Errors with other causes are about what the caller or the file has given, or are
// faults.
var ErrUnavailable = errors.New("the database is not available")

// ErrDamaged is the cause of an error when the contents of the database are not what was written,
// so that a question cannot be answered. [Store.Check] says what is lost.
var ErrDamaged = errors.New("the database is damaged")

// errLost returns the error of something that others name, but that is not there.
func errLost(what string) error { return fmt.Errorf("%w: %s is lost", ErrDamaged, what) }

// cause returns the error of a transaction with its cause: that of the context, if it has ended,
// ErrDamaged or ErrUnavailable. A driver may have an error of its own for an end of the context.
func cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := context.Cause(ctx); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	if isDamaged(err) && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if isUnavailable(err) && !errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isDamaged reports whether an error means that the contents of a file are not what SQLite, or
// pages.go, has written.
func isDamaged(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "XX00") && e.Code != "XX000" // pages with other checksums, damaged indexes
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return errors.Is(err, ErrDamaged)
	}
	return e.Code() == sqlite3.SQLITE_IOERR_DATA || e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ ||
		e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB
}

// isUnavailable reports whether an error of a transaction may pass.
func isUnavailable(err error) bool {
	if isDamaged(err) {
		return false
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN,
			sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL,
			sqlite3.SQLITE_READONLY}, e.Code()&0xff)
	}

	if e, ok := errors.AsType[*pgconn.PgError](err); ok && len(e.Code) == 5 {
		// Connection, rollback, resources, intervention of an operator, system; a read-only server: a standby.
		return slices.Contains([]string{"08", "40", "53", "57", "58"}, e.Code[:2]) || e.Code == "25006"
	}

	// The connection to PostgreSQL.
	_, isNet := errors.AsType[*net.OpError](err)
	_, isConnect := errors.AsType[*pgconn.ConnectError](err)
	return isNet || isConnect || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// noted returns the text of an error that users of the store may see. The errors of the database
// and of temporary files name paths, servers and users of the machine.
func noted(err error) string {
	_, isSQLite := errors.AsType[*sqlite.Error](err)
	_, isPostgres := errors.AsType[*pgconn.PgError](err)
	file, isFile := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, ErrUnavailable):
		return ErrUnavailable.Error()
	case isSQLite || isPostgres:
		return "the database failed"
	case isFile && filepath.IsAbs(file.Path):
		return "a file of this machine: " + file.Op + ": " + file.Err.Error()
	}
	return err.Error()
}

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
	if err := cmp.Or(os.WriteFile(name, make([]byte, 64<<10), 0o600), os.Remove(name)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// probe does nothing: the server has its disk to itself.
func (db *postgresDB) probe() error { return nil }
