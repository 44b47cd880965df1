package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	loadTime     = flag.Duration("load", 0, "time for which TestUploaders uploads; 2m for figures")
	loadDatabase = flag.String("load-database", "", "name of the database of TestUploaders, if it is not a new file")
)

// 50 clients that upload without a pause are not refused, with the default settings. With -load, it logs
// how long they wait, in syncs of the disk.
func TestUploaders(t *testing.T) {
	const clients = 50
	database := *loadDatabase
	if database == "" {
		database = filepath.Join(t.TempDir(), "perf.db")
	}
	address, _ := startChild(t, database)
	r := &running{url: address}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients

	began := time.Now()
	var mu sync.Mutex
	var times, syncs []time.Duration
	var uploaders sync.WaitGroup
	for client := range clients {
		uploaders.Go(func() {
			for i := 0; i < 4 || time.Since(began) < *loadTime; i++ {
				start := time.Now()
				status, answer := r.post(t, "", strings.NewReader(uploadOf(client, i)))
				took := time.Since(start)
				if status != http.StatusCreated {
					t.Errorf("%d %v", status, answer)
				}
				mu.Lock()
				times = append(times, took)
				mu.Unlock()
			}
		})
	}
	ticks := time.NewTicker(100 * time.Millisecond) // so that this does not keep the disk busy
	defer ticks.Stop()
	dir := t.TempDir()
	for ended := false; !ended; <-ticks.C {
		syncs = append(syncs, syncTime(t, dir))
		ended = time.Since(began) >= *loadTime
	}
	uploaders.Wait()

	slices.Sort(times)
	slices.Sort(syncs)
	sync := syncs[len(syncs)/2]
	in := func(d time.Duration) string { return fmt.Sprintf("%v, %.1f syncs", d, float64(d)/float64(sync)) }
	t.Logf("%d uploads in %v; p50 %s; the slowest %s; a sync %v", len(times), time.Since(began), in(times[len(times)/2]),
		in(times[len(times)-1]), sync)
}

// uploadOf returns a file of 6 KB, of a commit whose other traces come from other clients.
func uploadOf(client, i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"version":1,"git_hash":"c%d","key":{"arch":"x86","client":"%d"},"results":[`, i/4, client)
	for j := range 100 {
		if j > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"test":"draw_%d","units":"ms"},"measurement":%d.5}`, j, i+j)
	}
	return b.String() + "]}"
}

// syncTime returns how long it takes to write a page and wait for the disk, as a commit does.
func syncTime(t *testing.T, dir string) time.Duration {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := time.Now()
	if _, err = f.Write(make([]byte, 4096)); err == nil {
		err = f.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	return took
}
