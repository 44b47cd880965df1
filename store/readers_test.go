package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readerPool returns the connections of a store that read.
func readerPool(s *Store) *sql.DB {
	switch db := s.db.(type) {
	case *sqliteDB:
		return db.readers
	case *postgresDB:
		return db.readers
	}
	return nil
}

func openReaders(t *testing.T, name string, readers int) *Store {
	t.Helper()
	s, err := OpenWith(t.Context(), name, Options{Readers: readers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A query that waits for a connection ends with its context. Meanwhile, files are stored.
func TestReadersWait(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := openReaders(t, newDatabase(), 1)
		putAll(t, s, tree{"a.json": skia(at("c1"), "x=1", "y=2")})
		next, stop := iter.Pull2(s.Query(t.Context(), nil, Range{}))
		defer stop()
		if one, err, ok := next(); !ok || err != nil {
			t.Fatal(one, err)
		}

		cause := errors.New("the client is gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		waited := make(chan error)
		go func() {
			_, err := s.ParamSet(ctx, Trial{})
			waited <- err
		}()
		for readerPool(s).Stats().WaitCount == 0 {
		}
		for i := range 10 {
			putAll(t, s, tree{fmt.Sprintf("b%d.json", i): skia(at("c2"), "x=1")})
		}
		cancel(cause)
		if err := <-waited; !errors.Is(err, cause) {
			t.Errorf("the query that waited: %v, want %v", err, cause)
		}

		// When the first query ends, others can begin.
		stop()
		if _, err := s.ParamSet(t.Context(), Trial{}); err != nil {
			t.Error(err)
		}
	})
}

// More queries than connections take turns.
func TestReadersTakeTurns(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		for _, readers := range []int{0, 2} {
			s := openReaders(t, newDatabase(), readers)
			putAll(t, s, tree{"a.json": skia(at("c1"), "x=1", "y=2")})
			var running sync.WaitGroup
			for range 20 {
				running.Go(func() {
					for _, err := range s.Query(t.Context(), nil, Range{}) {
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()

			want := readers
			if want == 0 {
				want = 8
			}
			if stats := readerPool(s).Stats(); stats.MaxOpenConnections != want || stats.OpenConnections > want {
				t.Errorf("%d connections of %d, want %d", stats.OpenConnections, stats.MaxOpenConnections, want)
			}
		}
	})
}

// The pages of the file that a reader keeps in memory are bounded.
func TestReaderCache(t *testing.T) {
	s := openReaders(t, t.TempDir()+"/perf.db", 0)
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		var size int
		err := tx.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&size)
		if size != -8<<10 {
			t.Errorf("cache_size %d, want %d KiB", size, -8<<10)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// So are those of the connection that writes, also after a Vacuum, which takes less.
func TestWriterCache(t *testing.T) {
	s := open(t, t.TempDir()+"/perf.db")
	for _, when := range []string{"opened", "vacuumed"} {
		var size int
		err := s.db.(*sqliteDB).conn.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&size)
		if want := -64 << 10; err != nil || size != want {
			t.Errorf("%s: cache_size %d, %v, want %d KiB", when, size, err, want)
		}
		vacuum(t, s)
	}
}

func TestReadersInvalid(t *testing.T) {
	s, err := OpenWith(t.Context(), t.TempDir()+"/perf.db", Options{Readers: -1})
	if want := "store: -1 readers: want at least 1"; s != nil || err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Params has the params of ParamSet, in its order.
func TestParams(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{
			"a.json": skia(at("c1")+`,"key":{"os":"linux","a.b":"1"}`, "x=1", "y=2", "Z=3", "_=4"),
			"b.json": skia(at("c2")+`,"key":{"arch":"x86"}`, "x=1"),
			"c.json": skia(`"git_hash":"c3","issue":"1","patchset":"2","key":{"trial":"yes"}`, "x=1"),
		})
		var got []string
		for p, err := range s.Params(t.Context(), Trial{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p.Key+"="+p.Value)
		}
		want := []string{"a.b=1", "arch=x86", "os=linux", "test=Z", "test=_", "test=x", "test=y"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		set, err := s.ParamSet(t.Context(), Trial{})
		got = nil
		for key, values := range set.All() {
			for _, value := range values {
				got = append(got, key+"="+value)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("ParamSet: %v (-want +got):\n%s", err, diff)
		}
		for p, err := range s.Params(t.Context(), Trial{Issue: "1", Patchset: "3"}) {
			t.Errorf("another trial: %v, %v", p, err)
		}
	})
}
