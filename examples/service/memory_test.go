package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// startChild runs the service with its default flags, except for the times for which queries wait and their answers
// are kept for clients that do not read, in a process of its own, until the end of the test. It returns its URL and
// the number of the process.
func startChild(t *testing.T, database string) (address string, process int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), treeVariable+"=", databaseVariable+"="+database)
	if !*fullLoads { // other tests may run on the machine
		cmd.Env = append(cmd.Env, waitVariable+"=5m")
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})

	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "msg=listening url="); ok {
			go func() {
				for lines.Scan() { // so that the pipe never fills
				}
			}()
			return strings.TrimSpace(rest), cmd.Process.Pid
		}
	}
	t.Fatal("the service did not begin to listen")
	return "", 0
}

// maxMemory is the memory that clients of any number can make the service use.
const maxMemory = 400_000_000

var fullLoads = flag.Bool("full-loads", false, "TestMemory has its loads in full, which take 20 minutes of two cores")

// full returns the first value with -full-loads, and else the second.
func full[T any](most, usual T) T {
	if *fullLoads {
		return most
	}
	return usual
}

// A load is what many clients do.
type load struct {
	name string
	run  func(t *testing.T, r *running)
}

// The loads take a bounded memory, each alone and all at once, and nobody is left without an answer.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the system has no /proc")
	}
	loads := []load{
		{"headers", loadHeaders}, {"uploads", loadUploads}, {"a list", loadList}, {"uploaders", loadUploaders},
		{"queries", loadQueries}, {"slow clients", loadSlow},
	}
	all := load{"all at once", func(t *testing.T, r *running) {
		var running sync.WaitGroup
		for _, one := range loads {
			running.Go(func() { one.run(t, r) })
		}
		running.Wait()
	}}
	runs := append(slices.Clip(loads), all)
	if testing.Short() {
		runs = runs[len(loads):]
	}

	many := start(t, nil)
	if status, answer := many.post(t, "", strings.NewReader(manyValues(12_000))); status != http.StatusCreated {
		t.Fatalf("%d %v", status, answer)
	}
	many.stop()
	database, err := os.ReadFile(many.db)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range runs {
		t.Run(one.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "perf.db")
			if err := os.WriteFile(name, database, 0o666); err != nil {
				t.Fatal(err)
			}
			address, process := startChild(t, name)
			r := &running{url: address}
			one.run(t, r)
			logRefusals(t, r)
			if got := peakMemory(t, process); got > maxMemory {
				t.Errorf("the service took %d MB, want at most %d", got/1e6, maxMemory/1_000_000)
			}
		})
	}
}

// loadHeaders has 300 connections with a megabyte of headers that do not end.
func loadHeaders(t *testing.T, r *running) {
	header := "GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A0:\r\nA1:\r\nA2:\r\nA3:\r\n", 22_500)
	var clients sync.WaitGroup
	for range 300 {
		clients.Go(func() {
			conn := dialLimited(t, r)
			if n, err := io.WriteString(conn, header); err == nil {
				t.Logf("%d bytes of a header were taken", n) // by the system
			}
		})
	}
	clients.Wait()
}

// insist sends a request until it is not refused, after the time that the answer says, and returns the status.
func (r *running) insist(t *testing.T, method, path string, body func() io.Reader) int {
	for {
		request, err := http.NewRequest(method, r.url+path, body())
		if err != nil {
			t.Error(err)
			return 0
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			return response.StatusCode
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			t.Errorf("503 without a time to come back: %v", response.Header)
			return 0
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// loadUploads has 16 uploads of many new traces each, all of which are stored in the end.
func loadUploads(t *testing.T, r *running) {
	var clients sync.WaitGroup
	for client := range 16 {
		clients.Go(func() {
			var b strings.Builder
			fmt.Fprintf(&b, `{"version":1,"git_hash":"c1","key":{"client":"%d"},"results":[`, client)
			name := full("name_of_t", strings.Repeat("name_of_t", 30)) // for as many bytes of fewer traces
			for i := range full(400_000, 3000) {
				fmt.Fprintf(&b, `{"key":{"test":"%s_%d"},"measurement":%d.5},`, name, i, i)
			}
			text := strings.TrimSuffix(b.String(), ",") + "]}"
			b.Reset()
			path := fmt.Sprintf("/upload?name=large%d", client)
			status := r.insist(t, "POST", path, func() io.Reader { return strings.NewReader(text) })
			if status != http.StatusCreated && status != http.StatusOK {
				t.Errorf("upload %d: %d", client, status)
			}
		})
	}
	clients.Wait()
}

// A hashes is a list of commits, which is made while it is read.
type hashes struct{ next, end int }

func (h *hashes) Read(p []byte) (n int, err error) {
	const line = 41
	for n+line <= len(p) && h.next < h.end {
		n += copy(p[n:], fmt.Sprintf("%040x\n", h.next))
		h.next++
	}
	if h.next == h.end {
		return n, io.EOF
	}
	return n, nil
}

// loadList sends a list of 6 million commits, which is too long.
func loadList(t *testing.T, r *running) {
	status := r.insist(t, "PUT", "/api/commits", func() io.Reader { return &hashes{end: 6_000_000} })
	if status != http.StatusOK && status != http.StatusRequestEntityTooLarge {
		t.Errorf("a list: %d", status)
	}
}

// loadUploaders has 300 clients with a small file each.
func loadUploaders(t *testing.T, r *running) {
	var clients sync.WaitGroup
	for client := range 300 {
		clients.Go(func() {
			path := fmt.Sprintf("/upload?name=small%d", client)
			status := r.insist(t, "POST", path, func() io.Reader { return strings.NewReader(uploadOf(client, 0)) })
			if status != http.StatusCreated && status != http.StatusOK {
				t.Errorf("uploader %d: %d", client, status)
			}
		})
	}
	clients.Wait()
}

// loadQueries has 50 clients with one query of 1,000 rows at a time. At most one in fifty is refused.
func loadQueries(t *testing.T, r *running) {
	var asked, refused atomic.Int64
	var clients sync.WaitGroup
	began := time.Now()
	for range 50 {
		clients.Go(func() {
			for i := 0; i < 3 || time.Since(began) < full(time.Minute, 0); i++ {
				asked.Add(1)
				if r.status(t, "/api/series?limit=1000") == http.StatusServiceUnavailable {
					refused.Add(1)
				}
			}
		})
	}
	clients.Wait()
	t.Logf("%d of %d queries were refused in %v", refused.Load(), asked.Load(), time.Since(began))
	if 50*refused.Load() > asked.Load() {
		t.Error("more than 2%")
	}
}

// loadSlow has clients that do not read, ask for much, send slowly, or ask with expressions that take long.
func loadSlow(t *testing.T, r *running) {
	for i := range 50 {
		ask(t, r.url, [...]string{"/api/params", "/api/series?limit=10000"}[i%2])
	}
	for range 4 {
		r.dial(t, "slow.json", 1000, lines)
	}
	var clients sync.WaitGroup
	for range 40 {
		clients.Go(func() { r.status(t, "/api/series?limit=10000") })
	}
	for i := range 8 {
		expression := fmt.Sprintf("many=~(?:[0-9]?v?){%d}v{80}x", 300+i)
		clients.Go(func() { r.status(t, "/api/series?q="+url.QueryEscape(expression)) })
	}
	for range 10 {
		clients.Go(func() { r.status(t, "/api/changes") })
		clients.Go(func() { r.status(t, "/api/report") })
	}
	clients.Wait()
}

// status reads an answer, which is the answer of a query, or says that there are too many
// queries.
func (r *running) status(t *testing.T, path string) int {
	response, err := http.Get(r.url + path)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	buf := make([]byte, 64<<10)
	for err == nil {
		_, err = response.Body.Read(buf)
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s: %s", path, response.Status)
	}
	return response.StatusCode
}

// logRefusals logs the number of refusals, by the part of the budget.
func logRefusals(t *testing.T, r *running) {
	response, err := http.Get(r.url + "/metrics")
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "service_refused_total{") {
			t.Log(lines.Text())
		}
	}
}

// peakMemory returns the greatest resident memory of a process so far, in bytes.
func peakMemory(t *testing.T, process int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes int
	if _, err := fmt.Sscanf(rest, "%d kB", &kilobytes); err != nil {
		t.Fatalf("VmHWM: %v in\n%s", err, text)
	}
	t.Logf("%d MB", kilobytes<<10/1_000_000)
	return kilobytes << 10
}
