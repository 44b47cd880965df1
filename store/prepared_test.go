package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
)

// openConn returns a connection to a file without tables, and what it keeps.
func openConn(t *testing.T) (*sql.Conn, map[string]*sqliteStmt) {
	t.Helper()
	db := sql.OpenDB(sqliteConnector("file://" + t.TempDir() + "/a.db"))
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var kept map[string]*sqliteStmt
	if err := conn.Raw(func(c any) error { kept = c.(*sqliteConn).kept; return nil }); err != nil {
		t.Fatal(err)
	}
	return conn, kept
}

// execAll executes statements, of which none may fail.
func execAll(t *testing.T, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// A statement is prepared once, and has no arguments of an earlier use.
func TestPreparedOnce(t *testing.T) {
	conn, kept := openConn(t)
	execAll(t, conn, "CREATE TABLE t (n INTEGER)")
	const insert = "INSERT INTO t VALUES ($1)"
	var first *sqliteStmt
	for i := range 3 {
		if _, err := conn.ExecContext(t.Context(), insert, i); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = kept[insert]
		}
		if first == nil || kept[insert] != first {
			t.Errorf("use %d: the statement was not kept, or prepared again", i)
		}
	}
	if _, err := conn.ExecContext(t.Context(), insert); err == nil {
		t.Error("a missing argument is that of an earlier use")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conn.ExecContext(canceled, insert, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	var sum int
	if err := conn.QueryRowContext(t.Context(), "SELECT SUM(n) FROM t").Scan(&sum); err != nil || sum != 3 {
		t.Errorf("sum %d, %v, want 3", sum, err)
	}
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO u VALUES (1)"); err == nil || len(kept) != 3 {
		t.Errorf("a statement that cannot be prepared: %v, and %d are kept", err, len(kept))
	}
}

// A query that is asked again while its rows are read has rows of its own.
func TestPreparedTwice(t *testing.T) {
	conn, kept := openConn(t)
	const query = "SELECT value FROM json_each($1)"
	read := func(list string, do func(n int)) {
		rows, err := conn.QueryContext(t.Context(), query, list)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := readRows(rows, []any{&n}, func() error { do(n); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var got []int
		read("[1, 2]", func(n int) {
			read("[3, 4]", func(m int) { got = append(got, n, m) })
		})
		check(t, "rows", []int{1, 3, 1, 4, 2, 3, 2, 4}, got)
		check(t, "statements that are kept", 1, len(kept))
	}
}

// A PRAGMA takes effect each time, and the number of statements that are kept is bounded.
func TestPreparedBounds(t *testing.T) {
	conn, kept := openConn(t)
	execAll(t, conn, "PRAGMA cache_size(10)", "PRAGMA cache_size(20)", "PRAGMA cache_size(10)")
	var size int
	if err := conn.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&size); err != nil || size != 10 || len(kept) > 0 {
		t.Errorf("cache_size %d, %v, want 10; %d statements are kept, want none", size, err, len(kept))
	}
	for i := range maxKept + 2 {
		execAll(t, conn, fmt.Sprint("SELECT ", i))
	}
	check(t, "statements that are kept", maxKept, len(kept))
	execAll(t, conn, "SELECT 0", fmt.Sprint("SELECT ", maxKept+1))
	check(t, "statements that are kept", maxKept, len(kept))
}
