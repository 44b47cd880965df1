package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A disk that is full is not ready, whatever room the write-ahead log has.
func TestProbeDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("a disk of its own needs root:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	s := open(t, filepath.Join(dir, "perf.db"))
	t.Cleanup(func() { s.Close() })
	if err := s.Probe(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}

	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = rest.Write(make([]byte, 4096))
	}
	rest.Close()
	if err := s.Probe(t.Context(), time.Minute); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a full disk: %v", err)
	}
	if err := os.Remove(rest.Name()); err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(t.Context(), time.Minute); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
