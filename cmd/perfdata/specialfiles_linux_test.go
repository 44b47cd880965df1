package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// With -r, and when a folder is stored, a FIFO, a loop and a link out of the folder are not read.
func TestSpecialFilesOfTrees(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside.txt")
	tree := filepath.Join(dir, "tree")
	for name, text := range map[string]string{outside: "BenchmarkSecret 1 31337 ns/op\n", filepath.Join(tree, "a.txt"): "commit: c\nBenchmarkA 1 1 ns/op\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out.txt": "../outside.txt", "whole.txt": outside, "loop.txt": "loop.txt", "device.txt": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(tree, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(tree, "fifo.txt"), 0o600); err != nil {
		t.Fatal(err)
	}

	db := filepath.Join(dir, "perf.db")
	for _, args := range [][]string{
		{"validate", "-r", tree}, {"records", "-r", tree}, {"info", "-r", tree}, {"detect", "-r", tree},
		{"convert", "-r", "--to", "benchfmt", tree}, {"store", "ingest", db, tree}, {"store", "query", db}, {"ls", "--any-name", tree},
	} {
		stdout, stderr, _ := runTool(nil, args...)
		if strings.Contains(stdout+stderr, "31337") || strings.Contains(stdout+stderr, "Secret") {
			t.Errorf("%q: the file outside is read: %s%s", args, stdout, stderr)
		}
	}
	if stdout, stderr, _ := runTool(nil, "store", "query", db); !strings.Contains(stdout, "name=A") {
		t.Errorf("the file in the folder is not stored: %s%s", stdout, stderr)
	}
}

// What -r found in a folder is opened within the folder, without waiting, whatever has taken its
// place since.
func TestReplacedFiles(t *testing.T) {
	dir := t.TempDir()
	tree, outside := filepath.Join(dir, "tree"), filepath.Join(dir, "outside.txt")
	found := filepath.Join(tree, "a.txt")
	if err := os.Mkdir(tree, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{found, outside} {
		if err := os.WriteFile(name, []byte("BenchmarkA 1 1 ns/op\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, want string
		replace    func(name string) error
	}{
		{"the same", "", func(name string) error { return os.WriteFile(name, nil, 0o666) }},
		{"a link out", "path escapes", func(name string) error { return os.Symlink(outside, name) }},
		{"a FIFO", "not a regular file", func(name string) error { return syscall.Mkfifo(name, 0o600) }},
		{"a device", "path escapes", func(name string) error { return os.Symlink("/dev/zero", name) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool := newTool(nil, io.Discard, io.Discard)
			os.Remove(found)
			if err := os.WriteFile(found, []byte("BenchmarkA 1 1 ns/op\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			tool.walkArgument(tree)
			if len(tool.walk.files) != 1 {
				t.Fatalf("found %q", tool.walk.files)
			}
			os.Remove(found)
			if err := test.replace(found); err != nil {
				t.Fatal(err)
			}
			f, err := tool.openNamed(tool.walk.files[0])
			if err == nil {
				f.Close()
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// A FIFO is not read again: that would wait for another writer.
func TestRetriesOfSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "a.txt")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := &storeIngest{tool: newTool(nil, io.Discard, io.Discard)}
	c.options.Retries = 3
	for name, want := range map[string]int{fifo: 0, "-": 0, "/dev/null": 0, file: 3, dir: 3, filepath.Join(dir, "none"): 3} {
		if got := c.optionsFor(name).Retries; got != want {
			t.Errorf("%s: %d retries, want %d", name, got, want)
		}
	}
}
