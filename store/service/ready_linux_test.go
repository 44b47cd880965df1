package service

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A service whose disk is full is not ready, and has the answer of an upload that fails. It is ready again when
// there is room.
func TestReadyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("a disk of its own needs root:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	s, err := Open(t.Context(), filepath.Join(dir, "perf.db"), testConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	h := s.Handler()
	ready := func(why string, want int) {
		t.Helper()
		s.readiness.until = time.Time{}
		for range 2 { // the answer is shared
			if got := request(h, "GET", "/readyz", nil); got.Code != want || strings.Contains(got.Body.String(), dir) {
				t.Errorf("%s: %d %s", why, got.Code, got.Body)
			}
		}
	}
	ready("at first", http.StatusOK)

	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = rest.Write(make([]byte, 4096))
	}
	rest.Close()
	ready("a full disk", http.StatusServiceUnavailable)
	text := manyValues(500)
	if got := request(h, "POST", "/upload", strings.NewReader(text)); got.Code != http.StatusServiceUnavailable {
		t.Errorf("an upload: %d %s", got.Code, got.Body)
	}
	if err := os.Remove(rest.Name()); err != nil {
		t.Fatal(err)
	}
	ready("with room again", http.StatusOK)
	uploadTo(t, h, "a.json", text)
}
