package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A database that a process must not write to answers, and refuses to store. If its log has changes, it says so
// instead of an older answer.
func TestReadOnly(t *testing.T) {
	top, err := os.MkdirTemp("", "perfdata-readonly-")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "folder")
	t.Cleanup(func() {
		if err := errors.Join(os.Chmod(dir, 0o755), os.RemoveAll(top)); err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(os.Chmod(top, 0o755), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "perf.db")
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	putAll(t, s, tree{"2026/01/02/05/a.json": skia(at("aaaa1"), "x=1"), "2026/01/02/06/a.json": skia(at("bbbb1"), "x=1")})
	want := strings.Join(answersOf(t.Context(), s), "\n")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// The super-user may write everywhere, so the child is another user, with a folder for what it covers.
	program, covered := filepath.Join(top, "child"), filepath.Join(top, "covered")
	binary, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(program, binary, 0o755), os.Mkdir(covered, 0o777), os.Chmod(covered, 0o777))
	}
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		child := exec.CommandContext(t.Context(), program)
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%q 0 %q 0", childVariable, file, "read"),
			"TMPDIR=/tmp", "GOCOVERDIR="+covered)
		if os.Getuid() == 0 {
			const nobody = 65534
			child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, _ := child.CombinedOutput() // the child says what failed
		return strings.TrimSpace(string(out))
	}
	const refused = "the database is not available: the file, or its folder, cannot be written to"
	for _, mode := range []os.FileMode{0o644, 0o444} {
		if err := errors.Join(os.Chmod(file, mode), os.Chmod(dir, 0o555)); err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("mode ", mode), want+"\nstore: list of commits: "+refused, read())
	}

	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file+"-wal", []byte("x"), 0o644), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	check(t, "a log", "store: "+file+": "+refused+", and "+file+"-wal has changes that are not in it yet", read())
}
