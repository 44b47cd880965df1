package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/ingest"
)

// large returns a file of many traces. Their names begin with the prefix.
func large(commit, prefix string) string {
	results := make([]string, 5000)
	for i := range results {
		results[i] = prefix + strings.Repeat("x", i%100) + string(rune('a'+i%26)) + "=" + "1.5"
	}
	return skia(at(commit), results...)
}

// stages are the steps of a test of a fault: the file fails, and is then stored.
func failsThenSucceeds(t *testing.T, s *Store, files tree, wantErr string, repair func()) {
	t.Helper()
	before := found(t, s, "", Range{})
	failed := make(map[string]string)
	report := func(r ingest.Report) {
		if r.Err != nil {
			failed[r.File.Path] = r.Err.Error()
		}
	}
	walk := func() func(func(ingest.File, error) bool) {
		return ingest.Walk(files.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath})
	}
	// An error of Ingest says that the database could not record the failure.
	_, err := s.Ingest(t.Context(), walk(), IngestOptions{RunOptions: ingest.RunOptions{Report: report}})
	t.Log(err)
	for path := range files {
		if !strings.Contains(failed[path], wantErr) {
			t.Errorf("%s: error %q, want %q", path, failed[path], wantErr)
		}
	}

	repair()
	check(t, "series after the failure", before, found(t, s, "", Range{}))
	for src, err := range s.Sources(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := files[src.Path]; ok && src.SHA256 != nil {
			t.Errorf("%s is stored", src.Path)
		}
	}
	putAll(t, s, files)
}

// sameAsNew checks that a store has the same contents as a new one with the files.
func sameAsNew(t *testing.T, s *Store, files ...tree) {
	t.Helper()
	fresh := open(t, filepath.Join(t.TempDir(), "fresh.db"))
	for _, f := range files {
		putAll(t, fresh, f)
	}
	if checksum(t, fresh) != checksum(t, s) {
		check(t, "dump", dump(t, fresh), dump(t, s))
	}
}

func TestFullDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	first := tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")}
	second := tree{"b/d/2026/01/02/04/a.json": large("c2", "y")}
	putAll(t, s, first)
	conn := s.db.(*sqliteDB).conn
	pragma := func(text string) {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	pragma("PRAGMA max_page_count = 60")
	failsThenSucceeds(t, s, second, "database or disk is full", func() { pragma("PRAGMA max_page_count = 1000000") })
	sameAsNew(t, s, first, second)
}

// A commit that fails in the middle stores nothing, and forgets the IDs that it added.
func TestCommitFails(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		rename := func(from, to string) {
			err := s.write(t.Context(), func(tx *transaction) error {
				_, err := tx.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		first := tree{"b/d/2026/01/02/03/a.json": large("c1", "a")}
		second := tree{"b/d/2026/01/02/04/b.json": large("c2", "b")}
		rename("source_commits", "hidden") // the last table that is written
		repair := func() {
			rename("hidden", "source_commits")
			putAll(t, s, second) // its traces get the numbers that the others had
		}
		before := func() { check(t, "cached traces", 0, len(s.names.values)) }
		failed := put(t, s, first, ingest.RunOptions{})
		if err := failed["b/d/2026/01/02/03/a.json"]; !strings.Contains(err, "source_commits") {
			t.Errorf("error %q", err)
		}
		before()
		repair()
		putAll(t, s, first)
		sameAsNew(t, s, first, second)
	})
}

// A changing is a file to which something is appended while it is read.
type changing struct {
	*os.File
	once bool
}

func (f *changing) Read(p []byte) (int, error) {
	if !f.once {
		f.once = true
		out, err := os.OpenFile(f.Name(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return 0, err
		}
		defer out.Close()
		if _, err := io.WriteString(out, " "); err != nil {
			return 0, err
		}
	}
	return f.File.Read(p)
}

func TestFileChanges(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "perf.db"))
	name := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(name, []byte(skia(at("c1"), "x=1")), 0o666); err != nil {
		t.Fatal(err)
	}
	file := ingest.File{Path: "run.json", Open: func(context.Context) (io.ReadCloser, error) {
		f, err := os.Open(name)
		return &changing{File: f}, err
	}}
	var last error
	store := func() {
		files := func(yield func(ingest.File, error) bool) { yield(file, nil) }
		report := func(r ingest.Report) { last = r.Err }
		if _, err := s.Ingest(t.Context(), files, IngestOptions{RunOptions: ingest.RunOptions{Report: report}}); err != nil {
			t.Fatal(err)
		}
	}

	store()
	if !errors.Is(last, format.ErrChanged) {
		t.Errorf("error %v", last)
	}
	check(t, "series", []string(nil), found(t, s, "", Range{}))
	for src := range s.Sources(t.Context()) {
		if src.SHA256 != nil || !strings.Contains(src.Err, "changed while it was read") {
			t.Errorf("source %+v", src)
		}
	}

	file.Open = func(context.Context) (io.ReadCloser, error) { return os.Open(name) }
	store()
	if last != nil {
		t.Error(last)
	}
	check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
}

func TestDatabaseGoesAway(t *testing.T) {
	first := tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")}
	second := tree{"b/d/2026/01/02/04/a.json": large("c2", "y")}
	t.Run("SQLite", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		s := open(t, filepath.Join(dir, "perf.db"))
		putAll(t, s, first)
		if err := os.Rename(dir, dir+"2"); err != nil {
			t.Skip(err) // on Windows, files that are open keep their names
		}
		failed := put2(t, s, second)
		if !strings.Contains(failed, "no such file") {
			t.Errorf("error %q", failed)
		}

		// Another database in its place is not taken for it.
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		open(t, filepath.Join(dir, "perf.db")).Close()
		if failed := put2(t, s, second); !strings.Contains(failed, "the file was replaced after it was opened") {
			t.Errorf("error %q", failed)
		}
		if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+"2", dir)); err != nil {
			t.Fatal(err)
		}
		check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
		putAll(t, s, second)
		sameAsNew(t, s, first, second)
	})

	t.Run("PostgreSQL", func(t *testing.T) {
		leaveOut(t)
		server := startPostgres(t)
		s := open(t, server.newDatabase(t))
		putAll(t, s, first)

		// The server stops while a file is being read.
		stops := func(f ingest.File) ingest.File {
			open := f.Open
			f.Open = func(ctx context.Context) (io.ReadCloser, error) {
				if err := server.stop(); err != nil {
					t.Error(err)
				}
				return open(ctx)
			}
			return f
		}
		files := func(yield func(ingest.File, error) bool) {
			for f, err := range ingest.Walk(second.fs(), ".", ingest.WalkOptions{}) {
				yield(stops(f), err)
			}
		}
		var failed error
		_, err := s.Ingest(t.Context(), files, IngestOptions{RunOptions: ingest.RunOptions{Report: func(r ingest.Report) { failed = r.Err }}})
		if !errors.Is(err, ErrUnavailable) || !errors.Is(failed, ErrUnavailable) {
			t.Errorf("errors %v, %v, want ErrUnavailable", err, failed)
		}

		server.start(t)
		check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
		putAll(t, s, second)
		sameAsNew(t, s, first, second)
	})
}

// put2 stores a file while the database is away, and returns its error.
func put2(t *testing.T, s *Store, files tree) string {
	t.Helper()
	var failed error
	walk := ingest.Walk(files.fs(), ".", ingest.WalkOptions{})
	_, err := s.Ingest(t.Context(), walk, IngestOptions{RunOptions: ingest.RunOptions{Report: func(r ingest.Report) { failed = r.Err }}})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(failed, ErrUnavailable) {
		t.Fatalf("errors %v, %v, want ErrUnavailable", err, failed)
	}
	return failed.Error()
}
