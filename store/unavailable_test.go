package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/traceid"
)

func TestIsUnavailable(t *testing.T) {
	code := func(code string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: code}) }
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"too many connections", code("53300"), true},
		{"the server ends", code("57P01"), true},
		{"a deadlock, each time", code("40P01"), true},
		{"a standby", code("25006"), true},
		{"a constraint", code("23505"), false},
		{"an error in SQL", code("42601"), false},
		{"a code of another server", code(""), false},
		{"no connection", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{"the connection ends", io.ErrUnexpectedEOF, true},
		{"a temporary file", &os.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}, false},
		{"a file", &inputError{"the file has no path", format.ErrSchema}, false},
		{"the row is not there", sql.ErrNoRows, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := isUnavailable(test.err); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestIsDamaged(t *testing.T) {
	for code, want := range map[string]bool{"XX000": false, "XX001": true, "XX002": true, "40001": false} {
		if got := isDamaged(fmt.Errorf("query: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
}

// What a file does while another connection writes is done again, until the context ends.
func TestWaitWhileBusy(t *testing.T) {
	s := open(t, t.TempDir()+"/perf.db")
	err := s.write(t.Context(), func(*transaction) error {
		uri := strings.Replace(sqliteURI(s.db.name(), 1<<20), "busy_timeout(1000)", "busy_timeout(0)", 1)
		c, err := sqliteConnector(uri).Connect(t.Context())
		if err != nil {
			return err
		}
		defer c.Close()
		_, busy := c.(*sqliteConn).driverConn.(driver.ExecerContext).ExecContext(t.Context(), "BEGIN IMMEDIATE", nil)
		if !isUnavailable(busy) {
			return fmt.Errorf("busy: %w", busy)
		}

		ended, cancel := context.WithCancel(t.Context())
		defer cancel()
		for _, test := range []struct {
			ctx   context.Context
			errs  []error
			calls int
		}{
			{t.Context(), []error{busy, nil}, 2},
			{t.Context(), []error{busy, io.EOF}, 2},
			{ended, []error{busy, context.Canceled}, 1},
		} {
			calls := 0
			err := waitWhileBusy(test.ctx, func() error {
				if calls++; test.ctx == ended {
					cancel()
				}
				return test.errs[calls-1]
			})
			if calls != test.calls || !errors.Is(err, test.errs[1]) {
				t.Errorf("%v after %d calls, want %v after %d", err, calls, test.errs[1], test.calls)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The causes of errors of a database that is away, is locked, and of a fault in it.
func TestUnavailable(t *testing.T) {
	name := t.TempDir() + "/perf.db"
	s := open(t, name)
	if err := os.Rename(name, name+".away"); err != nil {
		t.Skip("an open file cannot be renamed here:", err)
	}
	if _, err := s.ParamSet(t.Context(), Trial{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("away: %v", err)
	}
	if _, err := s.Delete(t.Context(), Selection{Paths: []string{"a.json"}}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("away: %v", err)
	}
	if err := os.Rename(name+".away", name); err != nil {
		t.Fatal(err)
	}

	if _, err := s.db.(*sqliteDB).conn.ExecContext(t.Context(), "DROP TABLE params"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ParamSet(t.Context(), Trial{}); err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("without a table: %v", err)
	}
	q, err := traceid.ParseQuery("a=b")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Query(t.Context(), q, Range{First: "nosuch"}) {
		if errors.Is(err, ErrUnavailable) || !errors.Is(err, ErrUnknownCommit) {
			t.Errorf("an unknown commit: %v", err)
		}
	}
}

// What the store notes of an error that is not about the file names nothing of the machine.
func TestNoted(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"the file", fmt.Errorf("a.json:1:2: %w", format.ErrSyntax), "a.json:1:2: invalid syntax"},
		{"reading the file", &os.PathError{Op: "open", Path: "a.json", Err: syscall.EACCES}, "open a.json: permission denied"},
		{"the database is away", fmt.Errorf("%w: user=u", ErrUnavailable), "the database is not available"},
		{"the database fails", fmt.Errorf("x: %w", &pgconn.PgError{Message: "relation m"}), "the database failed"},
		{"a temporary file", fmt.Errorf("a.json: %w", &os.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}),
			"a file of this machine: write: no space left on device"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, t.TempDir()+"/perf.db")
			report := ingest.Report{File: ingest.File{Path: "a.json"}, Err: test.err}
			if err := s.Note(t.Context(), report); err != nil {
				t.Fatal(err)
			}
			for src, err := range s.Sources(t.Context()) {
				if src.Err != test.want || err != nil {
					t.Errorf("%q, %v, want %q", src.Err, err, test.want)
				}
			}
		})
	}
}
