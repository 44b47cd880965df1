package service

import (
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest/admission"
	"perfdata/store"
)

// newTestService returns a service without a server, and its handler and log.
func newTestService(t *testing.T, change func(*config)) (*Service, http.Handler, *logs) {
	t.Helper()
	c := config{Config: testConfig()}
	if change != nil {
		change(&c)
	}
	l := newLogs()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "perf.db"), c.Config, slog.New(l))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, s.Handler(), l
}

// request sends a request to a handler. Headers are pairs.
func request(h http.Handler, method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, body)
	r.Host = "localhost"
	for len(headers) > 0 {
		r.Header.Set(headers[0], headers[1])
		headers = headers[2:]
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(deadlines{recorder}, r)
	return recorder
}

// A deadlines is a response whose client is always in time.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error  { return nil }
func (deadlines) SetWriteDeadline(time.Time) error { return nil }

// uploadTo stores a file by a handler.
func uploadTo(t *testing.T, h http.Handler, name, text string) {
	t.Helper()
	got := request(h, "POST", "/upload?name="+url.QueryEscape(name), strings.NewReader(text))
	if got.Code != http.StatusCreated {
		t.Fatalf("%s: %d %s", name, got.Code, got.Body)
	}
}

func TestHealth(t *testing.T) {
	s, h, l := newTestService(t, nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := request(h, "GET", path, nil); got.Code != http.StatusOK || got.Body.String() != "ok\n" {
			t.Errorf("%s: %d %q", path, got.Code, got.Body)
		}
	}
	if got := request(h, "GET", "/readyz?x=1", nil); got.Code != http.StatusBadRequest {
		t.Errorf("an unknown parameter: %d", got.Code)
	}

	fails := func(why, detail, logged string) {
		t.Helper()
		got := request(h, "GET", "/readyz", nil)
		if got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), detail) {
			t.Errorf("%s: %d %s", why, got.Code, got.Body)
		}
		line := l.wait(t, "request failed")
		if line["method"] != "GET" || line["path"] != "/readyz" || line["status"] != "503" || line["duration"] == "" ||
			!strings.Contains(line["error"], logged) || !strings.Contains(got.Body.String(), line["request"]) {
			t.Errorf("%s: log %v", why, line)
		}
		if got := request(h, "GET", "/healthz", nil); got.Code != http.StatusOK {
			t.Errorf("%s: healthz: %d", why, got.Code)
		}
	}
	s.db.Close()
	if got := request(h, "GET", "/readyz", nil); got.Code != http.StatusOK {
		t.Errorf("the answer is not shared: %d", got.Code)
	}
	s.readiness.until = time.Time{}
	fails("closed database", "the database", "closed")
}

// The line of the log of a query that fails has the error, which the answer has not.
func TestLogOfFailures(t *testing.T) {
	s, h, l := newTestService(t, nil)
	s.db.Close()
	for _, path := range []string{"/api/series", "/api/files", "/api/params", "/api/commits", "/api/links?n=1"} {
		got := request(h, "GET", path, nil)
		line := l.wait(t, "request failed")
		if got.Code < 500 || line["status"] != fmt.Sprint(got.Code) || line["error"] == "" ||
			line["path"] != strings.TrimSuffix(path, "?n=1") ||
			strings.Contains(got.Body.String(), "closed") || !strings.Contains(line["error"], "closed") {
			t.Errorf("%s: %d %s, log %v", path, got.Code, got.Body, line)
		}
	}
	request(h, "GET", "/api/none", nil)
	request(h, "GET", "/api/series?limit=x", nil)
	if len(l.records) != 0 {
		t.Errorf("a line for a status of less than 500: %v", <-l.records)
	}
}

func TestCompression(t *testing.T) {
	_, h, _ := newTestService(t, nil)
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `,{"key":{"test":"a_test_of_many_%d"},"measurement":%d}`, i, i)
	}
	uploadTo(t, h, "many.json", `{"version":1,"git_hash":"a","results":[`+many.String()[1:]+"]}")
	for _, test := range []struct {
		path, accept string
		compressed   bool
	}{
		{"/api/series?limit=1000", "gzip", true},
		{"/api/series?limit=1000", "br, *;q=0.1", true},
		{"/api/series?limit=1000", "gzip;q=0, *", false},
		{"/api/series?limit=1000", "identity", false},
		{"/api/series?limit=1000", "", false},
		{"/api/params", "deflate, gzip;q=0.5", true},
		{"/api/commits", "gzip", true}, // its length is not known
		{"/api/links?id=x&n=1", "gzip", false},
		{"/", "gzip", true},
		{"/api/report", "gzip", true},
		{"/healthz", "gzip", false},
	} {
		t.Run(test.path+" "+test.accept, func(t *testing.T) {
			got := request(h, "GET", test.path, nil, "Accept-Encoding", test.accept)
			if isGzip := got.Header().Get("Content-Encoding") == "gzip"; isGzip != test.compressed {
				t.Fatalf("%v", got.Header())
			}
			plain := request(h, "GET", test.path, nil)
			if test.path != "/healthz" && got.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("Vary %q", got.Header().Get("Vary"))
			}
			text := got.Body.String()
			if test.compressed {
				z, err := gzip.NewReader(got.Body)
				if err != nil {
					t.Fatal(err)
				}
				unzipped, err := io.ReadAll(z)
				if err != nil {
					t.Fatal(err)
				}
				text = string(unzipped)
			}
			if text != plain.Body.String() {
				t.Errorf("other text than without compression")
			}
		})
	}
}

// An answer that fails at its end, or has no room until its client takes it, says so in place of
// its beginning.
func TestAnswerFails(t *testing.T) {
	many := func(out *stream) error {
		for range 100_000 {
			out.add("text")
		}
		return out.finish("]")
	}
	fails := func(out *stream) error { many(out); return errors.New("broken") }
	for _, test := range []struct {
		name, encoding string
		tmp            string
		write          func(out *stream) error
		status         int
	}{
		{name: "at its end", status: 500, write: fails},
		{name: "compressed", encoding: "gzip", status: 500, write: fails},
		{name: "no room", tmp: "missing", status: 503, write: many},
		{name: "it does not", status: 200, write: many},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TMPDIR", filepath.Join(t.TempDir(), test.tmp))
			s, _, _ := newTestService(t, nil)
			got, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", test.encoding)
			w := newResponse(got, r, s)
			err := s.query(&s.budget.queries, queryMemory, func(w *response, r *http.Request) error {
				return test.write(newStream(w, "["))
			})(w, r)
			if err != nil {
				w.refuse(err)
			}
			w.finish()

			kind := "application/problem+json"
			if test.status == 200 {
				kind = "application/json"
			}
			if got.Code != test.status || got.Header().Get("Content-Type") != kind || !json.Valid(got.Body.Bytes()) ||
				got.Header().Get("Content-Length") != fmt.Sprint(got.Body.Len()) {
				t.Errorf("%d %v %.100s", got.Code, got.Header(), got.Body)
			}
			if diff := cmp.Diff(admission.Usage{}, s.budget.answers.Usage()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The end of a compressed answer waits for room as the rest does.
func TestCompressedAnswerWaits(t *testing.T) {
	s, h, _ := newTestService(t, nil)
	text := []byte(`{"version":1,"git_hash":"a","results":[{"key":{"test":"x"},"measurement":1}`)
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		text = fmt.Appendf(text, `,{"key":{"test":"%x"},"measurement":1}`, random.Uint64())
	}
	uploadTo(t, h, "a.json", string(text)+"]}")
	answers := &s.budget.answers
	answers.Limit = 0
	other, err := answers.Admit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *httptest.ResponseRecorder, 1)
	go func() { got <- request(h, "GET", "/api/params", nil, "Accept-Encoding", "gzip") }()
	waitUntil(func() bool { return len(got) == 1 || answers.Usage().Waiting == 1 })
	other.Release()
	if answer := <-got; answer.Code != http.StatusOK || answer.Body.Len() <= maxInMemory {
		t.Errorf("%d, %d bytes", answer.Code, answer.Body.Len())
	}
}

// Pages have each file once, in order, even if others are deleted meanwhile.
func TestPagesOfFiles(t *testing.T) {
	s, h, _ := newTestService(t, func(c *config) { c.AllowNoCommit = true })
	var want []string
	for i := range 7 {
		name := fmt.Sprintf("d/2026/01/02/%02d/%d.json", 3+i/2, i)
		uploadTo(t, h, name, fmt.Sprintf(`{"version":1,"git_hash":"a","results":[{"key":{"test":"x"},"measurement":%d}]}`, i))
		want = append(want, name)
	}
	for limit := 1; limit <= 8; limit++ {
		var got []string
		for next := ""; ; {
			answer := request(h, "GET", fmt.Sprintf("/api/files?limit=%d&cursor=%s", limit, next), nil)
			var page struct {
				Files []file
				Next  string
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || len(page.Files) > limit {
				t.Fatal(answer, err)
			}
			for _, f := range page.Files {
				got = append(got, f.Path)
			}
			if next = page.Next; next == "" {
				break
			}
			if limit == 3 && len(got) == 3 { // the last of the page is gone
				if _, err := s.db.Delete(t.Context(), store.Selection{Paths: got[2:3]}); err != nil {
					t.Fatal(err)
				}
				defer func(gone string) { want = append(want, gone) }(got[2])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
		if limit == 3 {
			want = append(want[:2], want[3:]...)
		}
	}
	for _, query := range []string{"limit=0", "limit=10001", "limit=x", "cursor=x", "cursor=eCB4", "failed=true"} {
		if got := request(h, "GET", "/api/files?"+query, nil); got.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got.Code)
		}
	}
}

func TestDeleteFiles(t *testing.T) {
	s, h, _ := newTestService(t, func(c *config) { c.Token = "secret" })
	const token = "Bearer secret"
	for i, commit := range []string{"a", "b", "c"} {
		text := fmt.Sprintf(`{"version":1,"git_hash":%q,"results":[`+
			`{"key":{"test":"x"},"measurement":1},{"key":{"test":"y"},"measurement":2}]}`, commit)
		path := fmt.Sprintf("/upload?name=d/2026/01/02/0%d/%s.json", i, commit)
		got := request(h, "POST", path, strings.NewReader(text), "Authorization", token)
		if got.Code != http.StatusCreated {
			t.Fatal(got)
		}
	}
	for _, test := range []struct {
		name, query string
		status      int
		want        string
	}{
		{"nothing", "", 400, "the selection is empty"},
		{"an empty parameter", "path=", 400, "path is empty"},
		{"an unknown parameter", "paths=x", 400, "unknown parameter"},
		{"an invalid time", "before=2026", 400, "before: "},
		{"an invalid query", "q=a%3D~%5B", 400, "q: "},
		{"an invalid dryrun", "run=x&dryrun=true", 400, "dryrun: want 1 or 0"},
		{"an unknown path", "path=none.json", 404, "nothing that is selected"},
		{"an unknown commit", "commit=z&before=2027-01-01T00:00:00Z", 404, "nothing that is selected"},
		{"nothing old", "before=1999-01-01T00:00:00Z", 200, `{"files":[],"measurements":0}`},
		{"would delete", "run=d/2026/01/02/00/a.json&dryrun=1", 200,
			`{"files":[{"path":"d/2026/01/02/00/a.json","measurements":2}],"measurements":2,"dryrun":true}`},
		{"before", "before=2026-01-02T01:00:00Z", 200,
			`{"files":[{"path":"d/2026/01/02/00/a.json","measurements":2}],"measurements":2}`},
		{"a query at a commit", "q=test%3Dx&commit=b", 200,
			`{"files":[{"path":"d/2026/01/02/01/b.json","measurements":1}],"measurements":1}`},
		{"a trial", "issue=7", 404, "nothing that is selected"},
		{"a path", "path=d/2026/01/02/02/c.json", 200,
			`{"files":[{"path":"d/2026/01/02/02/c.json","measurements":2}],"measurements":2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := request(h, "DELETE", "/api/files?"+test.query, nil); got.Code != 401 && got.Code != 400 {
				t.Errorf("without the token: %d", got.Code)
			}
			got := request(h, "DELETE", "/api/files?"+test.query, nil, "Authorization", token)
			if got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
				t.Errorf("%d %s, want %d with %s", got.Code, got.Body, test.status, test.want)
			}
		})
	}
	left := request(h, "GET", "/api/series", nil).Body.String()
	if strings.Count(left, `"commit":"b"`) != 2 || strings.Contains(left, `"value":1`) {
		t.Errorf("left: %s", left)
	}
	// A client without the token does not wait for reports.
	part := &s.budget.reports
	part.Wait = 0
	reports, err := part.Admit(t.Context(), part.Limit)
	if err != nil {
		t.Fatal(err)
	}
	if got := request(h, "DELETE", "/api/files?path=x", nil); got.Code != 401 {
		t.Errorf("while a report is made: %d", got.Code)
	}
	reports.Release()
	got := request(h, "DELETE", "/api/files?path=x", nil, "Authorization", token, "Sec-Fetch-Site", "cross-site")
	if got.Code != 403 {
		t.Errorf("a page of another site: %d", got.Code)
	}
}

// Requests do not wait while the value of a metric is found.
func TestSlowMetric(t *testing.T) {
	s, h, _ := newTestService(t, nil)
	s.Gauge("slow", "Slow.", func() float64 {
		if !s.metrics.mu.TryLock() {
			return 0
		}
		s.metrics.mu.Unlock()
		return 1
	})
	if got := metricOf(h, "slow"); got != "1" {
		t.Errorf("%q: the metrics are locked", got)
	}
}

// A breaking is a listener that accepts one connection, and then breaks when it is told so.
type breaking struct {
	net.Listener
	accepted bool
	breaks   chan error
}

func (l *breaking) Accept() (net.Conn, error) {
	if l.accepted {
		return nil, <-l.breaks
	}
	l.accepted = true
	return l.Listener.Accept()
}

// An upload in progress ends before Serve does, also when the listener breaks.
func TestListenerBreaks(t *testing.T) {
	s, _, l := newTestService(t, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	in := &breaking{Listener: listener, breaks: make(chan error)}
	go func() { l.end(s.Serve(t.Context(), in)) }()
	r := &running{url: "http://" + listener.Addr().String(), logs: l}
	conn := r.dial(t, path, len(lines), lines[:5])
	waitUntil(func() bool { return s.uploads.Load() == 1 })
	in.breaks <- errors.New("broken")
	l.wait(t, "shutting down")
	if got := answerOf(conn, lines[5:]); got != http.StatusCreated {
		t.Errorf("status %d", got)
	}
	if got := l.wait(t, "end"); got["error"] != "broken" {
		t.Errorf("%v", got)
	}
}

// An upload that has arrived, but is not stored when the grace period ends, is not stored.
func TestGraceEnds(t *testing.T) {
	r := start(t, func(c *config) { c.Grace = 0 })
	db, err := sql.Open("sqlite", r.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil { // another process that writes
		t.Fatal(err)
	}
	r.dial(t, path, len(lines), lines)
	waitUntil(func() bool { return r.service.budget.small.Usage().Claims == 1 })
	go r.stop()
	r.logs.wait(t, "requests were interrupted")
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if got := r.logs.wait(t, "failed"); !strings.Contains(got["error"], "context canceled") {
		t.Errorf("%v", got)
	}
}

// metricOf returns the value of a metric, or an empty text.
func metricOf(h http.Handler, name string) string {
	for line := range strings.Lines(request(h, "GET", "/metrics", nil).Body.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSuffix(value, "\n")
		}
	}
	return ""
}

func TestStoreMetrics(t *testing.T) {
	s, h, l := newTestService(t, nil)
	uploadTo(t, h, "a.json", `{"version":1,"git_hash":"a","results":[{"key":{"test":"x"},"measurement":1}]}`)
	for name, want := range map[string]string{
		"service_store_files": "1", "service_store_measurements": "1", "service_store_traces": "1",
		"service_uploads_in_progress": "0", "service_watch_lag_seconds": "",
	} {
		if got := metricOf(h, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := metricOf(h, "service_store_bytes"); got == "" || got == "0" {
		t.Errorf("service_store_bytes: %q", got)
	}
	if got := metricOf(h, `service_transaction_seconds_count{result="committed"}`); got == "" || got == "0" {
		t.Errorf("transactions: %q", got)
	}

	// A size that cannot be counted is not known.
	s.size.until = time.Time{}
	s.db.Close()
	if got := metricOf(h, "service_store_files"); got != "NaN" {
		t.Errorf("size %s", got)
	}
	if line := l.wait(t, "the store was not counted"); line["error"] == "" {
		t.Errorf("log %v", line)
	}
}
