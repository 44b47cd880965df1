package main

import (
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
