package store

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// The disk is full when the transaction is committed, and not before.
func TestFullDiskAtCommit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "perf.db")
	s := open(t, name)
	first := tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")}
	second := tree{"b/d/2026/01/02/04/a.json": large("c2", "y")}
	putAll(t, s, first)
	log, err := os.Stat(name + "-wal")
	if err != nil {
		t.Fatal(err)
	}

	// The process cannot write files that are longer. The system also sends a signal then.
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := syscall.Rlimit{Cur: uint64(log.Size()) + 50_000, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	failsThenSucceeds(t, s, second, "disk", restore)
	sameAsNew(t, s, first, second)
}
