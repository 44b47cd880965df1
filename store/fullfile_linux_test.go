package store

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// With this environment variable, TestFullDiskAtCommit has the process for itself.
const fullDiskProcess = "PERFDATA_STORE_FULL_DISK"

// The disk is full when the transaction is committed, and not before. The test runs in a process of
// its own, because the limit applies to all files of a process, and the process that runs the tests
// may write its log at any time.
func TestFullDiskAtCommit(t *testing.T) {
	if os.Getenv(fullDiskProcess) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskAtCommit$", "-test.v")
		cmd.Env = append(os.Environ(), fullDiskProcess+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestFullDiskAtCommit") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}

	name := filepath.Join(t.TempDir(), "perf.db")
	s := open(t, name)
	first := tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")}
	second := tree{"b/d/2026/01/02/04/a.json": large("c2", "y")}
	putAll(t, s, first)
	log, err := os.Stat(name + "-wal")
	if err != nil {
		t.Fatal(err)
	}

	// The system also sends a signal for a file that is too long.
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := syscall.Rlimit{Cur: uint64(log.Size()) + 50_000, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	failsThenSucceeds(t, s, second, "disk", func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	})
	sameAsNew(t, s, first, second)
}
