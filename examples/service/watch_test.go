package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/store"
	"perfdata/store/service"
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

// The service ingests the files of a folder, files that are added, and files that were added while
// it did not run.
func TestWatchFolder(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "one.json"), skia("a", 1))
	writeFile(t, filepath.Join(dir, "bad.json"), "hello")
	writeFile(t, filepath.Join(dir, ".part"), skia("x", 0))
	configure := func(c *config) {
		c.tree, c.database = dir, filepath.Join(filepath.Dir(dir), "perf.db")
		c.Rescan = time.Hour
	}
	r := start(t, configure)
	if got := r.logs.wait(t, "scanned"); got["stored"] != "1" || got["failed"] != "1" {
		t.Errorf("%q", got)
	}

	// A new folder is also watched.
	writeFile(t, filepath.Join(dir, "sub", "two.json"), skia("b", 2))
	if got := r.logs.wait(t, "stored"); got["path"] != "sub/two.json" {
		t.Errorf("%q", got)
	}
	writeFile(t, filepath.Join(dir, "sub", "three.json"), skia("c", 3))
	if got := r.logs.wait(t, "stored"); got["path"] != "sub/three.json" {
		t.Errorf("%q", got)
	}

	// Stored files are not replaced.
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
	r := start(t, func(c *config) { c.tree, c.Rescan = dir, 10*time.Millisecond })
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
		c.tree, c.Rescan = bucket.String(), 10*time.Millisecond
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
		c := config{Config: service.DefaultConfig(), listen: "localhost:0", tree: tree}
		c.database = filepath.Join(t.TempDir(), "perf.db")
		err := run(t.Context(), c, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "-tags cloud") {
			t.Errorf("%s: %v", tree, err)
		}
	}
}

// A file of the tree is read again only if that may help.
func TestReadAgain(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		times int // that the file is read; 0 means each time
	}{
		{"stored", nil, 1},
		{"invalid", format.ErrSyntax, 1},
		{"truncated", io.ErrUnexpectedEOF, 1},
		{"the database is away", store.ErrUnavailable, 0},
		{"a reason that is not known", errors.New("surprise"), maxUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := &tree{seen: make(map[string]version), failed: make(map[string]int)}
			f := ingest.File{Path: "a.json", Size: 10, ModTime: time.Unix(1000, 0)}
			times := 0
			for range 3 * maxUnknown {
				if tree.skip(f, time.Unix(2000, 0)) {
					continue
				}
				times++
				tree.done(ingest.Report{File: f, Err: test.err})
			}
			if want := test.times; want > 0 && times != want || want == 0 && times != 3*maxUnknown {
				t.Errorf("read %d times, want %d", times, want)
			}

			// A file that has changed is read again.
			f.Size++
			if tree.skip(f, time.Unix(2000, 0)) {
				t.Error("not read after a change")
			}
		})
	}
}

// The lag of a tree grows while a file is to be read again, and not otherwise.
func TestWatchLag(t *testing.T) {
	served, err := service.Open(t.Context(), filepath.Join(t.TempDir(), "perf.db"), service.DefaultConfig(),
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	tree := newTree(served, config{tree: "set"}, slog.New(slog.DiscardHandler))
	recorder, request := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	request.Host = "localhost"
	served.Handler().ServeHTTP(recorder, request)
	if !strings.Contains(recorder.Body.String(), "\nservice_watch_lag_seconds ") {
		t.Error("no lag")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	tree.fsys = os.DirFS(dir)
	tree.options.AnyName = true
	before := tree.scanned.Load()
	tree.scan(t.Context())
	after := tree.scanned.Load()
	if after <= before {
		t.Error("a scan with an invalid file, which is not read again, did not end the lag")
	}
	served.Close()
	if err := os.WriteFile(filepath.Join(dir, "b.json"), []byte(skia("a", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	tree.scan(t.Context())
	if tree.scanned.Load() != after {
		t.Error("a scan without a database ended the lag")
	}
}

// Elsewhere than on this machine, there must be a token.
func TestListen(t *testing.T) {
	c := config{Config: service.DefaultConfig(), listen: "0.0.0.0:0", database: filepath.Join(t.TempDir(), "perf.db")}
	err := run(t.Context(), c, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), tokenVariable) {
		t.Errorf("without a token: %v", err)
	}
	if err := run(t.Context(), config{Config: service.DefaultConfig(), listen: "0.0.0.0:0"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("without a database: no error")
	}
}
