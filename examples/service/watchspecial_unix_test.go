//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/opening"
)

// A FIFO, a device, and a link out of a watched folder are reported, and not read; loops of links, and folders that
// are too deep, end; and whatever takes the place of a file, the service goes on.
func TestWatchSpecialFiles(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(outside, "secret.json"), skia("secret", 31337))
	writeFile(t, filepath.Join(dir, "a.json"), skia("a", 1))
	deep := strings.Repeat("d/", opening.MaxDepth+2)
	writeFile(t, filepath.Join(dir, deep, "deep.json"), skia("deep", 2))
	for link, to := range map[string]string{
		"device.json": "/dev/zero", "loop.json": "loop.json", "out.json": filepath.Join(outside, "secret.json"),
		"relative.json": "../" + filepath.Base(outside) + "/secret.json", "folder": outside, "self": ".", "in.json": "a.json",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *config) { c.tree, c.Rescan = dir, 10*time.Millisecond })
	if got := r.logs.wait(t, "scanned"); got["stored"] != "2" {
		t.Errorf("%q", got)
	}

	// A file becomes a FIFO, and another one is added.
	os.Remove(filepath.Join(dir, "a.json"))
	if err := syscall.Mkfifo(filepath.Join(dir, "a.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "b.json"), skia("b", 3))
	if got := r.logs.wait(t, "stored"); got["path"] != "b.json" {
		t.Errorf("%q", got)
	}

	want := []string{",test=draw, at a, 1: 1", ",test=draw, at b, 1: 3"}
	if diff := cmp.Diff(want, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	status, answer := r.get(t, "/api/files?failed=1")
	if status != http.StatusOK {
		t.Fatal(answer)
	}
	failed := make(map[string]bool)
	for _, f := range answer["files"].([]any) {
		failed[f.(map[string]any)["path"].(string)] = true
	}
	for _, path := range []string{"device.json", "loop.json", "out.json", "relative.json", "folder", "self", "fifo.json"} {
		if !failed[path] {
			t.Errorf("%s is not reported", path)
		}
	}
}
