package service

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A running is a service that a test started.
type running struct {
	url     string
	db      string
	service *Service
	logs    *logs
	stop    func() error // and waits
}

// start runs a service until the end of the test.
func start(t *testing.T, change func(*config)) *running {
	t.Helper()
	c := config{Config: testConfig(), listen: "127.0.0.1:0", database: filepath.Join(t.TempDir(), "perf.db")}
	if change != nil {
		change(&c)
	}

	l := newLogs()
	s, err := Open(t.Context(), c.database, c.Config, slog.New(l))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := s.Serve(ctx, listener)
		l.end(err)
		ended <- errors.Join(err, s.Close())
	}()

	r := &running{url: "http://" + listener.Addr().String(), db: c.database, service: s, logs: l}
	r.stop = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}

	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// A config is what a test sets.
type config struct {
	Config
	listen, database string
}

func testConfig() Config {
	return Config{
		Memory:        256 << 20,
		AllowNoCommit: true,
		Query:         QueryLimits{Time: time.Minute, Wait: time.Minute, Stall: time.Minute},
		Upload:        UploadLimits{Bytes: 1 << 20, Time: time.Minute, Wait: time.Minute, Spool: 1 << 30},
		Grace:         time.Minute,
		Rescan:        time.Minute,
	}
}

// logs is a slog.Handler whose records a test can wait for, each once.
type logs struct {
	records chan map[string]string
}

func newLogs() *logs { return &logs{make(chan map[string]string, 1000)} }

func (l *logs) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (l *logs) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *logs) WithGroup(string) slog.Handler                    { return l }

func (l *logs) end(err error) {
	l.records <- map[string]string{"msg": "end", "error": fmt.Sprint(err)}
}

func (l *logs) Handle(_ context.Context, r slog.Record) error {
	record := map[string]string{"msg": r.Message}
	r.Attrs(func(a slog.Attr) bool { record[a.Key] = a.Value.String(); return true })
	l.records <- record
	return nil
}

// wait returns the next record with a message.
func (l *logs) wait(t *testing.T, message string) map[string]string {
	t.Helper()
	for {
		record := <-l.records
		if record["msg"] == message {
			return record
		}
		if record["msg"] == "end" {
			t.Fatalf("the service ended before %q: %s", message, record["error"])
		}
	}
}

// post uploads a file, and returns the status and the answer.
func (r *running) post(t *testing.T, query string, body io.Reader, header ...string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequest("POST", r.url+"/upload?"+query, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
	}
	return do(t, request)
}

// get returns an answer.
func (r *running) get(t *testing.T, path string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequest("GET", r.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, request)
}

func do(t *testing.T, request *http.Request) (int, map[string]any) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatalf("status %d: %v", response.StatusCode, err)
	}
	wantType := "application/json"
	if response.StatusCode >= 400 {
		wantType = "application/problem+json"
	}
	if got := response.Header.Get("Content-Type"); got != wantType {
		t.Errorf("status %d: Content-Type %q", response.StatusCode, got)
	}
	if object, ok := answer.(map[string]any); ok {
		return response.StatusCode, object
	}
	return response.StatusCode, map[string]any{"list": answer}
}

// values returns the values that the service has of a query, as lines.
func (r *running) values(t *testing.T, query string) []string {
	t.Helper()
	status, answer := r.get(t, "/api/series?q="+url.QueryEscape(query))
	if status != http.StatusOK {
		t.Fatalf("status %d: %v", status, answer)
	}
	var lines []string
	for _, series := range answer["series"].([]any) {
		one := series.(map[string]any)
		for _, p := range one["points"].([]any) {
			p := p.(map[string]any)
			lines = append(lines, fmt.Sprintf("%s at %s, %v: %v", one["id"], p["commit"], p["n"], p["value"]))
		}
	}
	return lines
}

func skia(commit string, value int) string {
	return fmt.Sprintf(`{"version":1,"git_hash":%q,"links":{"log":"https://ci.example.com/%s"},`+
		`"results":[{"key":{"test":"draw"},"measurement":%d}]}`, commit, commit, value)
}

func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func TestUpload(t *testing.T) {
	r := start(t, nil)
	for _, test := range []struct{ name, query, body, format string }{
		{"Skia Perf", "name=a.json", skia("a", 1), "skiav1"},
		{"gzip", "name=b.json.gz", compressed(skia("b", 2)), "skiav1"},
		{"storage path", "name=nano/2026/01/02/03/c.json", skia("c", 3), "skiav1"},
		{"same again", "name=nano/2026/01/02/03/c.json", skia("c", 3), "skiav1"},
		{"Go benchmark", "", "commit: d\nBenchmarkSort-8 100 294 ns/op\nBenchmarkSort-8 100 NaN ns/op\n", "benchfmt"},
		{"named format", "format=keyval", "boot{perf}=4\n", "keyval"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer := r.post(t, test.query, strings.NewReader(test.body))
			want := http.StatusCreated
			if test.name == "same again" {
				want = http.StatusOK
			}
			if status != want || answer["format"] != test.format || answer["bytes"] != float64(len(test.body)) {
				t.Errorf("%d %v", status, answer)
			}
		})
	}

	want := []string{",test=draw, at c, 1: 3", ",test=draw, at a, 1: 1", ",test=draw, at b, 1: 2"}
	if diff := cmp.Diff(want, r.values(t, "test=draw")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := r.values(t, "name=Sort"); len(got) != 2 || !strings.HasSuffix(got[1], "2: NaN") {
		t.Errorf("%q", got)
	}
	if _, answer := r.get(t, "/api/params"); !strings.Contains(fmt.Sprint(answer), "test:[draw]") {
		t.Errorf("params: %v", answer)
	}
	_, links := r.get(t, "/api/links?id=,test%3Ddraw,&commit=b&n=1")
	if diff := cmp.Diff(map[string]any{"log": "https://ci.example.com/b"}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if _, answer := r.get(t, "/api/series?limit=1"); answer["more"] != true || len(answer["series"].([]any)) != 1 {
		t.Errorf("limit: %v", answer)
	}
	if _, answer := r.get(t, "/api/files"); len(answer["files"].([]any)) != 5 {
		t.Errorf("files: %v", answer)
	}
}

// at returns a position as JSON has it.
func at(line, column, offset float64, element string) any {
	p := map[string]any{"line": line, "column": column, "offset": offset}
	if element != "" {
		p["element"] = element
	}
	return p
}

// A faulty measurement is left out, and the answer and the list of files say so. With -strict, it
// costs the file.
func TestUploadFault(t *testing.T) {
	body := `{"gitHash":"a","results":{"draw":{"8888":{"ms":1,"note":"text"}}}}`
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict=%t", strict), func(t *testing.T) {
			r := start(t, func(c *config) { c.Strict = strict })
			status, answer := r.post(t, "", strings.NewReader(body))
			if strict {
				if status != http.StatusUnprocessableEntity || answer["position"] == nil {
					t.Errorf("%d %v", status, answer)
				}
				return
			}
			first := fmt.Sprint(answer["first_faults"])
			if status != http.StatusCreated || answer["records"] != 1.0 || answer["faults"] != 1.0 || !strings.Contains(first, ":1:") {
				t.Errorf("%d %v", status, answer)
			}
		})
	}
}

func TestUploadProblem(t *testing.T) {
	r := start(t, func(c *config) { c.Upload.Format.MaxDecompressedBytes = 1 << 20 })
	kept := "name=x/2026/01/02/03/kept.json"
	if status, answer := r.post(t, kept, strings.NewReader(skia("a", 1))); status != http.StatusCreated {
		t.Fatal(answer)
	}
	long := strings.Repeat("BenchmarkA 1 1 ns/op\n", 100_000)

	for _, test := range []struct {
		name, query, body string
		header            []string
		status            int
		detail            string
		position          any
	}{
		{name: "truncated", body: `{"version":1,"git_hash":"a",` + "\n" + `"results":[{"key"`, status: 422, detail: "2:18: ",
			position: at(2, 18, 46, "results.0.key")},
		{name: "a faulty value", body: strings.Replace(skia("a", 1), `t":1`, `t":"x"`, 1), status: 422,
			position: at(1, 120, 119, "results.0.measurement")},
		{name: "unknown format", body: "hello", status: 422, detail: "unknown format",
			position: at(1, 1, 0, "")},
		{name: "unknown name of a format", query: "format=nosuch", body: "x", status: 422, detail: "nosuch"},
		{name: "nothing", status: 422, detail: "empty", position: at(1, 1, 0, "")},
		{name: "only params that are not identity", status: 422, detail: "identity",
			body: `{"version":1,"git_hash":"a","results":[{"key":{"date":"x"},"measurement":1}]}`},
		{name: "commit of a header that cannot be stored", status: 422, detail: `header: commit "a\x00"`,
			body: strings.Replace(skia("a", 1), `"a"`, `"a\u0000"`, 1)},
		{name: "long key", status: 413, detail: "offset 82: param key of 2000 bytes",
			body: strings.Replace(skia("a", 1), `"test"`, `"`+strings.Repeat("k", 2000)+`"`, 1)},
		{name: "bomb", body: compressed(long), status: 413, detail: "MaxDecompressedBytes",
			position: at(49933, 1, 1048572, "")},
		{name: "too large", body: long, status: 413, detail: "want at most 1 MiB"},
		{name: "other content", query: kept, body: skia("a", 2), status: 409, detail: "other content"},
		{name: "form", body: "--x", header: []string{"Content-Type", "multipart/form-data; boundary=x"},
			status: 415, detail: "form"},
		{name: "long name", query: "name=" + strings.Repeat("x", 2000), body: "x", status: 400, detail: "name"},
		{name: "control character", query: "name=a%00b", body: "x", status: 400, detail: "name"},
		{name: "page of another site", body: "x", header: []string{"Origin", "https://example.com"},
			status: 403, detail: "another site"},
		{name: "name that resolves to this machine", body: "x", header: []string{"Host", "example.com"},
			status: 421, detail: "host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer := r.post(t, test.query, strings.NewReader(test.body), test.header...)
			detail, _ := answer["detail"].(string)
			if status != test.status || answer["status"] != float64(test.status) || !strings.Contains(detail, test.detail) {
				t.Errorf("%d %v", status, answer)
			}
			if diff := cmp.Diff(test.position, answer["position"]); diff != "" {
				t.Errorf("position (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{",test=draw, at a, 1: 1"}, r.values(t, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestQueryProblem(t *testing.T) {
	r := start(t, nil)
	if status, answer := r.post(t, "name="+path, strings.NewReader(skia("a", 1))); status != http.StatusCreated {
		t.Fatal(answer)
	}
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/api/series?q=a", 400},
		{"/api/series?q=a%3D~(", 400},
		{"/api/series?from=today", 400},
		{"/api/series?limit=0", 400},
		{"/api/links", 400},
		{"/api/series?first=b", 404},
		{"/api/series?last=b", 404},
		{"/api/series?first=a&last=a", 200},
		{"/api/series?issue=%00", 200},
		{"/api/params?patchset=%ff", 200},
	} {
		if status, answer := r.get(t, test.path); status != test.status {
			t.Errorf("%s: %d, want %d: %v", test.path, status, test.status, answer)
		}
	}
}

// A client without the token cannot upload. Elsewhere than on this machine, there must be one.
func TestToken(t *testing.T) {
	r := start(t, func(c *config) { c.listen, c.Token = "0.0.0.0:0", "secret" })
	for i, test := range []struct {
		header []string
		want   int
	}{
		{nil, 401},
		{[]string{"Authorization", "Bearer other"}, 401},
		{[]string{"Authorization", "secret"}, 401},
		{[]string{"Authorization", "Basic secret"}, 401},
		{[]string{"Authorization", "Bearer "}, 401},
		{[]string{"Authorization", "Bearer secret"}, 201},
		{[]string{"Authorization", "bearer secret"}, 201},
		{[]string{"Authorization", "Bearer secret", "Host", "perf.example.com"}, 201},
	} {
		status, answer := r.post(t, "", strings.NewReader(skia("a", i)), test.header...)
		if status != test.want {
			t.Errorf("%q: %d %v", test.header, status, answer)
		}
	}
	_, answer := r.post(t, "", strings.NewReader(""), "Authorization", "secret")
	if want := `"Bearer", a space and the token`; !strings.Contains(fmt.Sprint(answer["detail"]), want) {
		t.Errorf("without Bearer: %v, want %s", answer, want)
	}
}

// metrics returns the metrics as Prometheus reads them.
func (r *running) metrics(t *testing.T) string {
	t.Helper()
	response, err := http.Get(r.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMetrics(t *testing.T) {
	r := start(t, nil)
	r.post(t, "", strings.NewReader(skia("a", 1)))
	r.post(t, "", strings.NewReader("hello"))
	text := r.metrics(t)
	for _, want := range []string{
		`service_files_total{result="failed",via="upload"} 1`,
		`service_files_total{result="stored",via="upload"} 1`,
		`service_records_total{via="upload"} 1`,
		`service_request_seconds_count{route="POST /upload",status="422"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing %s", want)
		}
	}
}

// dial sends the beginning of an upload.
func (r *running) dial(t *testing.T, name string, length int, body string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /upload?name=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s",
		name, length, body)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
