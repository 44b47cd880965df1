package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"perfdata/traceid"
)

// A Store is a results database. Several goroutines may use it, and several processes may open
// the same database.
type Store struct {
	db      database
	names   cache
	commits commitCache
	params  paramCache
	values  valueCache
	group   group
	charset *traceid.Charset // nil if it is the default

	arrivals arrivals // of uploads
	wrote    func(Transaction)

	memory
}

// A memory is what [Options.Memory] allows for, in bytes.
type memory struct {
	maxMemory   int64 // the size up to which a Batch holds its records in memory
	maxScan     int   // for traces and rows that are sorted in memory, roughly
	maxTraces   int   // the number that a commit remembers
	names       int   // of traces in the cache
	writerCache int   // of pages of a SQLite file, of the connection that writes
	readerCache int   // of each that reads
}

// defaultMemory is the default of [Options.Memory].
const defaultMemory = 256 << 20

func newMemory(total int64) memory {
	return memory{
		maxMemory: total / 16, maxScan: int(total / 64 * 5), maxTraces: int(total / 1280), names: int(total / 4),
		writerCache: int(total / 4), readerCache: int(total / 32),
	}
}

// Options are how a Store uses its database. The zero Options are the defaults.
type Options struct {
	// Readers is the number of connections on which a Store reads, at most; 0 means 8. A method
	// that reads has one from its call to its end, and so does an iteration. If all are in use,
	// others wait until one is free or their context ends. Do not call a method that reads in an
	// iteration: if all Readers do so, they wait for one another.
	//
	// Writers have connections of their own: one with SQLite, and at most 8 with PostgreSQL.
	Readers int

	// Memory is the size in bytes of the caches of the Store: a quarter for the names of traces,
	// and with SQLite, another quarter for the writer and 1/32 for each reader, of which it takes
	// up to twice as much. A Batch holds 1/16 in memory and the rest in a temporary file, and a
	// query sorts 5/64 in memory. With 0, it is 256 MiB.
	Memory int64

	// Charset is a regular expression for the characters that trace IDs replace by _, as
	// [series.ParseCharset] takes it. A new database records it. If the database has another
	// charset, Open fails with [ErrOtherCharset]. If Charset is empty, the charset is the one that
	// the database has, and for a new one the default.
	Charset string

	// Wrote, if it is not nil, is called after each transaction that writes, committed or not.
	// Calls may come from several goroutines at the same time. It must not use the Store.
	Wrote func(Transaction)
}

// A Transaction is one that wrote, or failed to.
type Transaction struct {
	Wait time.Duration // until it could begin: others write, or connections are in use
	Took time.Duration // from then until all is on the disk
	Err  error
}

const (
	defaultReaders  = 8
	postgresWriters = 8
)

// Open opens a database. The name is that of a file, which SQLite creates if it does not exist, or
// a URL of PostgreSQL, as in postgres://user@host/database. Open makes the tables of a new
// database. The trace IDs have the charset that the database has.
//
// The cause of the error is [ErrOlder] for a database that was made before the first release, and
// [ErrDamaged] for one whose header is damaged, or a file that is empty.
//
// The context is for Open only.
func Open(ctx context.Context, name string) (*Store, error) {
	return OpenWith(ctx, name, Options{})
}

// OpenWith is Open with options.
func OpenWith(ctx context.Context, name string, options Options) (*Store, error) {
	return openBy(ctx, name, options, sql.OpenDB)
}

// An opener makes a pool of connections. It is [sql.OpenDB], except in tests.
type opener func(driver.Connector) *sql.DB

func openBy(ctx context.Context, name string, options Options, openDB opener) (*Store, error) {
	if options.Readers < 0 {
		return nil, fmt.Errorf("store: %d readers: want at least 1", options.Readers)
	}
	if _, err := parseCharset(options.Charset); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if options.Memory < 0 {
		return nil, fmt.Errorf("store: memory of %d bytes: want at least 1", options.Memory)
	}
	if !isURL(name) {
		err := createSQLite(name, func(file string) error {
			s, err := connect(ctx, file, options, openDB)
			if err != nil {
				return err
			}
			return errors.Join(s.setUp(ctx, options.Charset), s.Close())
		})
		if err != nil {
			return nil, fmt.Errorf("store: %s: %w", name, cause(ctx, err))
		}
	}

	s, err := connect(ctx, name, options, openDB)
	if err != nil {
		return nil, err // it names the database
	}
	if err := s.setUp(ctx, options.Charset); err != nil {
		s.Close()
		return nil, fmt.Errorf("store: %s: %w", s.db.name(), err)
	}
	return s, nil
}

// connect returns a Store whose tables are not made yet.
func connect(ctx context.Context, name string, options Options, openDB opener) (*Store, error) {
	readers := cmp.Or(options.Readers, defaultReaders)
	memory := newMemory(cmp.Or(options.Memory, defaultMemory))
	var db database
	var err error
	if isURL(name) {
		db, err = openPostgres(name, readers, openDB)
	} else {
		db, err = openSQLite(ctx, name, readers, memory, openDB)
	}
	if err != nil {
		return nil, err
	}
	wrote := options.Wrote
	if wrote == nil {
		wrote = func(Transaction) {}
	}
	s := &Store{db: db, memory: memory, wrote: wrote}
	s.names.maxBytes = memory.names
	return s, nil
}

// isURL reports whether a database is one of PostgreSQL.
func isURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// setUp makes the tables, and sets the charset to that of the database.
func (s *Store) setUp(ctx context.Context, charset string) error {
	recorded := ""
	err := s.write(ctx, func(t *transaction) error {
		isNew, err := s.makeTables(ctx, t)
		if err != nil {
			return err
		}
		recorded, err = t.recordCharset(ctx, isNew, charset)
		return err
	})
	if err == nil {
		s.charset, err = chooseCharset(recorded, charset)
	}
	return err
}

// Close closes the database. Batches that were not committed are lost.
func (s *Store) Close() error { return s.db.close() }

// A database is what differs between SQLite and PostgreSQL. All other SQL is for both.
type database interface {
	// name is the name of the database for errors. It holds no password.
	name() string

	// types replaces the words in braces in the schema.
	types() *strings.Replacer

	// begin begins a transaction that may write. In SQLite, it waits for its turn.
	begin(ctx context.Context) (*transaction, error)

	// read begins a transaction that sees one state of the database and does not write, on a
	// connection of its own.
	read(ctx context.Context) (*sql.Conn, *sql.Tx, error)

	// in returns the condition that a column is one of some IDs, and appends its arguments, if it
	// has some, to args.
	in(column string, ids []int64, args *[]any) string

	// inPairs is in for two columns, as in (a, b).
	inPairs(columns string, pairs []annotationsKey, args *[]any) string

	// eachChunk reads the rows of a query. It calls scan with up to size() rows, one at a time, and
	// then done, and so on until there are no more or done returns false. Other queries may run in
	// done.
	eachChunk(ctx context.Context, tx *sql.Tx, query string, args []any, c chunks) error

	// inTurn reports whether transactions that store files, or uploads, take turns.
	inTurn(isUpload bool) bool

	// vacuum gives the space of deleted rows back.
	vacuum(ctx context.Context) error

	// backup copies the database to a file.
	backup(ctx context.Context, file string) error

	// size returns the size of the database in bytes.
	size(ctx context.Context) (int64, error)

	// probe returns an error if the disk of the database takes nothing.
	probe() error

	// integrity returns what the database says of damage to itself.
	integrity(ctx context.Context, tx *sql.Tx) ([]string, error)

	// mayRetry reports whether a transaction failed only because of another one.
	mayRetry(err error) bool

	close() error
}

// A writer is the part of a transaction that differs between SQLite and PostgreSQL.
type writer interface {
	// statement returns a statement of the transaction, which is prepared once.
	statement(ctx context.Context, query string) (statement, error)

	// find adds the names that the table has to a map.
	find(ctx context.Context, table table, names []name, byHash map[[32]byte]interned) error

	// add adds names to the table and to a map, after lockNames.
	add(ctx context.Context, table table, names []name, byHash map[[32]byte]interned) error

	// insert adds rows, which must not exist. While next runs, no statement can. It returns nil
	// after the last row, and may use the memory of a row again.
	insert(ctx context.Context, table table, next func() []any) error

	// addPostings adds traces to the postings of params, which may have others of a group.
	addPostings(ctx context.Context, postings []posting) error

	// countTraces adds to the numbers of traces that params have.
	countTraces(ctx context.Context, params, counts []int64) error

	// lockPlaces calls each with the places of commits, whose IDs are sorted, and keeps others from
	// changing them.
	lockPlaces(ctx context.Context, commits []int64, each func(commitPlace)) error

	// setPlaces changes the places of commits.
	setPlaces(ctx context.Context, places []commitPlace) error

	// lockNames waits until no other transaction adds names, and keeps others from it. It reports whether
	// others may have added some until now.
	lockNames(ctx context.Context) (isNew bool, err error)

	// forgetLock says that the locks of lockNames and holdNames may be gone, after a savepoint was
	// restored.
	forgetLock()

	// holdNames keeps others from deleting names until the end of the transaction, or if it is
	// alone, from adding and using names. It is before lockNames.
	holdNames(ctx context.Context, alone bool) error

	// end releases what the transaction holds, after Commit or Rollback. The error is that of
	// either: if it is not nil, the transaction may still be open.
	end(err error)
}

// A transaction writes to the database.
type transaction struct {
	*sql.Tx
	writer
	commitsChanged bool // what loadCommits returns
	deleted        bool // measurements were
	namesDeleted   bool
}

// A chunks takes the rows of a query: see database.eachChunk.
type chunks struct {
	size func() int
	scan func(rows *sql.Rows) error
	done func() (more bool, err error)
}

// A statement is a *sql.Stmt, or what is used like one.
type statement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// exec executes a statement, and returns the number of rows that it changed.
func (t *transaction) exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := t.statement(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// row reads the only row of a query into dest.
func (t *transaction) row(ctx context.Context, dest []any, query string, args ...any) error {
	stmt, err := t.statement(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// A querier runs queries: a transaction or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow iterates over the rows of a query. At each step, the columns are in dest. A step with an
// error is the last.
func eachRow(ctx context.Context, q querier, query string, args []any, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(err)
			return
		}
		scanRows(rows, dest...)(yield)
	}
}

// scanRows is eachRow for rows, which it closes.
func scanRows(rows *sql.Rows, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); !yield(err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(err)
		}
	}
}

// A table has names, or rows.
type table struct {
	name    string
	columns []string // without id and hash in a table of names
}

func newTable(name string, columns ...string) table { return table{name, columns} }

// A name is a row of a table with a hash.
type name struct {
	hash [sha256.Size]byte
	args []any
}

// hashed returns a name, whose hash is that of its text.
func hashed(text string, args ...any) name { return name{sha256.Sum256([]byte(text)), args} }

// An interned is the ID of a name.
type interned struct {
	id  int64
	new bool // it was added
}

// intern returns the IDs of names, which it adds to the table where they are missing.
func (t *transaction) intern(ctx context.Context, table table, names []name) ([]interned, error) {
	if len(names) == 0 {
		return nil, nil
	}
	byHash := make(map[[32]byte]interned, len(names))
	if err := t.find(ctx, table, names, byHash); err != nil {
		return nil, err
	}
	if missing := without(names, byHash); len(missing) > 0 {
		isNew, err := t.lockNames(ctx)
		if err == nil && isNew {
			err = t.find(ctx, table, missing, byHash)
			missing = without(missing, byHash)
		}
		if err == nil && len(missing) > 0 {
			err = t.add(ctx, table, missing, byHash)
		}
		if err != nil {
			return nil, err
		}
	}
	ids := make([]interned, len(names))
	for i := range names {
		ids[i] = byHash[names[i].hash]
	}
	return ids, nil
}

// without returns the names that are not in a map, each once.
func without(names []name, byHash map[[32]byte]interned) []name {
	var missing []name
	seen := make(map[[32]byte]bool)
	for _, name := range names {
		if _, ok := byHash[name.hash]; !ok && !seen[name.hash] {
			seen[name.hash] = true
			missing = append(missing, name)
		}
	}
	return missing
}

// collectIDs adds to a map the names of rows, which are an ID and a hash, and closes them.
func collectIDs(rows *sql.Rows, byHash map[[32]byte]interned, areNew bool) error {
	var id int64
	var hash []byte
	for err := range scanRows(rows, &id, &hash) {
		if err != nil {
			return err
		}
		if len(hash) != sha256.Size {
			return errLost("a hash")
		}
		byHash[[32]byte(hash)] = interned{id, areNew}
	}
	return nil
}

// maxAttempts is how often a transaction is tried that fails because of another one.
const maxAttempts = 5

// write calls f in a transaction, and commits it unless f returns an error.
func (s *Store) write(ctx context.Context, f func(t *transaction) error) error {
	var err error
	for range maxAttempts {
		if err = s.writeOnce(ctx, f); err == nil || !s.db.mayRetry(err) || ctx.Err() != nil {
			break
		}
	}
	return cause(ctx, err)
}

func (s *Store) writeOnce(ctx context.Context, f func(t *transaction) error) (err error) {
	asked := time.Now()
	began := asked
	defer func() { s.wrote(Transaction{Wait: began.Sub(asked), Took: time.Since(began), Err: err}) }()
	t, err := s.db.begin(ctx)
	began = time.Now()
	if err != nil {
		return err
	}
	if err = f(t); err != nil {
		t.end(t.Rollback()) // its error says nothing more
		return err
	}
	if err = t.writeStamps(ctx); err != nil {
		t.end(t.Rollback())
		return err
	}
	err = t.Commit()
	t.end(err)
	return err
}

// view calls f in a transaction that sees one state of the database.
func (s *Store) view(ctx context.Context, f func(tx *sql.Tx) error) error {
	conn, tx, err := s.db.read(ctx)
	if err != nil {
		return cause(ctx, err)
	}
	defer func() { release(conn, tx.Rollback()) }()
	return cause(ctx, f(tx))
}

// limitPool lets a pool have a number of connections, which it keeps for a minute after their use.
func limitPool(pool *sql.DB, connections int) *sql.DB {
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(time.Minute)
	return pool
}

// beginRead begins a transaction on a connection of its own.
func beginRead(ctx context.Context, pool *sql.DB, options *sql.TxOptions) (*sql.Conn, *sql.Tx, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		release(conn, err)
		return nil, nil, err
	}
	return conn, tx, nil
}

// release gives a connection back to its pool. After an error of Begin, Commit or Rollback, the
// transaction may still be open: then the connection is closed, so that no other transaction finds
// it, and no lock is held.
func release(conn *sql.Conn, err error) {
	if err != nil && err != sql.ErrTxDone {
		conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	conn.Close()
}
