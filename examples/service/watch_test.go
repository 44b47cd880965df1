package main

import (
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(filepath.Dir(name), ".temporary")
	if err := os.WriteFile(temporary, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, name); err != nil {
		t.Fatal(err)
	}
}

// The service ingests the files of a folder, those that are added, and those that were added while
// it did not run.
func TestWatchFolder(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "one.json"), skia("a", 1))
	writeFile(t, filepath.Join(dir, "bad.json"), "hello")
	writeFile(t, filepath.Join(dir, ".part"), skia("x", 0))
	configure := func(c *config) {
		c.tree, c.database = dir, filepath.Join(filepath.Dir(dir), "perf.db")
		c.watch.rescan = time.Hour
	}
	r := start(t, configure)
	if got := r.logs.wait(t, "scanned"); got["stored"] != "1" || got["failed"] != "1" {
		t.Errorf("%q", got)
	}

	// A new folder is watched, too.
	writeFile(t, filepath.Join(dir, "sub", "two.json"), skia("b", 2))
	if got := r.logs.wait(t, "stored"); got["path"] != "sub/two.json" {
		t.Errorf("%q", got)
	}
	writeFile(t, filepath.Join(dir, "sub", "three.json"), skia("c", 3))
	if got := r.logs.wait(t, "stored"); got["path"] != "sub/three.json" {
		t.Errorf("%q", got)
	}

	// What was stored is not replaced.
	writeFile(t, filepath.Join(dir, "one.json"), skia("a", 100))
	if got := r.logs.wait(t, "failed"); got["path"] != "one.json" || !strings.Contains(got["error"], "other content") {
		t.Errorf("%q", got)
	}

	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "four.json"), skia("d", 4))
	r = start(t, configure)
	if got := r.logs.wait(t, "stored"); got["path"] != "four.json" {
		t.Errorf("%q", got)
	}
	want := []string{
		",test=draw, at d, 1: 4", ",test=draw, at a, 1: 1", ",test=draw, at c, 1: 3", ",test=draw, at b, 1: 2", // by path
	}
	if diff := cmp.Diff(want, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file that the database did not take is tried again at the next rescan.
func TestWatchDatabaseAway(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "zero.json"), skia("z", 0))
	r := start(t, func(c *config) { c.tree, c.watch.rescan = dir, 10*time.Millisecond })
	r.logs.wait(t, "scanned")
	if err := os.Rename(r.db, r.db+".away"); err != nil {
		t.Skip("an open file cannot be renamed here:", err)
	}
	writeFile(t, filepath.Join(dir, "one.json"), skia("a", 1))
	if got := r.logs.wait(t, "failed"); got["path"] != "one.json" {
		t.Errorf("%q", got)
	}
	if err := os.Rename(r.db+".away", r.db); err != nil {
		t.Fatal(err)
	}
	if got := r.logs.wait(t, "stored"); got["path"] != "one.json" {
		t.Errorf("%q", got)
	}
}

func TestWatchBucket(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().UTC().Format("2006/01/02/15")
	writeFile(t, filepath.Join(dir, "nano/2020/01/02/03/old.json"), skia("a", 1))
	writeFile(t, filepath.Join(dir, "nano/README"), "hello")
	r := start(t, func(c *config) {
		bucket := url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
		c.tree, c.watch.rescan = bucket.String(), 10*time.Millisecond
	})
	if got := r.logs.wait(t, "scanned"); got["stored"] != "1" || got["failed"] != "1" {
		t.Errorf("%q", got)
	}
	writeFile(t, filepath.Join(dir, "nano", now, "new.json"), skia("b", 2))
	if got := r.logs.wait(t, "stored"); got["path"] != "nano/"+now+"/new.json" {
		t.Errorf("%q", got)
	}
	if status, answer := r.get(t, "/api/files?failed=1"); status != http.StatusOK || len(answer["files"].([]any)) != 1 {
		t.Errorf("%v", answer)
	}
}

// A tree that cannot be opened ends the service with an error.
func TestWatchUnknown(t *testing.T) {
	for _, tree := range []string{"gs://bucket", "unknown://bucket"} {
		c := config{listen: "localhost:0", database: filepath.Join(t.TempDir(), "perf.db"), tree: tree}
		err := run(t.Context(), c, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "-tags cloud") {
			t.Errorf("%s: %v", tree, err)
		}
	}
}
