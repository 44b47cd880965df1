package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/ingest"
)

// What is at fault in the input can be told from faults of the database, on both of them.
func TestInputErrors(t *testing.T) {
	begin := func(path string, h format.Header) func(*Store) error {
		return func(s *Store) error {
			b, err := s.Begin(t.Context(), ingest.Source{File: ingest.File{Path: path}, Format: "skiav1", Header: h})
			if err == nil {
				err = b.Rollback()
			}
			return err
		}
	}
	file := func(text string) func(*Store) error {
		return func(s *Store) error {
			return s.Upload(t.Context(), "x/2026/01/02/03/a.json", strings.NewReader(text), ingest.RunOptions{}).Err
		}
	}
	query := func(r Range) func(*Store) error {
		return func(s *Store) error {
			for _, err := range s.Query(t.Context(), nil, r) {
				return err
			}
			return nil
		}
	}
	setCommits := func(names ...string) func(*Store) error {
		return func(s *Store) error { return s.SetCommits(t.Context(), names) }
	}
	noTrial := Trial{Issue: "1\x00", Patchset: "\xff"}
	key := strings.Repeat("k", maxKey+1)
	const keyFile = `{"version":1,"git_hash":"c","results":[{"key":{%q:%q},"measurement":1}]}`

	for _, test := range []struct {
		name    string
		try     func(*Store) error
		cause   error
		message string
	}{
		{"no path", begin("", format.Header{}), fs.ErrInvalid, "has no path"},
		{"long path", begin(strings.Repeat("a", 1025), format.Header{}), fs.ErrInvalid, "1025 bytes: want at most 1024"},
		{"invalid path", begin("a\xff", format.Header{}), fs.ErrInvalid, `path "a\xff" has invalid UTF-8`},
		{"commit of the header", begin("a", format.Header{Commit: "c\x00"}), format.ErrSchema, `header: commit "c\x00"`},
		{"issue", begin("a", format.Header{Issue: "1\xff"}), format.ErrSchema, `header: issue "1\xff"`},
		{"patchset", begin("a", format.Header{Patchset: "1\x00"}), format.ErrSchema, `header: patchset "1\x00"`},
		{
			"commit of a record",
			file(`{"version":1,"git_hash":"c","results":[{"key":{"a":"b","commit":"c\u0000"},"measurement":1}]}`),
			format.ErrSchema, `x/2026/01/02/03/a.json: offset 39: commit "c\x00"`,
		},
		{"long key", file(fmt.Sprintf(keyFile, key, "v")), format.ErrLimit, "offset 39: param key of 1025 bytes"},
		{"first commit", query(Range{First: "c2"}), ErrUnknownCommit, `commit "c2" is not in the store`},
		{"last commit", query(Range{Last: "c\x00"}), ErrUnknownCommit, `commit "c\x00" is not in the store`},
		{"commit of another trial", query(Range{First: "c1", Trial: Trial{Issue: "1"}}), ErrUnknownCommit, `commit "c1"`},
		{"invalid trial", query(Range{Trial: noTrial}), nil, ""},
		{"params of an invalid trial", func(s *Store) error {
			set, err := s.ParamSet(t.Context(), noTrial)
			check(t, "keys", 0, len(set.Keys()))
			return err
		}, nil, ""},
		{"links of an invalid trial", func(s *Store) error {
			_, err := s.Links(t.Context(), noTrial, ",a=b,\x00", Point{Commit: "\x00"})
			return err
		}, nil, ""},
		{"order with a duplicate", setCommits("a", "b", "a"), format.ErrDuplicate, `order of commits: duplicate commit "a"`},
		{"order with an invalid commit", setCommits("a", "\x00"), format.ErrSchema, `order of commits: commit "\x00"`},
		{
			"delete", func(s *Store) error { return s.Delete(t.Context(), "nothing\x00") },
			fs.ErrNotExist, `deleting "nothing\x00"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				s := open(t, newDatabase())
				putAll(t, s, tree{"a/2026/01/02/03/a.json": skia(at("c1"), "x=1")})
				err := test.try(s)
				if !errors.Is(err, test.cause) || err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("error %v, want %v with %q", err, test.cause, test.message)
				}
				check(t, "series", []string{",test=x, c1=1"}, series(t, s, "", Range{}))
			})
		})
	}
}

func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		steps := schema
		defer func() { schema = steps }()
		name := newDatabase()
		schema = steps[:1]
		s := open(t, name)
		putAll(t, s, tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")})
		before := dump(t, s)
		s.Close()

		schema = steps
		s = open(t, name)
		check(t, "dump", before, dump(t, s))
		var trace string
		err := s.view(t.Context(), func(tx *sql.Tx) error {
			return tx.QueryRowContext(t.Context(), "SELECT trace FROM all_measurements").Scan(&trace)
		})
		if err != nil || trace != ",test=x," {
			t.Errorf("trace %q, %v", trace, err)
		}
		s.Close()

		schema = steps[:1]
		_, err = Open(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), "its schema has version 2: want at most 1") {
			t.Errorf("error %v", err)
		}
	})
}

func TestOpenErrors(t *testing.T) {
	for _, name := range []string{"", ":memory:", filepath.Join(t.TempDir(), "missing", "perf.db"), "postgres://%zz"} {
		t.Run(name, func(t *testing.T) {
			if s, err := Open(t.Context(), name); err == nil {
				s.Close()
				t.Error("no error")
			} else {
				t.Log(err)
			}
		})
	}
}
