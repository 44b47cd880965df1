package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// A bucket is a folder whose requests fail: of its files in a directory "bad" always, and of the others
// one in 50, or of those to be written, one in five.
type bucket struct{ requests atomic.Int64 }

const scheme = "faulty://"

var errBucket = errors.New("the bucket is away")

func (b *bucket) fault(name string, often int64) error {
	if b.requests.Add(1)%often == 0 || strings.Contains(name, "/bad/") {
		return errBucket
	}
	return nil
}

func (b *bucket) Close() error                                { return nil }
func (b *bucket) Size(context.Context, string) (int64, error) { return 0, errors.ErrUnsupported }

func (b *bucket) List(_ context.Context, pattern string) (names []string, err error) {
	if err := b.fault("", 50); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(pattern, "/**") {
		names, err = filepath.Glob(strings.TrimPrefix(pattern, scheme))
	} else {
		root := strings.TrimSuffix(strings.TrimPrefix(pattern, scheme), "/**")
		err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name)
			}
			return nil
		})
	}
	for i := range names {
		names[i] = scheme + names[i]
	}
	return names, err
}

func (b *bucket) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	if err := b.fault(name, 50); err != nil {
		return nil, err
	}
	f, err := os.Open(strings.TrimPrefix(name, scheme))
	return bucketFile{b, f}, err
}

func (b *bucket) OpenWrite(_ context.Context, name string) (io.WriteCloser, error) {
	name = strings.TrimPrefix(name, scheme)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(name)
	return bucketFile{b, f}, err
}

func (b *bucket) Rename(_ context.Context, from, to string) error {
	return os.Rename(strings.TrimPrefix(from, scheme), strings.TrimPrefix(to, scheme))
}

func (b *bucket) Remove(_ context.Context, name string) error {
	return os.Remove(strings.TrimPrefix(name, scheme))
}

type bucketFile struct {
	bucket *bucket
	*os.File
}

func (f bucketFile) Read(p []byte) (int, error) {
	if err := f.bucket.fault(f.Name(), 50); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f bucketFile) Write(p []byte) (int, error) {
	if err := f.bucket.fault("", 5); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// TestFaultyBucket reads from a bucket and writes to it.
func TestFaultyBucket(t *testing.T) {
	tree := randomTree(t)
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	roots := []string{"bot0", "bot1"}
	want, got := t.TempDir(), t.TempDir()
	o := options{out: want, first: day, last: day.AddDate(0, 0, 3), rows: 30}
	if status, stderr := ingestTo(t, under(tree, roots), o); status != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
	o.out = scheme + got
	if status, stderr := ingestTo(t, under(scheme+tree, roots), o); status != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
	ignore := func(r *result) {
		for i := range r.rows {
			r.rows[i].File = strings.TrimPrefix(r.rows[i].File, scheme+tree+"/")
		}
	}
	a, b := readResult(t, tree, want), readResult(t, scheme+tree, got)
	ignore(&b)
	a.parts, b.parts = nil, nil // a failed file is in the part of its path's hash
	if diff := gocmp.Diff(a, b, gocmp.AllowUnexported(result{}, resultRow{})); diff != "" || len(a.rows) == 0 {
		t.Errorf("%d rows, (-folder +bucket):\n%s", len(a.rows), diff)
	}

	// A file that cannot be read is not at fault, so nothing is done without it.
	bad := makeTree(t, map[string]string{
		"bad/2026/01/01/00/a.json": "", "ok/2026/01/01/00/a.json": skia("", "c1", 1, "t"),
	})
	out := t.TempDir()
	o.out = out
	status, stderr := ingestTo(t, under(scheme+bad, []string{"bad", "ok"}), o)
	if status != 2 || !strings.Contains(stderr, errBucket.Error()) || len(glob(t, out+"/*")) > 0 {
		t.Errorf("status %d, %s, files %v", status, stderr, glob(t, out+"/*"))
	}
}
