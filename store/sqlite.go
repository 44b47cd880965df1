package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A sqliteDB has one connection that writes, and others that read. The write-ahead log lets them
// read while it writes.
type sqliteDB struct {
	file    string      // absolute
	opened  os.FileInfo // of the file
	memory  memory
	readers *sql.DB
	writers *sql.DB // has only the connection conn

	turn chan struct{} // has an element while conn is in use
	conn *sql.Conn     // nil if the file can only be read
}

// How long to wait for another process that writes.
const (
	busyTimeout = time.Second     // in SQLite, which does not notice a canceled context
	maxBusy     = 5 * time.Minute // in all
)

func openSQLite(
	ctx context.Context, file string, readers int, memory memory, openDB opener, isReadOnly bool,
) (database, error) {
	if file == "" || file == ":memory:" {
		return nil, fmt.Errorf("store: %q is not the name of a file", file)
	}

	abs, err := filepath.Abs(file)
	if err == nil {
		err = registerPages()
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := checkPages(abs); err != nil {
		return nil, fmt.Errorf("store: %s: %w", file, err)
	}
	db := &sqliteDB{file: abs, memory: memory, turn: make(chan struct{}, 1)}

	// A commit is on the disk when it returns: acknowledged files must survive a power failure.
	db.writers = openDB(sqliteConnector(sqliteURI(abs, memory.writerCache) +
		"&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate"))

	reading := sqliteURI(abs, memory.readerCache) + "&_pragma=query_only(1)"
	if isReadOnly {
		reading += "&mode=ro&immutable=1"
	} else {
		err = waitWhileBusy(ctx, func() (err error) {
			db.conn, err = db.writers.Conn(ctx)
			return err
		})
	}
	db.readers = limitPool(openDB(sqliteConnector(reading)), readers)

	if err == nil {
		db.opened, err = os.Stat(abs)
	}
	if err != nil {
		db.close()
		return nil, fmt.Errorf("store: %s: %w", file, cause(ctx, err))
	}
	return db, nil
}

// errReadOnly is the cause of an error of what would write to a file that can only be read.
var errReadOnly = fmt.Errorf("%w: the file, or its folder, cannot be written to", ErrUnavailable)

// canOnlyRead reports whether a file, or its folder, is one that this process must not write to. A full disk is not:
// it may have room later.
func canOnlyRead(file string) bool {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		f.Close()
		var dir string
		if dir, err = tempBeside(file); err == nil {
			os.RemoveAll(dir)
		}
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// sqliteURI returns the URI of a file with what all connections have in common. The cache is in
// bytes.
func sqliteURI(abs string, cache int) string {
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // before a drive of Windows
	}
	return fmt.Sprintf("file://%s?vfs="+pagesVFS+"&_pragma=busy_timeout(%d)&_pragma=cache_size(%d)&_error_rc=1",
		(&url.URL{Path: path}).EscapedPath(), busyTimeout.Milliseconds(), -cache>>10)
}

func (db *sqliteDB) name() string { return db.file }

func (db *sqliteDB) types() *strings.Replacer {
	return strings.NewReplacer("{id}", "INTEGER PRIMARY KEY", "{int}", "INTEGER", "{int32}", "INTEGER",
		"{text}", "TEXT", "{bytes}", "BLOB", "{key}", " WITHOUT ROWID")
}

func (db *sqliteDB) close() error {
	if db.conn != nil {
		db.conn.Close()
	}
	return errors.Join(db.writers.Close(), db.readers.Close())
}

// check returns an error if the file is not the one that was opened. SQLite would go on with the
// one that it has open, and its writes would be lost.
func (db *sqliteDB) check() error {
	info, err := os.Stat(db.file)
	if err == nil && !os.SameFile(info, db.opened) {
		err = fmt.Errorf("%s: the file was replaced after it was opened", db.file)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// take waits for the turn to use the connection that writes.
func (db *sqliteDB) take(ctx context.Context) error {
	if db.conn == nil {
		return errReadOnly
	}
	select {
	case db.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (db *sqliteDB) begin(ctx context.Context) (*transaction, error) {
	if err := db.take(ctx); err != nil {
		return nil, err
	}
	w := &sqliteWriter{db: db}
	err := waitWhileBusy(ctx, func() (err error) {
		if err = db.check(); err != nil {
			return err
		}
		// If database/sql rolled back when the context is canceled, a statement that is prepared
		// on the connection could still run, outside of the transaction.
		w.tx, err = db.conn.BeginTx(context.WithoutCancel(ctx), nil)
		return err
	})
	if err != nil {
		w.end(err)
		return nil, err
	}
	return &transaction{Tx: w.tx, writer: w, db: db}, nil
}

func (db *sqliteDB) pool() (*sql.DB, *sql.TxOptions, error) { return db.readers, nil, db.check() }

// in has the IDs in a list of JSON, so that a query is prepared once, whatever the IDs: SQLite has no arrays.
func (db *sqliteDB) in(column string, ids []int64, before ...any) (string, []any) {
	list, _ := json.Marshal(ids)
	return fmt.Sprintf("%s IN (SELECT value FROM json_each($%d))", column, len(before)+1), append(before, string(list))
}

func (db *sqliteDB) inPairs(columns string, pairs []annotationsKey) (string, []any) {
	lists := make([][2]int64, len(pairs))
	for i, p := range pairs {
		lists[i] = [2]int64{p.source, p.id}
	}
	list, _ := json.Marshal(lists)
	return columns + " IN (SELECT value ->> 0, value ->> 1 FROM json_each($1))", []any{string(list)}
}

// waitWhileBusy calls f until no other process keeps it from writing.
func waitWhileBusy(ctx context.Context, f func() error) error {
	for began := time.Now(); ; {
		err := f()
		e, ok := errors.AsType[*sqlite.Error](err)
		if !ok || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Since(began) > maxBusy {
			return err
		}
		// Usually, f has already waited for busyTimeout.
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A sqliteWriter is the transaction that has its turn.
type sqliteWriter struct {
	db *sqliteDB
	tx *sql.Tx
}

func (w *sqliteWriter) end(err error) {
	if err != nil {
		// Where no transaction is open, there is nothing to roll back, and the error of that does
		// no harm: SQLite recommends to do so.
		w.db.conn.ExecContext(context.Background(), "ROLLBACK")
	}
	<-w.db.turn
}

// with runs the statement for 64 rows at a time, and then for fewer, so that few statements are
// prepared, whatever the number of rows. One row at a time takes 1.4 times as long; more rows are
// not faster.
func (w *sqliteWriter) with(
	ctx context.Context, query, columns string, values, dest []any, do func() error,
) error {
	width := widthOf(columns)
	for len(values) > 0 {
		n := 1
		if rows := len(values) / width; rows >= 64 {
			n = 64
		} else if rows >= 8 {
			n = 8
		}
		if err := eachRow(ctx, w.tx, completeSQLite(query, columns, n), values[:n*width], dest, do); err != nil {
			return err
		}
		values = values[n*width:]
	}
	return nil
}

// completeSQLite completes a query for a number of rows: see writer.with. The params have no
// numbers, because SQLite would search for each of them in a list.
func completeSQLite(query, columns string, rows int) string {
	row := "(" + strings.Repeat("?, ", widthOf(columns)-1) + "?)"
	params := strings.Repeat(row+", ", rows-1) + row
	query = strings.Replace(query, "SELECT "+columns+" FROM {rows}", "VALUES "+params, 1)
	if !strings.Contains(query, "{rows}") {
		return strings.Replace(query, "{in}", "IN ("+params+")", 1)
	}
	query = strings.NewReplacer("{rows}", "n", "{in}", "IS NOT NULL").Replace(query) // it follows from the join
	return "WITH n (" + columns + ") AS (VALUES " + params + ") " + query
}

func (w *sqliteWriter) insert(ctx context.Context, table table, values []any) error {
	return w.with(ctx, table.insertion(), table.columns, values, nil, nil)
}

// createSQLite makes a file with a database that fill makes of one without tables, unless there is
// a file with the name. The database is made beside and gets its name when it is whole: a process
// that is killed, or a full disk, leaves no empty database, and of several processes that make
// one, the first wins.
func createSQLite(file string, fill func(file string) error) error {
	if file == "" || file == ":memory:" {
		return nil // openSQLite refuses it
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	temp, err := tempBeside(file)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	made := filepath.Join(temp, filepath.Base(file))
	if err := os.WriteFile(made, firstPage(), 0o644); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return err
	}

	if err := syncFile(made); err != nil {
		return err
	}
	if err := os.Link(made, file); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil { // the file system has no links
		if err := os.Rename(made, file); err != nil {
			return err
		}
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	dir.Sync() // not all systems can wait until the names are on the disk
	return dir.Close()
}

// syncFile waits until a file is on the disk.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// tempBeside makes a folder beside a file, and removes folders that killed processes of this
// machine left there. The name has the machine and the process.
func tempBeside(file string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	dir, prefix := filepath.Dir(file), filepath.Base(file)+"."+host+"."
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		id, _, isTemp := strings.Cut(rest, ".")
		if pid, err := strconv.Atoi(id); ok && err == nil && isTemp && e.IsDir() && isDead(pid) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return os.MkdirTemp(dir, fmt.Sprintf("%s%d.*.tmp", prefix, os.Getpid()))
}

// isDead reports whether there is no process with an ID. Where a system cannot tell, there may be
// one.
func isDead(pid int) bool {
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
