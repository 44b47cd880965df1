package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The next run removes files that a killed run left beside an output. Files that another run is
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
	for _, name := range []string{".out.json.0123abcd", ".out.json.fedcba98", ".out.json.xyz", ".other.json.0123abcd", "run.txt"} {
		write(name).Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "run.txt"), []byte("BenchmarkX 1 2 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".out.json.11111111"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := write(".out.json.22222222")
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
	want := []string{".other.json.0123abcd", ".out.json.11111111", ".out.json.22222222", ".out.json.xyz", "out.json", "run.txt"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
