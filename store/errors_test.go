package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
	"perfdata/traceid"
)

// Faults of the input can be told from faults of the database, on SQLite and PostgreSQL.
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
			return s.Upload(t.Context(), strings.NewReader(text), Upload{Name: "x/2026/01/02/03/a.json"}).Err
		}
	}
	upload := func(u Upload) func(*Store) error {
		return func(s *Store) error {
			return s.Upload(t.Context(), strings.NewReader(skia(at("c1"), "x=2")), u).Err
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
	setCommits := func(repository string, commits ...series.Commit) func(*Store) error {
		return func(s *Store) error {
			_, err := s.SetCommits(t.Context(), repository, commits)
			return err
		}
	}
	noTrial := Trial{Issue: "1\x00", Patchset: "\xff"}
	key := strings.Repeat("k", maxKey+1)
	const keyFile = `{"version":1,"git_hash":"c","results":[{"key":{%q:%q},"measurement":1}]}`

	tests := []struct {
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
			file(`{"version":1,"results":[{"key":{"a":"b","commit":"c\u0000"},"measurement":1}]}`),
			format.ErrSchema, `x/2026/01/02/03/a.json: offset 24: commit "c\x00"`,
		},
		{"long key", file(fmt.Sprintf(keyFile, key, "v")), format.ErrLimit, "offset 39: param key of 1025 bytes"},
		{
			"no commit", file(`{"version":1,"results":[{"key":{"a":"b"},"measurement":1}]}`), ErrNoCommit,
			"x/2026/01/02/03/a.json: offset 24: measurement without a commit",
		},
		{
			"commit of the options", upload(Upload{IngestOptions: withCommit("\x00")}), format.ErrSchema,
			`option: commit "\x00"`,
		},
		{"run", upload(Upload{IngestOptions: IngestOptions{Run: "\xff"}}), fs.ErrInvalid, `run "\xff" has invalid UTF-8`},
		{
			"long run", upload(Upload{IngestOptions: IngestOptions{Run: strings.Repeat("r", 1025)}}), fs.ErrInvalid,
			"run of 1025 bytes: want at most 1024",
		},
		{"replaces nothing", upload(Upload{Replaces: "a"}), fs.ErrNotExist, `"a" is not in the store, so it cannot be replaced`},
		{"replaces an invalid path", upload(Upload{Replaces: "a\x00"}), fs.ErrNotExist, "is not in the store"},
		{
			"replaces itself", upload(Upload{Name: "x/2026/01/02/03/a.json", Replaces: "x/2026/01/02/03/a.json"}), fs.ErrNotExist,
			"is not in the store",
		},
		{"first commit", query(Range{First: "c2"}), ErrUnknownCommit, `commit "c2" is not in the store`},
		{"last commit", query(Range{Last: "c\x00"}), ErrUnknownCommit, `commit "c\x00" is not in the store`},
		{"commit of another trial", query(Range{First: "c1", Trial: Trial{Issue: "1"}}), ErrUnknownCommit, `commit "c1"`},
		{"invalid trial", query(Range{Trial: noTrial}), nil, ""},
		{"params of an invalid trial", func(s *Store) error {
			set, err := s.ParamSet(t.Context(), noTrial)
			for key := range set.All() {
				t.Error("key", key)
			}
			return err
		}, nil, ""},
		{"links of an invalid trial", func(s *Store) error {
			_, err := s.Links(t.Context(), noTrial, ",a=b,\x00", Point{Commit: "\x00"})
			return err
		}, nil, ""},
		{"empty list", setCommits(""), format.ErrSchema, "list of commits: empty list"},
		{"list with a duplicate", setCommits("", listed("a b a")...), format.ErrDuplicate, `duplicate commit "a"`},
		{"list with a zero byte", setCommits("", series.Commit{Hash: "\x00"}), format.ErrSchema, `list of commits: commit "\x00"`},
		{"list with a hash of two words", setCommits("", series.Commit{Hash: "a b"}), format.ErrSchema, `hash "a b"`},
		{"list without a hash", setCommits("", series.Commit{}), format.ErrSchema, `hash ""`},
		{"list with a long hash", setCommits("", series.Commit{Hash: key}), format.ErrSchema, "want 1 to 1024 bytes"},
		{"list with an invalid parent", setCommits("", series.Commit{Hash: "a", Parents: []string{"\xff"}}), format.ErrSchema, "UTF-8"},
		{"list with an invalid author", setCommits("", series.Commit{Hash: "a", Author: "\xff"}), format.ErrSchema, "UTF-8"},
		{"list with an invalid subject", setCommits("", series.Commit{Hash: "a", Subject: "\x00"}), format.ErrSchema, "zero byte"},
		{"list of an invalid repository", setCommits("\xff", listed("a")...), format.ErrSchema, `repository "\xff"`},
		{"list of a long name", setCommits(key, listed("a")...), format.ErrLimit, "1025 bytes: want at most 1024"},
		{"forgetting the list of an invalid repository", func(s *Store) error {
			return s.DeleteCommits(t.Context(), "\x00")
		}, nil, ""},
		{"delete what does not exist", func(s *Store) error {
			for _, selection := range []Selection{
				{Paths: []string{"nothing\x00"}}, {Run: "\x00"}, {Commit: "\xff"}, {Trial: &noTrial}, {Paths: []string{}},
			} {
				if deleted, err := s.Delete(t.Context(), selection); err != nil || len(deleted.Files) > 0 {
					return fmt.Errorf("deleted %v: %w", deleted, err)
				}
			}
			return nil
		}, nil, ""},
		{"delete everything", func(s *Store) error {
			_, err := s.Delete(t.Context(), Selection{})
			return err
		}, fs.ErrInvalid, "the selection is empty"},
		{"delete all traces", func(s *Store) error {
			_, err := s.Delete(t.Context(), Selection{Query: new(traceid.Query), Commit: "c1"})
			return err
		}, fs.ErrInvalid, "the selection is empty"},
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{"a/2026/01/02/03/a.json": skia(at("c1"), "x=1")})
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				err := test.try(s)
				if !errors.Is(err, test.cause) || err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("error %v, want %v with %q", err, test.cause, test.message)
				}
				check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
			})
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
