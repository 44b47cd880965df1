package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A sqliteDB has one connection that writes, and others that read. The write-ahead log lets them
// read while it writes.
type sqliteDB struct {
	file    string      // absolute
	opened  os.FileInfo // of the file
	readers *sql.DB
	writers *sql.DB // has only the connection conn

	turn     chan struct{} // has an element while conn is in use
	conn     *sql.Conn
	prepared map[string]*sql.Stmt // on conn
}

// How long to wait for another process that writes.
const (
	busyTimeout = time.Second     // in SQLite, which does not notice a cancelled context
	maxBusy     = 5 * time.Minute // in all
)

// The memory for pages of the file, of each connection.
const (
	readerCache = 8 << 20
	writerCache = 64 << 20
)

func openSQLite(ctx context.Context, file string, readers int, openDB opener) (database, error) {
	if file == "" || file == ":memory:" {
		return nil, fmt.Errorf("store: %q is not the name of a file", file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db := &sqliteDB{file: abs, turn: make(chan struct{}, 1), prepared: make(map[string]*sql.Stmt)}

	// A commit is on the disk when it returns: what was acknowledged must survive a power failure.
	writing := sqliteURI(abs, writerCache) + "&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate"
	db.writers = openDB(sqliteConnector(writing))
	db.readers = limitPool(openDB(sqliteConnector(sqliteURI(abs, readerCache)+"&_pragma=query_only(1)")), readers)

	err = waitWhileBusy(ctx, func() (err error) {
		db.conn, err = db.writers.Conn(ctx)
		return err
	})
	if err == nil {
		db.opened, err = os.Stat(abs)
	}
	if err != nil {
		db.close()
		return nil, fmt.Errorf("store: %s: %w", file, err)
	}
	return db, nil
}

// A sqliteConnector connects to a URI.
type sqliteConnector string

func (uri sqliteConnector) Driver() driver.Driver { return new(sqlite.Driver) }

func (uri sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	return new(sqlite.Driver).Open(string(uri))
}

// sqliteURI returns the URI of a file with what all connections have in common. The cache is in
// bytes.
func sqliteURI(abs string, cache int) string {
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // before a drive of Windows
	}
	return fmt.Sprintf("file://%s?_pragma=busy_timeout(%d)&_pragma=cache_size(%d)&_error_rc=1",
		(&url.URL{Path: path}).EscapedPath(), busyTimeout.Milliseconds(), -cache>>10)
}

func (db *sqliteDB) name() string { return db.file }

func (db *sqliteDB) types() *strings.Replacer {
	// The column of values has no type: one of type REAL would store -0 as 0. The sum of bits that are
	// all different is what they are together.
	return strings.NewReplacer("{id}", "INTEGER PRIMARY KEY", "{int}", "INTEGER", "{int32}", "INTEGER", "{text}", "TEXT", "{bytes}", "BLOB",
		"{float}", "", "{rows}", "", "{key}", " WITHOUT ROWID", "{bits}", "SUM")
}

func (db *sqliteDB) close() error {
	for _, stmt := range db.prepared {
		stmt.Close()
	}
	if db.conn != nil {
		db.conn.Close()
	}
	return errors.Join(db.writers.Close(), db.readers.Close())
}

// check returns an error if the file is not the one that was opened. SQLite would go on with the
// one that it has open, and what it writes would be lost.
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

func (db *sqliteDB) begin(ctx context.Context) (*transaction, error) {
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}

	w := &sqliteWriter{db: db}
	err := waitWhileBusy(ctx, func() (err error) {
		if err = db.check(); err != nil {
			return err
		}
		// If database/sql rolled back when the context is cancelled, a statement that is prepared
		// on the connection could still run, outside of the transaction.
		w.tx, err = db.conn.BeginTx(context.WithoutCancel(ctx), nil)
		return err
	})
	if err != nil {
		w.end(err)
		return nil, err
	}
	return &transaction{Tx: w.tx, writer: w}, nil
}

func (db *sqliteDB) read(ctx context.Context) (*sql.Conn, *sql.Tx, error) {
	if err := db.check(); err != nil {
		return nil, nil, err
	}
	return beginRead(ctx, db.readers, nil)
}

// in has the IDs in its text: SQLite has no arrays.
func (db *sqliteDB) in(column string, ids []int64, _ *[]any) string {
	b := append([]byte(column), " IN ("...)
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ')'))
}

func (db *sqliteDB) inPairs(columns string, pairs []detailsKey, _ *[]any) string {
	b := append([]byte(columns), " IN (VALUES "...)
	for i, p := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '('), p.source, 10)
		b = append(strconv.AppendInt(append(b, ','), p.id, 10), ')')
	}
	return string(append(b, ')'))
}

func (db *sqliteDB) eachChunk(ctx context.Context, tx *sql.Tx, query string, args []any, c chunks) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		n, size := 0, c.size()
		for n < size && rows.Next() {
			if err := c.scan(rows); err != nil {
				return err
			}
			n++
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if more, err := c.done(); err != nil || !more || n < size {
			return err
		}
	}
}

// inTurn returns true: there is one writer.
func (db *sqliteDB) inTurn(bool) bool { return true }

// mayRetry returns false: begin waited for the others, and then none is in the way.
func (db *sqliteDB) mayRetry(error) bool { return false }

// waitWhileBusy calls f until no other process keeps it from writing.
func waitWhileBusy(ctx context.Context, f func() error) error {
	for began := time.Now(); ; {
		err := f()
		if !isBusy(err) || time.Since(began) > maxBusy {
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

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
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

// lockNames does nothing: the transaction is the only one that writes.
func (w *sqliteWriter) lockNames(context.Context) error { return nil }

func (w *sqliteWriter) forgetLock() {}

func (w *sqliteWriter) statement(ctx context.Context, query string) (statement, error) {
	if stmt := w.db.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.db.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	w.db.prepared[query] = stmt
	return stmt, nil
}

func (w *sqliteWriter) intern(ctx context.Context, table table, names []name) ([]interned, error) {
	find, err := w.statement(ctx, "SELECT id FROM "+table.name+" WHERE hash = $1")
	if err != nil {
		return nil, err
	}
	columns := strings.Join(append([]string{"hash"}, table.columns...), ", ")
	add, err := w.statement(ctx, "INSERT INTO "+table.name+" ("+columns+") VALUES "+rowParams(1, 1+len(table.columns)))
	if err != nil {
		return nil, err
	}

	ids := make([]interned, len(names))
	for i, name := range names {
		err := find.QueryRowContext(ctx, name.hash[:]).Scan(&ids[i].id)
		if err == nil {
			continue
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}

		result, err := add.ExecContext(ctx, append([]any{name.hash[:]}, name.args...)...)
		if err != nil {
			return nil, err
		}
		if ids[i].id, err = result.LastInsertId(); err != nil {
			return nil, err
		}
		ids[i].new = true
	}
	return ids, nil
}

// rowsAtOnce is the number of rows of an INSERT. One row at a time takes 1.4 times as long; more
// rows are not faster.
const rowsAtOnce = 64

func (w *sqliteWriter) insert(ctx context.Context, table table, next func() []any) error {
	return w.insertOr(ctx, table, "", next)
}

// insertOr is insert with the clause for rows that exist.
func (w *sqliteWriter) insertOr(ctx context.Context, table table, onConflict string, next func() []any) error {
	into := "INSERT INTO " + table.name + " (" + strings.Join(table.columns, ", ") + ") VALUES "
	width := len(table.columns)
	many, err := w.statement(ctx, into+rowParams(rowsAtOnce, width)+onConflict)
	if err != nil {
		return err
	}

	args := make([]any, 0, rowsAtOnce*width)
	for row := next(); row != nil; row = next() {
		if args = append(args, row...); len(args) == cap(args) {
			if _, err := many.ExecContext(ctx, args...); err != nil {
				return err
			}
			args = args[:0]
		}
	}
	if len(args) == 0 {
		return nil
	}

	one, err := w.statement(ctx, into+rowParams(1, width)+onConflict)
	if err != nil {
		return err
	}
	for ; len(args) > 0; args = args[width:] {
		if _, err := one.ExecContext(ctx, args[:width]...); err != nil {
			return err
		}
	}
	return nil
}

func (w *sqliteWriter) addPostings(ctx context.Context, postings []posting) error {
	row := make([]any, 3)
	return w.insertOr(ctx, postingsTable, " ON CONFLICT DO UPDATE SET traces = traces | excluded.traces", func() []any {
		if len(postings) == 0 {
			return nil
		}
		p := &postings[0]
		row[0], row[1], row[2] = p.param, p.group, int64(p.traces)
		postings = postings[1:]
		return row
	})
}

func (w *sqliteWriter) execEach(ctx context.Context, query string, next func() []any) error {
	stmt, err := w.statement(ctx, query)
	if err != nil {
		return err
	}
	for row := next(); row != nil; row = next() {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// rowParams returns the params of rows, as in (?, ?), (?, ?). With numbers, SQLite would search for
// each of them in a list.
func rowParams(rows, width int) string {
	row := "(" + strings.Repeat("?, ", width-1) + "?)"
	return strings.Repeat(row+", ", rows-1) + row
}
