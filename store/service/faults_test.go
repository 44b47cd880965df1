package service

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const path = "nano/2026/01/02/03/a.json"

// storesOnce checks that nothing is stored, and that the next attempt succeeds.
func (r *running) storesOnce(t *testing.T) {
	t.Helper()
	if got := r.values(t, ""); len(got) > 0 {
		t.Errorf("stored %q", got)
	}
	if status, answer := r.post(t, "name="+path, strings.NewReader(skia("a", 1))); status != http.StatusCreated {
		t.Errorf("the next attempt: %d %v", status, answer)
	}
	if diff := cmp.Diff([]string{",test=draw, at a, 1: 1"}, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// lines is a file that can be cut at any line without an error: only the length tells that it is
// not whole.
const lines = "BenchmarkA 1 1 ns/op\nBenchmarkB 1 1 ns/op\n"

// A client that hangs up in the middle leaves an error, and nothing else.
func TestHangUp(t *testing.T) {
	r := start(t, nil)
	r.dial(t, path, 1000, lines).Close()
	if got := r.logs.wait(t, "failed"); got["path"] != path || !strings.Contains(got["error"], "unexpected EOF") {
		t.Errorf("%q", got)
	}
	if _, answer := r.get(t, "/api/files?failed=1"); !strings.Contains(fmt.Sprint(answer), "unexpected EOF") {
		t.Errorf("%v", answer)
	}
	r.storesOnce(t)
}

// An upload that does not end is answered when its time is over.
func TestUploadStalls(t *testing.T) {
	r := start(t, func(c *config) { c.Upload.Time = 50 * time.Millisecond })
	conn := r.dial(t, path, 1000, lines)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d", response.StatusCode)
	}
	if got := r.logs.wait(t, "failed"); got["path"] != path {
		t.Errorf("%q", got)
	}
	r.storesOnce(t)
}

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(lines) <= len(p) {
		n += copy(p[n:], lines)
	}
	return n, nil
}

// An upload that sends without an end is answered at the limit, as is one that decompresses
// without an end.
func TestUploadEndless(t *testing.T) {
	r := start(t, nil)
	status, answer := r.post(t, "name="+path, endless{})
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %v", status, answer)
	}
	r.storesOnce(t)
}

// inProgress waits until n uploads are in progress.
func (r *running) inProgress(t *testing.T, n int64) {
	t.Helper()
	waitUntil(func() bool { return r.service.uploads.Load() == n })
	r.hasMetric(t, fmt.Sprint("service_uploads_in_progress ", n))
}

// hasMetric checks that the metrics have a line. It needs no connection, and no answer in time.
func (r *running) hasMetric(t *testing.T, line string) {
	t.Helper()
	if text := r.service.metrics.appendText(nil); !strings.Contains(string(text), line+"\n") {
		t.Errorf("missing %s in\n%s", line, text)
	}
}

// While the database is away, uploads and queries fail. When it is back, they succeed.
func TestDatabaseAway(t *testing.T) {
	r := start(t, nil)
	if err := os.Rename(r.db, r.db+".away"); err != nil {
		t.Skip("an open file cannot be renamed here:", err)
	}
	// passes checks an answer, which has the number of the request, and nothing of the machine.
	passes := func(what string, status int, answer map[string]any, message string) {
		t.Helper()
		want := map[string]any{
			"title": "Service Unavailable", "status": 503.0, "request": r.logs.wait(t, message)["request"],
			"detail": "the database is not available: try again later",
		}
		delete(answer, "path") // of the upload
		if diff := cmp.Diff(want, answer); diff != "" || status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d (-want +got):\n%s", what, status, diff)
		}
	}
	status, answer := r.post(t, "name="+path, strings.NewReader(skia("a", 1)))
	passes("upload", status, answer, "request failed")
	for _, query := range []string{"/api/series", "/api/params", "/api/files", "/api/links?n=1"} {
		status, answer := r.get(t, query)
		passes(query, status, answer, "request failed")
	}
	if err := os.Rename(r.db+".away", r.db); err != nil {
		t.Fatal(err)
	}
	r.storesOnce(t)
}

// When the service has to end, it takes no new requests, and the upload in progress ends.
func TestShutdown(t *testing.T) {
	for _, test := range []struct {
		name  string
		grace time.Duration
		rest  string
		want  int
	}{
		{"upload ends", time.Minute, lines[5:], http.StatusCreated},
		{"upload is interrupted", 0, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, func(c *config) { c.Grace = test.grace })
			conn := r.dial(t, path, len(lines), lines[:5])
			r.inProgress(t, 1)

			ended := make(chan error)
			go func() { ended <- r.stop() }()
			r.logs.wait(t, "shutting down")

			status := 0
			io.WriteString(conn, test.rest)
			if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				status = response.StatusCode
			}
			if err := <-ended; err != nil || status != test.want {
				t.Errorf("status %d, %v", status, err)
			}
		})
	}
}
