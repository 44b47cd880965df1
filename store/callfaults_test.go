package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"perfdata/ingest"
	"perfdata/internal/testing/faulty"
	"perfdata/series"
	"perfdata/traceid"
)

// An operation is a step of a test with a Store. It returns its findings.
type operation struct {
	name string
	do   func(ctx context.Context, s *Store) (string, error)
}

// The file that is stored before an operation, and the one that some operations store.
const (
	oldPath = "a/2026/01/02/03/old.json"
	newPath = "a/2026/01/02/04/new.json"
)

func operations(t *testing.T) []operation {
	header := at("c2") + `,"issue":"7","links":{"log":"https://example.com/1"}`
	newFile := tree{newPath: skia(header, "x=2", "y y=3", "y z=4")}
	query, err := traceid.ParseQuery("test=x")
	if err != nil {
		t.Fatal(err)
	}
	return []operation{
		{"open", func(context.Context, *Store) (string, error) { return "", nil }},
		{"store a file", func(ctx context.Context, s *Store) (string, error) {
			var failure error
			files := ingest.Walk(newFile.fs(), ".", ingest.WalkOptions{})
			_, err := ingest.Run(ctx, files, s, ingest.RunOptions{Report: func(r ingest.Report) { failure = r.Err }})
			return "", errors.Join(err, failure)
		}},
		{"note a failure", func(ctx context.Context, s *Store) (string, error) {
			return "", s.Note(ctx, ingest.Report{File: ingest.File{Path: newPath}, Err: errors.New("broken")})
		}},
		{"delete a file", deleteOp(Selection{Paths: []string{oldPath}})},
		{"delete measurements", deleteOp(Selection{Query: query})},
		{"order commits", func(ctx context.Context, s *Store) (string, error) {
			_, err := s.SetCommits(ctx, "", []series.Commit{{Hash: "c2"}, {Hash: "c1", Time: time.Unix(1, 0)}})
			return "", err
		}},
		{"forget the list of commits", func(ctx context.Context, s *Store) (string, error) {
			return "", s.DeleteCommits(ctx, "old")
		}},
		{"read", readAll},
	}
}

// deleteOp deletes a Selection, and returns what was deleted.
func deleteOp(selection Selection) func(ctx context.Context, s *Store) (string, error) {
	return func(ctx context.Context, s *Store) (string, error) {
		deleted, err := s.Delete(ctx, selection)
		return fmt.Sprint(deleted), err
	}
}

// readAll returns the whole contents of a store.
func readAll(ctx context.Context, s *Store) (string, error) {
	var b strings.Builder
	q, err := traceid.ParseQuery("test=~.")
	if err != nil {
		return "", err
	}
	for series, err := range s.Query(ctx, q, Range{}) {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, series)
	}
	for one, err := range s.Measurements(ctx, q, Range{}) {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, one)
	}
	for source, err := range s.Sources(ctx) {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, source)
	}

	set, err1 := s.ParamSet(ctx, Trial{})
	commits, order, err2 := s.Commits(ctx, Trial{})
	links, err3 := s.Links(ctx, Trial{}, ",test=x,", Point{Commit: "c1", N: 1})
	for key := range set.All() {
		fmt.Fprintln(&b, key)
	}
	fmt.Fprintln(&b, commits, order, links)
	return b.String(), errors.Join(err1, err2, err3, s.Dump(ctx, &b))
}

// Whatever call of the database fails, an operation returns the error, changes nothing, and succeeds
// when it is tried again with the same Store, and with another.
func TestEachCallFails(t *testing.T) {
	total := 0
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		d := &watchedDatabase{name: name, plain: open(t, name)}
		_, isPostgres := d.plain.db.(*postgresDB)
		for _, how := range []breaking{refused, unheard, dead} {
			for _, op := range operations(t) {
				// A file of SQLite has no connection. Most operations have the same code for both.
				if isPostgres && (how == unheard || how == refused && op.name != "store a file") || !isPostgres && how == dead {
					continue
				}
				t.Run(fmt.Sprint(op.name, ", ", how), func(t *testing.T) { total += d.check(t, op, how) })
			}
		}
	})
	t.Logf("%d calls failed", total)
}

// A watchedDatabase is a database that is also open as a Store without faults.
type watchedDatabase struct {
	name   string
	plain  *Store
	before string // its state before each operation
}

func (d *watchedDatabase) check(t *testing.T, op operation, how breaking) (faults int) {
	forgiven := []string{"rollback"} // of a transaction that only reads
	switch how {
	case unheard:
		forgiven = append(forgiven, "commit") // which succeeds then
	case dead:
		forgiven = append(forgiven, "next") // of rows that have arrived
	}
	return faulty.Check(t, faulty.Subject{
		Forgiven: forgiven, TriesAgain: true, Reset: func() { d.reset(t) },
		IsFault: func(err error) bool {
			return errors.Is(err, faulty.Err) || how == dead || errors.Is(err, net.ErrClosed)
		},
		Try: func(script *faulty.Script) (text string, err error) {
			active := script
			if op.name != "open" { // which fails in a test of its own
				active = new(faulty.Script)
			}
			s, err := openBy(t.Context(), d.name, Options{}, faultyOpener(&active, how))
			if err == nil {
				defer s.Close()
				active = script
				if text, err = op.do(t.Context(), s); err == nil {
					return text, nil
				}
			}

			check(t, "state after the failure", d.before, d.state(t))
			if s != nil {
				if _, err := op.do(t.Context(), s); err != nil {
					t.Errorf("again with the same Store: %v", err)
				}
			}
			return text, err
		},
	})
}

// state returns the contents of the database, and the number of traces, with and without values.
// On PostgreSQL, traces are added before their values.
func (d *watchedDatabase) state(t *testing.T) string {
	t.Helper()
	if _, ok := d.plain.db.(*postgresDB); ok {
		return dump(t, d.plain)
	}
	traces := 0
	err := d.plain.view(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM traces").Scan(&traces)
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s%d traces", dump(t, d.plain), traces)
}

// reset makes the state before each operation.
func (d *watchedDatabase) reset(t *testing.T) {
	t.Helper()
	if d.before != "" && d.state(t) == d.before {
		return
	}
	err := d.plain.write(t.Context(), func(tx *transaction) error {
		for _, table := range []string{
			"sources", "commits", "source_commits", "listed_commits", "traces", "spellings", "params", "postings",
			"row_groups", "annotations",
		} {
			if _, err := tx.exec(t.Context(), "DELETE FROM "+table); err != nil {
				return err
			}
		}
		_, err := tx.exec(t.Context(), "UPDATE counts SET value = 0 WHERE name <> 'settings'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d.plain.names.values = nil
	putAll(t, d.plain, tree{oldPath: skia(at("c1")+`,"links":{"log":"https://example.com/0"}`, "x=1", "y y=2")})
	if _, err := d.plain.SetCommits(t.Context(), "old", []series.Commit{{Hash: "c0"}, {Hash: "c1"}}); err != nil {
		t.Fatal(err)
	}
	d.before = d.state(t)
}

// A database that Open cannot make, or migrate, can be made by the next Open.
func TestOpenFails(t *testing.T) {
	total := 0
	onEach(t, func(t *testing.T, newDatabase func() string) {
		newDatabase() // it starts the server of all tests, outside of the temporary folder of this one
		total += faulty.Check(t, faulty.Subject{Try: func(script *faulty.Script) (string, error) {
			name := newDatabase()
			s, err := openBy(t.Context(), name, Options{}, faultyOpener(&script, refused))
			if err == nil {
				s.Close()
			}
			plain := open(t, name)
			putAll(t, plain, tree{oldPath: skia(at("c1"), "x=1")})
			plain.Close()
			return "", err
		}})
	})
	t.Logf("%d calls failed", total)
}
