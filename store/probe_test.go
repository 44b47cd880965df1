package store

import (
	"errors"
	"testing"
	"time"
)

// A database that others write to is ready.
func TestProbe(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		for range 2 {
			if err := s.Probe(t.Context(), time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		before := dump(t, s)
		writing, err := s.db.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Probe(t.Context(), time.Millisecond); err != nil {
			t.Errorf("while another transaction writes: %v", err)
		}
		writing.end(writing.Rollback())
		if after := dump(t, s); after != before {
			t.Errorf("the dump changed from %q to %q", before, after)
		}
		if db, ok := s.db.(*sqliteDB); ok {
			if _, err := db.conn.ExecContext(t.Context(), "PRAGMA query_only(1)"); err != nil {
				t.Fatal(err)
			}
			if err := s.Probe(t.Context(), time.Minute); !errors.Is(err, ErrUnavailable) {
				t.Errorf("a read-only database: %v", err)
			}
		}
		s.Close()
		if err := s.Probe(t.Context(), time.Minute); err == nil {
			t.Error("a closed Store: no error")
		}
	})
}
