package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"perfdata/store/service"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A flakyBucket fails one call in fifty: to list a folder, to open a file, or to read.
type flakyBucket struct {
	fstest.MapFS

	mu     sync.Mutex
	random *rand.Rand
	left   int    // calls until kill is called
	kill   func() // may be nil
}

var errBucket = errors.New("the bucket answered with 503")

func (b *flakyBucket) fails() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left--; b.left == 0 && b.kill != nil {
		b.kill()
	}
	if b.random.IntN(50) == 0 {
		return errBucket
	}
	return nil
}

func (b *flakyBucket) Open(name string) (fs.File, error) {
	if err := b.fails(); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := b.MapFS.Open(name)
	if dir, ok := f.(fs.ReadDirFile); ok {
		return dir, err
	}
	return flakyFile{f, b}, err
}

func (b *flakyBucket) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.fails(); err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	return b.MapFS.ReadDir(name)
}

type flakyFile struct {
	fs.File
	bucket *flakyBucket
}

func (f flakyFile) Read(p []byte) (int, error) {
	if err := f.bucket.fails(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// A week of hours is read as it grows: each hour has files that come late, by up to a day, each scan
// may be interrupted, after which a new process continues, and the bucket fails one call in fifty. At
// the end, each file is stored, and the scans of the last hours did not list the first ones.
func TestWeekReplayed(t *testing.T) {
	hours := 7 * 24
	if testing.Short() {
		hours = 50
	}
	random := rand.New(rand.NewPCG(1, 2))
	bucket := &flakyBucket{MapFS: make(fstest.MapFS), random: rand.New(rand.NewPCG(3, 4))}
	served, err := service.Open(t.Context(), filepath.Join(t.TempDir(), "perf.db"), service.DefaultConfig(),
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	db := served.Store()
	process := func() *tree {
		c := config{tree: "mem://week", lateness: 24 * time.Hour}
		t := newTree(served, c, slog.New(slog.DiscardHandler))
		t.fsys = bucket
		return t
	}
	begin := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	add := func(hour int, name string) {
		path := "nano/" + begin.Add(time.Duration(hour)*time.Hour).Format("2006/01/02/15") + "/" + name + ".json"
		bucket.MapFS[path] = &fstest.MapFile{Data: []byte(skia(name, hour))}
	}

	// Each turn is an hour. In one of three, the process is interrupted after some files.
	current, kills := process(), 0
	scan := func(isKilled bool) {
		ctx, kill := context.WithCancel(t.Context())
		defer kill()
		bucket.kill = nil
		if isKilled {
			bucket.kill, bucket.left = kill, 1+random.IntN(60)
		}
		if current.loadCheckpoint(ctx) && current.loadSeen(ctx) {
			current.scan(ctx)
		}
		if ctx.Err() != nil {
			current = process()
			kills++
		}
	}
	for hour := range hours {
		for i := range 4 {
			add(hour, fmt.Sprintf("%d-%d", hour, i))
		}
		for i := range 2 {
			add(max(0, hour-random.IntN(24)), fmt.Sprintf("%d-late-%d", hour, i))
		}
		scan(random.IntN(3) == 0)
	}
	recent := func() bool { return current.options.From.Sub(begin) >= time.Duration(hours-30)*time.Hour }
	for n := 0; n < 10 || n < 200 && !recent(); n++ { // until what failed has passed
		scan(false)
	}

	var want, got []string
	for path := range bucket.MapFS {
		want = append(want, path)
	}
	for src, err := range db.Sources(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if src.SHA256 != nil {
			got = append(got, src.Path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if kills == 0 || !recent() {
		t.Errorf("%d kills; the last scan began at %v", kills, current.options.From)
	}
}
