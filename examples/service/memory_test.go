package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// startChild runs the service with its default flags, in a process of its own, until the end of the
// test. It returns its URL and the number of the process.
func startChild(t *testing.T, database string) (address string, process int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), treeVariable+"=", databaseVariable+"="+database)
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
const maxMemory = 400 << 20

// Clients that do not read, those that ask all at once, expressions that take long and slow uploads
// take a bounded memory, and do not keep others from uploading.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the system has no /proc")
	}
	address, process := startChild(t, filepath.Join(t.TempDir(), "perf.db"))
	r := &running{url: address}
	if status, answer := r.post(t, "", strings.NewReader(manyValues(60_000))); status != http.StatusCreated {
		t.Fatalf("%d %v", status, answer)
	}

	for i := range 100 {
		ask(t, address, [...]string{"/api/params", "/api/series?limit=10000"}[i%2])
	}
	for range 4 {
		r.dial(t, "slow.json", 1000, lines)
	}
	r.waitMetric(t, "service_uploads_in_progress 4")

	var clients sync.WaitGroup
	for range 200 {
		clients.Go(func() { r.status(t, "/api/series?limit=10000") })
	}
	for i := range 8 {
		expression := fmt.Sprintf("many=~(?:[0-9]?v?){%d}v{80}x", 300+i)
		clients.Go(func() { r.status(t, "/api/series?q="+url.QueryEscape(expression)) })
	}
	for i := range 20 {
		if status, answer := r.post(t, "", strings.NewReader(skia(fmt.Sprint(i), 1))); status != http.StatusCreated {
			t.Errorf("an upload meanwhile: %d %v", status, answer)
		}
	}
	clients.Wait()

	if got := peakMemory(t, process); got > maxMemory {
		t.Errorf("the service took %d MiB, want at most %d", got>>20, maxMemory>>20)
	}
}

// status reads an answer, which is that of a query, or says that there are too many.
func (r *running) status(t *testing.T, path string) {
	response, err := http.Get(r.url + path)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	buf := make([]byte, 64<<10)
	for err == nil {
		_, err = response.Body.Read(buf)
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s: %s", path, response.Status)
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
	t.Logf("%d MiB", kilobytes>>10)
	return kilobytes << 10
}
