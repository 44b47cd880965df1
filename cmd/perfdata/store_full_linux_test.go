package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On a full disk, store ingest leaves no database that it did not find, and the next attempt stores
// everything.
func TestStoreFullDisk(t *testing.T) {
	dir := t.TempDir()
	file, db := filepath.Join(dir, "a.json"), filepath.Join(dir, "perf.db")
	const text = `{"version":1,"git_hash":"c1","results":[{"key":{"test":"x"},"measurement":1}]}`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1000, 4096, 8192, 20_000, 60_000} {
		if stderr, status := runOnFullDisk(t, size, "", "store", "ingest", db, file); status != statusFailed {
			t.Errorf("%d bytes: status %d, %s", size, status, stderr)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if diff := cmp.Diff([]string{"a.json"}, names); diff != "" {
			t.Errorf("%d bytes: files (-want +got):\n%s", size, diff)
		}
	}

	// If the disk fills after that, the database is empty, which is said, and good.
	large := filepath.Join(dir, "large.txt")
	if err := os.WriteFile(large, []byte("commit: c\n"+strings.Repeat("BenchmarkA 1 1 ns/op\n", 100_000)), 0o666); err != nil {
		t.Fatal(err)
	}
	stderr, status := runOnFullDisk(t, 400_000, "", "store", "ingest", db, large)
	if want := db + ": the new database is empty"; status == statusOK || !strings.Contains(stderr, want) {
		t.Errorf("a large file: status %d, %s, want %s", status, stderr, want)
	}
	if stdout, stderr, status := runTool(nil, "store", "check", db); status != 0 {
		t.Errorf("the empty database: %s, %s", stdout, stderr)
	}
	if stdout, stderr, status := runTool(nil, "store", "ingest", db, file); status != 0 {
		t.Errorf("the next attempt: %s, %s", stdout, stderr)
	}
}
