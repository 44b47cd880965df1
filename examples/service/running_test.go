package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"perfdata/store/service"
	"strings"
	"testing"
	"time"
)

// A running is a service that a test started.
type running struct {
	url  string
	db   string
	logs *logs
	stop func() error // and waits
}

// logs is a slog.Handler whose records a test can wait for, each once.
type logs struct {
	records chan map[string]string
}

func newLogs() *logs { return &logs{make(chan map[string]string, 1000)} }

func (l *logs) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *logs) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *logs) WithGroup(string) slog.Handler { return l }

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

// start runs a service until the end of the test.
func start(t *testing.T, change func(*config)) *running {
	t.Helper()
	c := config{Config: service.DefaultConfig(), listen: "127.0.0.1:0", database: filepath.Join(t.TempDir(), "perf.db")}
	c.AllowNoCommit, c.Grace = true, time.Minute
	if change != nil {
		change(&c)
	}

	l := newLogs()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, c, slog.New(l))
		l.end(err)
		ended <- err
	}()

	r := &running{db: c.database, logs: l}
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
	r.url = l.wait(t, "listening")["url"]
	return r
}

// order returns the order of the commits in an answer.
func (r *running) order(t *testing.T) string {
	t.Helper()
	_, answer := r.get(t, "/api/commits")
	var names []string
	for _, c := range answer["commits"].([]any) {
		c := c.(map[string]any)
		names = append(names, fmt.Sprint(c["commit"]))
	}
	return fmt.Sprintf("%s by %s", strings.Join(names, " "), answer["order"])
}

// manyValues returns a file with n values of a param, of 600 bytes each.
func manyValues(n int) string {
	var b strings.Builder
	b.WriteString(`{"version":1,"git_hash":"many","results":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"key":{"many":"%06d%s"},"measurement":%d},`, i, strings.Repeat("v", 594), i)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

// ask sends a query on a connection of its own, and does not read the answer.
func ask(t *testing.T, address, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err == nil {
		t.Cleanup(func() { conn.Close() })
		err = conn.(*net.TCPConn).SetReadBuffer(4096)
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// dialLimited connects to a service.
func dialLimited(t *testing.T, r *running) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// lines is a file of two results.
const lines = "BenchmarkA 1 1 ns/op\nBenchmarkB 1 1 ns/op\n"
