package service

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/store"
	"perfdata/traceid"
)

// manyValues returns a file with n values of a param, of 400 bytes each.
func manyValues(n int) string {
	var b strings.Builder
	b.WriteString(`{"version":1,"git_hash":"many","results":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"key":{"many":"%04d%s"},"measurement":%d},`, i, strings.Repeat("v", 396), i)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

// ask sends a query on a connection of its own, and does not read the answer.
func ask(t *testing.T, address, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err == nil {
		t.Cleanup(func() { conn.Close() })
		err = conn.(*net.TCPConn).SetReadBuffer(256 << 10)
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// More queries than the service has memory for wait, and are refused when that takes too long, with the time
// to come back. Refusals are counted, and have no line in the log. Uploads are not refused, and queries for few rows
// do not wait for those for many.
func TestQueriesAtOnce(t *testing.T) {
	for _, test := range []struct {
		part, path, other string
		of                func(b *budget) *admission.Budget
	}{
		{"queries", "/api/links?n=1", "/api/series?limit=1001", func(b *budget) *admission.Budget { return &b.queries }},
		{"wide", "/api/series?limit=1001", "/api/series?limit=1000", func(b *budget) *admission.Budget { return &b.wide }},
		{"wide", "/api/series?q=a%3D~%28ab%29%7B300%7D", "/api/series?q=a%3D~%28ab%29%2B", func(b *budget) *admission.Budget { return &b.wide }},
	} {
		t.Run(test.part, func(t *testing.T) {
			s, h, l := newTestService(t, nil)
			part := test.of(s.budget)
			part.Wait = time.Millisecond
			others, err := part.Admit(t.Context(), part.Limit)
			if err != nil {
				t.Fatal(err)
			}
			got := request(h, "GET", test.path, nil)
			if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
				t.Errorf("one more query: %d %v", got.Code, got.Header())
			}
			if got := request(h, "GET", test.other, nil); got.Code != http.StatusOK {
				t.Errorf("another query: %d %s", got.Code, got.Body)
			}
			uploadTo(t, h, "a.json", skia("a", 1))
			if got := metricOf(h, fmt.Sprintf("service_refused_total{part=%q}", test.part)); got != "1" {
				t.Errorf("%q refusals are counted", got)
			}
			others.Release()
			if got := request(h, "GET", test.path, nil); got.Code != http.StatusOK {
				t.Errorf("after the others: %d %s", got.Code, got.Body)
			}
			for len(l.records) > 0 {
				if line := <-l.records; line["msg"] == "request failed" {
					t.Errorf("%q", line)
				}
			}
		})
	}
}

// A series with more points than the memory of a query is refused, with what the client can do. Commits with
// fewer can be asked for.
func TestTooManyPoints(t *testing.T) {
	_, h, _ := newTestService(t, nil)
	for _, commit := range []string{"a", "b"} {
		uploadTo(t, h, commit, "commit: "+commit+"\n"+strings.Repeat("BenchmarkX 1 1 ns/op\n", maxPoints/2+1))
	}
	uploadTo(t, h, "other", "commit: a\nBenchmarkA 1 1 ns/op\n")
	for path, want := range map[string]string{
		"/api/series?limit=1": `"points":[{"commit":"a","n":1,"value":1}]}],"more":true,`,
		"/api/series?q=name%3DX": `{"title":"Bad Request","status":400,"detail":"store: query: trace \",name=X,unit=ns_op,\" has ` +
			`more than 50000 points: want first and last, or from and until, between which it has fewer"}`,
		"/api/series?q=name%3DX&first=b": `{"commit":"b","n":25001,"value":1}]}],"more":false,`,
		"/api/links?n=1":                 "{}\n",
	} {
		if got := request(h, "GET", path, nil).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %.300s", path, got)
		}
	}
}

// A series with too many values is not looked at, and the answer says that something is missing.
func TestTooManyValues(t *testing.T) {
	s, h, _ := newTestService(t, nil)
	uploadTo(t, h, "a", "commit: a\nBenchmarkA 1 1 ns/op\n"+strings.Repeat("BenchmarkX 1 1 ns/op\n", 9))
	for path, want := range map[string]string{
		"/api/changes": `"more":true,`, "/api/changes?q=name%3DA": `"more":false,"short":1,`,
		"/api/report": "there are more series: a query selects others", "/api/report?q=name%3DA": `\u003cp\u003e1 series,`,
	} {
		s.budget.reports.Limit = 8 * valueMemory
		if got := request(h, "GET", path, nil); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
}

// A client that does not read keeps no query from working, and is cut off.
func TestClientDoesNotRead(t *testing.T) {
	database := filepath.Join(t.TempDir(), "perf.db")
	r := start(t, func(c *config) { c.database, c.Upload.Bytes = database, 1<<30 })
	if status, answer := r.post(t, "", strings.NewReader(manyValues(4_000))); status != http.StatusCreated {
		t.Fatalf("%d %v", status, answer)
	}
	r.stop()
	for _, test := range []struct {
		path  string
		stall time.Duration
	}{
		{"/api/params", time.Hour}, {"/api/params", 50 * time.Millisecond}, {"/api/series?limit=10000", 50 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(test.path, test.stall), func(t *testing.T) {
			r := start(t, func(c *config) { c.database, c.Query.Stall, c.Grace = database, test.stall, 0 })
			conn := ask(t, r.url, test.path)
			budget := r.service.budget
			if test.stall == time.Hour {
				waitUntil(func() bool { return budget.answers.Usage().Claims == 1 && budget.wide.Usage().Claims == 0 })
				r.hasMetric(t, `service_in_progress{part="answers"} 1`)
				r.hasMetric(t, `service_in_progress{part="wide"} 0`)
				return
			}
			path, _, _ := strings.Cut(test.path, "?")
			counted := fmt.Sprintf("service_request_seconds_count{route=\"GET %s\",status=\"200\"} 1\n", path)
			waitUntil(func() bool { return strings.Contains(string(r.service.metrics.appendText(nil)), counted) })
			r.hasMetric(t, `service_in_progress{part="answers"} 0`)
			if n, err := io.Copy(io.Discard, conn); err == nil && n > 1_300_000 {
				t.Errorf("%d bytes arrived", n)
			}
		})
	}
}

// A pacedWriter is a response that notes its deadlines.
type pacedWriter struct {
	httptest.ResponseRecorder
	pieces    []int
	deadlines []time.Time
}

func (w *pacedWriter) SetWriteDeadline(t time.Time) error {
	w.deadlines = append(w.deadlines, t)
	return nil
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	w.pieces = append(w.pieces, len(p))
	return len(p), nil
}

func (w *pacedWriter) ReadFrom(in io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, in)
	w.pieces = append(w.pieces, int(n))
	return n, err
}

// Each piece of an answer has a deadline of its own, so that a client that reads slowly gets all.
func TestPieces(t *testing.T) {
	for _, isQuery := range []bool{false, true} {
		t.Run(fmt.Sprintf("query=%t", isQuery), func(t *testing.T) {
			w := new(pacedWriter)
			s, _, _ := newTestService(t, func(c *config) { c.Query.Stall = time.Hour })
			r := newResponse(w, httptest.NewRequest("GET", "/", nil), s)
			want := []int{piece, piece, 1}
			if isQuery {
				r.spool = &spool{ctx: t.Context(), budget: &s.budget.answers}
			}
			before := time.Now()
			if n, err := r.Write(make([]byte, 2*piece+1)); n != 2*piece+1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			if n, err := r.Write(nil); n != 0 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			r.finish()
			if diff := cmp.Diff(want, w.pieces); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(w.deadlines) != 1+len(want) || !w.deadlines[0].IsZero() {
				t.Fatalf("deadlines %v, want none, and one for each piece", w.deadlines)
			}
			for _, deadline := range w.deadlines[1:] {
				if deadline.Before(before.Add(time.Hour)) {
					t.Errorf("deadline %v", deadline)
				}
			}
		})
	}
}

// A query that takes too long ends, with an answer that has the number of the request.
func TestQueryTime(t *testing.T) {
	s, _, _ := newTestService(t, func(c *config) { c.Query.Time = time.Millisecond })
	for name, handler := range map[string]handler{
		"series": s.series, "params": s.paramSet, "files": s.files, "links": s.links,
	} {
		t.Run(name, func(t *testing.T) {
			recorder, request := httptest.NewRecorder(), httptest.NewRequest("GET", "/?n=1", nil)
			got := newResponse(recorder, request, s)
			err := s.query(&s.budget.queries, 1, func(w *response, r *http.Request) error {
				<-r.Context().Done()
				return handler(w, r)
			})(got, request)
			got.refuse(err)
			got.finish()

			var answer problem
			if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			want := problem{
				Title: "Service Unavailable", Status: 503, Detail: "the query took too long: want one that selects less",
				Request: got.number,
			}
			if diff := cmp.Diff(want, answer); diff != "" || recorder.Code != want.Status || want.Request == "" {
				t.Errorf("%d (-want +got):\n%s", recorder.Code, diff)
			}
		})
	}
}

// An upload that sends less than the least rate ends.
func TestUploadRate(t *testing.T) {
	r := start(t, func(c *config) { c.Upload.Rate, c.Upload.Pause = 1<<40, 50*time.Millisecond })
	conn := r.dial(t, path, 1<<20, strings.Repeat(lines, 1+piece/len(lines)))
	var answer bytes.Buffer
	io.Copy(&answer, conn)
	if !strings.HasPrefix(answer.String(), "HTTP/1.1 408 ") {
		t.Errorf("%s", answer.String())
	}
	r.storesOnce(t)
}

// The client has the pause, and the time that its bytes take at the least rate.
func TestBodyDeadline(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, test := range []struct {
		name     string
		rate     int64
		received int64
		waited   time.Duration
		want     time.Duration
	}{
		{"the beginning", 1000, 0, 0, 10 * time.Second},
		{"after a wait", 1000, 0, 4 * time.Second, 6 * time.Second},
		{"after some bytes", 1000, 20_000, 4 * time.Second, 26 * time.Second},
		{"too slow", 1000, 1000, 12 * time.Second, -time.Second},
		{"fast", 1000, 1 << 62, 0, time.Minute},
		{"any rate", 0, 0, 50 * time.Second, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &body{
				limits:   UploadLimits{Rate: test.rate, Pause: 10 * time.Second, Time: time.Minute},
				received: test.received, waited: test.waited,
			}
			if got := b.deadline(now).Sub(now); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// Uploads that have not arrived keep no others from being stored.
func TestSlowUploads(t *testing.T) {
	r := start(t, func(c *config) { c.Memory = MinMemory })
	const most = MinMemory / 8 / smallMemory
	for range most {
		r.dial(t, "slow.json", 1000, lines)
	}
	r.inProgress(t, most)
	r.storesOnce(t)
}

func TestStatusOf(t *testing.T) {
	wrapped := func(causes ...error) error { return fmt.Errorf("file: %w", errors.Join(causes...)) }
	for _, test := range []struct {
		name string
		err  error
		want int
	}{
		{"the database is away", wrapped(store.ErrUnavailable), 503},
		{"the database ended the connection", wrapped(store.ErrUnavailable, io.ErrUnexpectedEOF), 503},
		{"a deadline", wrapped(errQueryTime), 503},
		{"a file that changes", wrapped(format.ErrChanged), 503},
		{"syntax", wrapped(format.ErrSyntax), 422},
		{"truncated", wrapped(io.ErrUnexpectedEOF), 422},
		{"the layout", wrapped(ingest.ErrLayout), 422},
		{"a limit", wrapped(format.ErrLimit), 413},
		{"a limit of a query", wrapped(traceid.ErrLimit), 400},
		{"a path", wrapped(fs.ErrInvalid), 400},
		{"other content", wrapped(store.ErrOtherContent), 409},
		{"an unknown commit", wrapped(store.ErrUnknownCommit), 404},
		{"a fault of the service", wrapped(format.ErrMisuse), 500},
		{"a file of the machine", &fs.PathError{Op: "open", Path: "/srv/x", Err: fs.ErrPermission}, 500},
		{"anything else", wrapped(errors.New("surprise")), 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := StatusOf(test.err); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// Damaged compressed files are invalid, wherever the damage is.
func TestUploadDamaged(t *testing.T) {
	_, h, _ := newTestService(t, nil)
	const plain = "BenchmarkA 1 1 ns/op\n"
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	io.WriteString(w, plain)
	w.Close()
	for name, text := range map[string]string{"gzip": compressed(plain), "zlib": z.String()} {
		t.Run(name, func(t *testing.T) {
			for i := range len(text) {
				flipped := text[:i] + string(text[i]^0x41) + text[i+1:]
				for _, damaged := range []string{text[:i], flipped, text + "x"} {
					got := request(h, "POST", "/upload", strings.NewReader(damaged))
					// A flipped bit of a header may change nothing.
					if got.Code != http.StatusUnprocessableEntity && (got.Code != http.StatusCreated || damaged != flipped) {
						t.Errorf("byte %d: %d %s", i, got.Code, got.Body)
					}
				}
			}
		})
	}
}

func TestCheckName(t *testing.T) {
	now := time.Date(2026, 11, 22, 13, 59, 0, 0, time.UTC)
	for _, test := range []struct {
		name, want string // of the error
	}{
		{"", ""},
		{"bench.txt", ""},
		{"a/b/2026/11/22/13/x.json", ""},
		{"2026/11/22/14/x.json", ""},
		{"2026/11/22/15/x.json", `the hour is ahead of the clock: want at most 2026/11/22/14, in UTC`},
		{"9999/12/31/23/x.json", `name "9999/12/31/23/x.json": the hour is ahead of the clock`},
		{"2026/01/02/03/../../../../x.json", "want a path such as a/b.json"},
		{"./2026/01/02/03/x.json", "want a path such as a/b.json"},
		{"../x.json", "want a path such as a/b.json"},
		{"//x.json", "want a path such as a/b.json"},
		{"/etc/x.json", "want a path such as a/b.json"},
		{"2026/01/02/03/", "want a path such as a/b.json"},
		{"a\nb", "want at most 1000 bytes without control characters"},
		{strings.Repeat("x", 1001), "want at most 1000 bytes without control characters"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := checkName(test.name, now)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}

	r := start(t, nil)
	for _, name := range []string{"9999/12/31/23/x.json", "2026/01/02/03/../x.json"} {
		if status, answer := r.post(t, "name="+name, strings.NewReader(skia("a", 1))); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
}

// What the API answers is not kept by others, nor by pages of other sites.
func TestHeaders(t *testing.T) {
	r := start(t, nil)
	for path, cache := range map[string]string{
		"/api/params": "no-store", "/api/series": "no-store", "/api/files": "no-store", "/api/links": "no-store",
		"/api/series?q=a=~[": "no-store", "/": "no-cache", "/metrics": "",
	} {
		response, err := http.Get(r.url + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := response.Header.Get("Cache-Control"); got != cache {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, cache)
		}
		if got := response.Header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
			t.Errorf("%s: Cross-Origin-Resource-Policy %q", path, got)
		}
	}
}
