package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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

	turn     chan struct{} // has an element while conn is in use
	conn     *sql.Conn
	prepared map[string]*sql.Stmt // on conn
}

// How long to wait for another process that writes.
const (
	busyTimeout = time.Second     // in SQLite, which does not notice a canceled context
	maxBusy     = 5 * time.Minute // in all
)

func openSQLite(ctx context.Context, file string, readers int, memory memory, openDB opener) (database, error) {
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
	db := &sqliteDB{file: abs, memory: memory, turn: make(chan struct{}, 1), prepared: make(map[string]*sql.Stmt)}

	// A commit is on the disk when it returns: what was acknowledged must survive a power failure.
	writing := sqliteURI(abs, memory.writerCache) + "&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate"
	db.writers = openDB(sqliteConnector(writing))
	db.readers = limitPool(openDB(sqliteConnector(sqliteURI(abs, memory.readerCache)+"&_pragma=query_only(1)")), readers)

	err = waitWhileBusy(ctx, func() (err error) {
		db.conn, err = db.writers.Conn(ctx)
		return err
	})
	if err == nil {
		db.opened, err = os.Stat(abs)
	}
	if err != nil {
		db.close()
		return nil, fmt.Errorf("store: %s: %w", file, cause(ctx, err))
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
	return fmt.Sprintf("file://%s?vfs="+pagesVFS+"&_pragma=busy_timeout(%d)&_pragma=cache_size(%d)&_error_rc=1",
		(&url.URL{Path: path}).EscapedPath(), busyTimeout.Milliseconds(), -cache>>10)
}

func (db *sqliteDB) name() string { return db.file }

func (db *sqliteDB) types() *strings.Replacer {
	// The column of values has no type: one of type REAL would store -0 as 0. The sum of bits
	// that are all different is what they are together.
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
		// If database/sql rolled back when the context is canceled, a statement that is prepared
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

func (db *sqliteDB) inPairs(columns string, pairs []annotationsKey, _ *[]any) string {
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
func (w *sqliteWriter) lockNames(context.Context) (isNew bool, err error) { return false, nil }

func (w *sqliteWriter) forgetLock() {}

// holdNames does nothing, as lockNames.
func (w *sqliteWriter) holdNames(context.Context, bool) error { return nil }

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

// find looks up many names by each statement. One at a time, files with mostly new traces take a third
// more CPU time.
func (w *sqliteWriter) find(ctx context.Context, table table, names []name, byHash map[[32]byte]interned) error {
	for some := range slices.Chunk(names, rowsAtOnce) {
		rows, err := w.selectIn(ctx, "SELECT id, hash FROM "+table.name+" WHERE hash ", len(some), func(i int) any {
			return some[i].hash[:]
		})
		if err == nil {
			err = collectIDs(rows, byHash, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// selectIn completes a query by IN for up to rowsAtOnce values. The last one is repeated where there are
// fewer, so that two statements suffice.
func (w *sqliteWriter) selectIn(ctx context.Context, query string, n int, value func(i int) any) (*sql.Rows, error) {
	args := make([]any, rowsAtOnce)
	if n == 1 {
		args = args[:1]
	}
	for i := range args {
		args[i] = value(min(i, n-1))
	}
	stmt, err := w.statement(ctx, query+"IN "+rowParams(1, len(args)))
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// add adds names to the table and to a map. There are no others that add some at the same time.
func (w *sqliteWriter) add(ctx context.Context, table table, names []name, byHash map[[32]byte]interned) error {
	last, err := w.statement(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+table.name)
	if err != nil {
		return err
	}
	var id int64
	if err := last.QueryRowContext(ctx).Scan(&id); err != nil {
		return err
	}
	row := make([]any, 2, 2+len(table.columns))
	columns := append([]string{"id", "hash"}, table.columns...)
	return w.insert(ctx, newTable(table.name, columns...), func() []any {
		if len(names) == 0 {
			return nil
		}
		name := &names[0]
		names = names[1:]
		id++
		byHash[name.hash] = interned{id, true}
		row[0], row[1] = id, name.hash[:]
		return append(row[:2], name.args...)
	})
}

// rowsAtOnce is the number of rows of an INSERT, and fewRows that for what is left. One row at a
// time takes 1.4 times as long; more rows are not faster.
const (
	rowsAtOnce = 64
	fewRows    = 8
)

func (w *sqliteWriter) insert(ctx context.Context, table table, next func() []any) error {
	return w.insertOr(ctx, table, "", next)
}

// insertOr is insert with the clause for rows that exist.
func (w *sqliteWriter) insertOr(ctx context.Context, table table, onConflict string, next func() []any) error {
	into := "INSERT INTO " + table.name + " (" + strings.Join(table.columns, ", ") + ") VALUES "
	width := len(table.columns)
	flush := func(args []any, rows int) error {
		stmt, err := w.statement(ctx, into+rowParams(rows, width)+onConflict)
		if err != nil {
			return err
		}
		_, err = stmt.ExecContext(ctx, args...)
		return err
	}

	args := make([]any, 0, rowsAtOnce*width)
	for row := next(); row != nil; row = next() {
		if args = append(args, row...); len(args) == cap(args) {
			if err := flush(args, rowsAtOnce); err != nil {
				return err
			}
			args = args[:0]
		}
	}
	for len(args) > 0 {
		rows := 1
		if len(args) >= fewRows*width {
			rows = fewRows
		}
		if err := flush(args[:rows*width], rows); err != nil {
			return err
		}
		args = args[rows*width:]
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

func (w *sqliteWriter) countTraces(ctx context.Context, params, counts []int64) error {
	stmt, err := w.statement(ctx, "UPDATE params SET traces = traces + $1 WHERE id = $2")
	if err != nil {
		return err
	}
	for i, param := range params {
		if _, err := stmt.ExecContext(ctx, counts[i], param); err != nil {
			return err
		}
	}
	return nil
}

func (w *sqliteWriter) lockPlaces(ctx context.Context, commits []int64, each func(commitPlace)) error {
	for some := range slices.Chunk(commits, rowsAtOnce) {
		rows, err := w.selectIn(ctx, selectPlaces, len(some), func(i int) any { return some[i] })
		if err != nil {
			return err
		}
		if err := scanPlaces(rows, each); err != nil {
			return err
		}
	}
	return nil
}

func (w *sqliteWriter) setPlaces(ctx context.Context, places []commitPlace) error {
	stmt, err := w.statement(ctx, "UPDATE commits SET hour = $1, path = $2, position = $3, time = $4 WHERE id = $5")
	if err != nil {
		return err
	}
	for _, p := range places {
		if _, err := stmt.ExecContext(ctx, p.hour, p.path, p.position, p.seconds(), p.commit); err != nil {
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

// createSQLite makes a file with a database that fill makes of one without tables, unless there is
// a file with the name. The database is made beside and gets its name when it is whole: a process
// that is killed, or a full disk, leaves no empty database, and of several processes that make one,
// the first wins.
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
	return syncFolder(filepath.Dir(file))
}

// syncFile waits until a file is on the disk.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder waits until the names of the files in a folder are on the disk. Not all systems can do
// so.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	f.Sync()
	return f.Close()
}

// tempBeside makes a folder beside a file, and removes those that processes of this machine have
// left when they were killed. The name has the machine and the process.
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
