package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A transaction writes to the database. All writers take turns, including those in other
// processes and on other machines, so no transaction waits for rows of another one, fails because
// of it, or adds a name that another one adds, and counts of rows are changed by one transaction
// at a time. Batches that wait for their turn share a transaction: see group.
type transaction struct {
	*sql.Tx
	writer
	effects
	db database
}

// An effects is what a transaction has changed, as far as others must learn of it.
type effects struct {
	commitsChanged bool // what commitList returns
	deleted        bool // measurements were
	namesDeleted   bool
	counts         map[counted]int64 // by how much the numbers of rows have changed
}

// A writer is the part of a transaction that differs between SQLite and PostgreSQL.
type writer interface {
	// with is eachRow for rows, whose values follow one another. In the query, {rows} is a table n
	// with the rows and some columns, and {in} the condition that a column is the first of a row.
	// Only numbers may be NULL.
	with(ctx context.Context, query, columns string, values, dest []any, do func() error) error

	// insert adds rows, which must not exist, and whose values follow one another.
	insert(ctx context.Context, table table, values []any) error

	// end releases the locks of the transaction, after Commit or Rollback. The error is that of
	// either: if it is not nil, the transaction may still be open.
	end(err error)
}

// exec executes a statement, and returns the number of rows that it changed.
func (t *transaction) exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// write calls f in a transaction, and commits it unless f returns an error.
func (s *Store) write(ctx context.Context, f func(t *transaction) error) (err error) {
	asked := time.Now()
	began := asked
	defer func() { s.wrote(Transaction{Wait: began.Sub(asked), Took: time.Since(began), Err: err}) }()
	t, err := s.db.begin(ctx) // SQLite may wait for another process
	began = time.Now()
	if err == nil {
		// What was done is committed, even if the context ends now: it may be that of one of
		// several batches.
		err = t.commit(context.WithoutCancel(ctx), f(t))
	}
	return cause(ctx, err)
}

// commit ends a transaction in which something was done that returned an error.
func (t *transaction) commit(ctx context.Context, err error) error {
	if err == nil { // each step only after the other: SQLite may have rolled back after an error
		err = t.writeCounts(ctx)
	}
	if err == nil {
		err = t.writeStamps(ctx)
	}
	if err != nil {
		t.end(t.Rollback()) // its error says nothing more
		return err
	}
	err = t.Commit()
	t.end(err)
	return err
}

// The stamps of the database. Something is remembered of the database as long as its stamp is the
// same: commits for the commits and the lists of commits, deletions for what was deleted, and
// names for the IDs of traces and spellings. The schema is the version of the tables, and the
// identity tells the database from others.
const (
	commitsStamp   = "commits"
	deletionsStamp = "deletions"
	namesStamp     = "names"
	schemaStamp    = "schema"
	identityStamp  = "identity"
)

// noStamp is the stamp of no database: that of a new one is 0, and writeStamps writes others,
// which are not negative.
const noStamp = -1

// readStamp returns a stamp.
func readStamp(ctx context.Context, q querier, name string) (stamp int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM stamps WHERE name = $1", name).Scan(&stamp)
	if errors.Is(err, sql.ErrNoRows) {
		err = errLost("a stamp")
	}
	return stamp, err
}

// writeStamps changes the stamps of what the transaction has changed. They are random, so that a
// database that was restored does not have one that was seen with other contents.
func (t *transaction) writeStamps(ctx context.Context) error {
	for name, changed := range map[string]bool{
		commitsStamp: t.commitsChanged, deletionsStamp: t.deleted, namesStamp: t.namesDeleted,
	} {
		if !changed {
			continue
		}
		n, err := t.exec(ctx, "UPDATE stamps SET value = $1 WHERE name = $2", rand.Int64(), name)
		if err == nil && n == 0 {
			err = errLost("a stamp")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A querier runs queries: a transaction or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// eachRow calls do for each row of a query, after its columns are in dest. It ends with the first
// error.
func eachRow(ctx context.Context, q querier, query string, args, dest []any, do func() error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return readRows(rows, dest, do)
}

// readRows is eachRow for the rows of a query that was run.
func readRows(rows *sql.Rows, dest []any, do func() error) error {
	defer rows.Close()
	for rows.Next() {
		err := rows.Scan(dest...)
		if err == nil {
			err = do()
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// column returns the only column of the rows of a query.
func column[T any](ctx context.Context, q querier, query string, args ...any) (all []T, err error) {
	var one T
	err = eachRow(ctx, q, query, args, []any{&one}, func() error {
		all = append(all, one)
		return nil
	})
	return all, err
}

// A table has columns that are written, as a list with ", " between their names. In a table of
// names, the first are id and hash.
type table struct{ name, columns string }

// widthOf returns the number of columns in a list.
func widthOf(columns string) int { return strings.Count(columns, ",") + 1 }

// insertion returns the statement that inserts rows of the table: see writer.with.
func (t table) insertion() string {
	return "INSERT INTO " + t.name + " (" + t.columns + ") SELECT " + t.columns + " FROM {rows}"
}

// A name is a row of a table with a hash.
type name struct {
	hash [sha256.Size]byte
	args []any
}

// hashed returns a name with the hash of its text.
func hashed(text string, args ...any) name { return name{sha256.Sum256([]byte(text)), args} }

// intern returns the IDs of names, which it adds to the table where they are missing. IDs that follow
// the last one are new.
func (t *transaction) intern(ctx context.Context, table table, names []name) (ids []int64, last int64, err error) {
	if len(names) == 0 {
		return nil, 0, nil
	}
	var id int64
	var hash sql.RawBytes
	byHash := make(map[[sha256.Size]byte]int64, len(names))
	hashes := make([]any, len(names))
	for i := range names {
		hashes[i] = names[i].hash[:]
	}
	query := "SELECT id, hash FROM " + table.name + " WHERE hash {in}"
	err = t.with(ctx, query, "hash", hashes, []any{&id, &hash}, func() error {
		if len(hash) != sha256.Size {
			return errLost("a hash")
		}
		byHash[[sha256.Size]byte(hash)] = id
		return nil
	})
	if err != nil {
		return nil, 0, err
	}

	// The IDs of the others follow the IDs in the table, which nobody else changes meanwhile. So
	// they need not be read from the database, which took 2% of the CPU time of files with new
	// traces.
	last = math.MaxInt64
	if len(byHash) < len(names) {
		if err := t.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+table.name).Scan(&last); err != nil {
			return nil, 0, err
		}
		var values []any
		id = last
		for i := range names {
			name := &names[i]
			if _, ok := byHash[name.hash]; !ok {
				id++
				byHash[name.hash] = id
				t.countRows(table.name, 1)
				values = append(append(values, id, name.hash[:]), name.args...)
			}
		}
		if err := t.insert(ctx, table, values); err != nil {
			return nil, 0, err
		}
	}

	ids = make([]int64, len(names))
	for i := range names {
		ids[i] = byHash[names[i].hash]
	}
	return ids, last, nil
}

// A counted names rows whose number is in the database: the rows of a table, or the row groups of
// a block for a group of traces.
type counted struct {
	table        string
	block, group int64
}

// countedTables are the tables whose numbers of rows are in the database: see checkCount.
var countedTables = []string{"sources", "commits", "listed_commits", "traces", "params", "spellings", "settings"}

// countRows says that a table has more rows, or fewer.
func (t *transaction) countRows(table string, n int64) {
	if slices.Contains(countedTables, table) {
		t.countIn(counted{table: table}, n)
	}
}

func (t *transaction) countIn(what counted, n int64) {
	if t.counts == nil {
		t.counts = make(map[counted]int64)
	}
	t.counts[what] += n
}

// writeCounts changes the numbers of rows in the database. The numbers for row groups are rows of
// their table: see rowgroup.go.
func (t *transaction) writeCounts(ctx context.Context) error {
	var groups []any
	for _, what := range slices.SortedFunc(maps.Keys(t.counts), func(a, b counted) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.group, b.group), cmp.Compare(a.table, b.table))
	}) {
		n := t.counts[what]
		if what.table == "" {
			groups = append(groups, what.block, what.group, n)
			continue
		}
		changed, err := t.exec(ctx, "UPDATE counts SET value = value + $1 WHERE name = $2", n, what.table)
		if err == nil && changed == 0 {
			err = errLost("a count")
		}
		if err != nil {
			return err
		}
	}
	return t.with(ctx, groupCountsTable.insertion()+` ON CONFLICT (block, trace_group, commit_id, part, source_id)
		DO UPDATE SET traces = row_groups.traces + excluded.traces`, groupCountsTable.columns, groups, nil, nil)
}

// checkCount returns an error if a table does not have the number of rows that it should have. It
// is for questions that would not notice a row that is missing: the checksums of pages would tell
// so of a file of SQLite, but PostgreSQL may have none.
func checkCount(ctx context.Context, q querier, table string) error {
	var n, want int64
	err := q.QueryRowContext(ctx, "SELECT (SELECT COUNT(*) FROM "+table+"), value FROM counts WHERE name = $1", table).
		Scan(&n, &want)
	if err == sql.ErrNoRows {
		return errLost("the number of rows of " + table)
	}
	if err == nil && n != want {
		err = errLost("a row of " + table)
	}
	return err
}

// checkSourceCommits is checkCount for the table of the commits of files.
func checkSourceCommits(ctx context.Context, q querier) error {
	const query = "SELECT (SELECT COUNT(*) FROM source_commits) - (SELECT COALESCE(SUM(commits), 0) FROM sources)"
	return checkNumber(ctx, q, 0, "a commit of a file", query)
}

// checkNumber returns an error that something is lost if a query does not return the number.
func checkNumber(ctx context.Context, q querier, want int64, lost, query string, args ...any) error {
	var n int64
	err := q.QueryRowContext(ctx, query, args...).Scan(&n)
	if err == nil && n != want {
		err = errLost(lost)
	}
	return err
}
