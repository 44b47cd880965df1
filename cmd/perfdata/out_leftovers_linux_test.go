package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The next run removes the file that a killed run left beside an output. Files that another run is
// writing stay, and so do files with other names, and anything that is not a file.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, name := range []string{".out.json.perfdata3", ".out.json.xyz", ".other.json.perfdata1", "run.txt"} {
		write(name).Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "run.txt"), []byte("BenchmarkX 1 2 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".out.json.perfdata1"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := write(".out.json.perfdata2")
	defer other.Close()
	if err := lock(other, true); err != nil {
		t.Skip("no locks: ", err)
	}

	_, stderr, status := runTool(nil, "convert", "--to", "perun", "-o", filepath.Join(dir, "out.json"), filepath.Join(dir, "run.txt"))
	if status != statusOK {
		t.Fatal(stderr)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{".other.json.perfdata1", ".out.json.perfdata1", ".out.json.perfdata2", ".out.json.xyz", "out.json", "run.txt"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file whose name another run has taken is not written to: its rename would publish the other's.
func TestReplacedBeside(t *testing.T) {
	f, err := new(signals).create(filepath.Join(t.TempDir(), "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f, false); err != nil {
		t.Skip("no locks: ", err)
	}
	if !isOurs(f) {
		t.Error("a new file is another one's")
	}
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name(), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if isOurs(f) {
		t.Error("a file that was replaced is still ours")
	}
}
