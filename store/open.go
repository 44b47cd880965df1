package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"perfdata/traceid"
)

// A Store is a results database. Several goroutines may use it, and several processes may open
// the same database.
type Store struct {
	db    database
	names traceCache
	caches
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
	// Writers take turns on a connection of their own.
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

// Open opens a database. The name is the path of a file, which SQLite creates if it does not
// exist, or a URL of PostgreSQL, such as postgres://user@host/database. Open makes the tables of a
// new database. The trace IDs have the charset that the database has.
//
// The cause of the error is [ErrOlder] for a database that was made before the first release, and
// [ErrDamaged] for one whose header is damaged, or a file that is empty. A file that cannot be written
// to, or is in a folder that cannot, is opened to be read: then every method that would write
// returns an error with the cause [ErrUnavailable].
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
			s, err := connect(ctx, file, options, openDB, false)
			if err != nil {
				return err
			}
			return errors.Join(s.setUp(ctx, options.Charset), s.Close())
		})
		if err != nil {
			return nil, fmt.Errorf("store: %s: %w", name, cause(ctx, err))
		}
	}

	s, err := openTables(ctx, name, options, openDB, false)
	if errors.Is(err, ErrUnavailable) && !isURL(name) && canOnlyRead(name) {
		// Without files of its own beside the database, SQLite can only read it as one that does not
		// change, and that has no log. What another process writes meanwhile is noticed as damage.
		if info, err := os.Stat(name + "-wal"); err == nil && info.Size() > 0 {
			return nil, fmt.Errorf("store: %s: %w, and %s-wal has changes that are not in it yet", name, errReadOnly, name)
		}
		return openTables(ctx, name, options, openDB, true)
	}
	return s, err
}

// openTables returns a Store with its tables and settings.
func openTables(
	ctx context.Context, name string, options Options, openDB opener, isReadOnly bool,
) (*Store, error) {
	s, err := connect(ctx, name, options, openDB, isReadOnly)
	if err != nil {
		return nil, err
	}
	if isReadOnly {
		err = s.view(ctx, func(tx *sql.Tx) error { return s.load(ctx, tx, options.Charset) })
	} else {
		err = s.setUp(ctx, options.Charset)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("store: %s: %w", s.db.name(), err)
	}
	return s, nil
}

// connect returns a Store whose tables are not made yet.
func connect(
	ctx context.Context, name string, options Options, openDB opener, isReadOnly bool,
) (*Store, error) {
	readers := cmp.Or(options.Readers, 8)
	memory := newMemory(cmp.Or(options.Memory, defaultMemory))
	var db database
	var err error
	if isURL(name) {
		db, err = openPostgres(name, readers, openDB)
	} else {
		db, err = openSQLite(ctx, name, readers, memory, openDB, isReadOnly)
	}
	if err != nil {
		return nil, err
	}

	wrote := options.Wrote
	if wrote == nil {
		wrote = func(Transaction) {}
	}
	s := &Store{db: db, memory: memory, wrote: wrote, group: group{leads: make(chan struct{}, 1)}, caches: caches{
		commits: &cache[int64, Trial, *commitList]{max: 30_000},       // of 400 bytes each
		params:  &cache[int64, int64, bool]{max: 1 << 20},             // of some 20 bytes each
		values:  &cache[paramState, string, []paramRow]{max: 8 << 20}, // in bytes
	}}
	s.names.max = memory.names
	return s, nil
}

// isURL reports whether a database is one of PostgreSQL.
func isURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// load checks that the tables have the version of this package, and sets the charset to the
// database's. The caller may want one.
func (s *Store) load(ctx context.Context, q querier, charset string) error {
	if err := cmp.Or(checkVersion(ctx, q), checkCount(ctx, q, "settings")); err != nil {
		return err
	}
	recorded, err := setting(ctx, q, settingCharset)
	if err == nil {
		s.charset, err = chooseCharset(recorded, charset)
	}
	return err
}

// Close closes the database. Batches that were not committed are lost.
func (s *Store) Close() error { return s.db.close() }

// A database has the operations that differ between SQLite and PostgreSQL. All other SQL is for
// both.
type database interface {
	// name is the name of the database for errors. It holds no password.
	name() string

	// types replaces the words in braces in the schema.
	types() *strings.Replacer

	// begin begins a transaction that may write, when all others that do have ended: see
	// transaction.
	begin(ctx context.Context) (*transaction, error)

	// pool returns the connections of readers, and the options by which a transaction on one of them
	// sees one state of the database and does not write.
	pool() (*sql.DB, *sql.TxOptions, error)

	// in returns the condition that a column is one of some IDs, and the arguments before it with
	// its own, if it has some.
	in(column string, ids []int64, before ...any) (condition string, args []any)

	// inPairs is in for two columns, as in (a, b).
	inPairs(columns string, pairs []annotationsKey) (condition string, args []any)

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

	close() error
}

// view calls f in a transaction that sees one state of the database, on a connection of its own.
func (s *Store) view(ctx context.Context, f func(tx *sql.Tx) error) error {
	pool, options, err := s.db.pool()
	if err != nil {
		return cause(ctx, err)
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return cause(ctx, err)
	}
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		release(conn, err)
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

// release gives a connection back to its pool. After an error of Begin, Commit or Rollback, the
// transaction may still be open: then the connection is closed, so that no other transaction finds
// it, and no lock is held.
func release(conn *sql.Conn, err error) {
	if err != nil && err != sql.ErrTxDone {
		conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	conn.Close()
}
