package main

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/memblob"  // mem://

	"perfdata"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/internal/opening"
	"perfdata/store"
	"perfdata/store/service"
)

// A tree is a folder or a bucket whose files are ingested.
type tree struct {
	config
	service *service.Service
	log     *slog.Logger
	fsys    fs.FS
	options ingest.WalkOptions
	scanned atomic.Int64 // when the last scan began that left nothing to try again, in Unix nanoseconds

	mu      sync.Mutex
	seen    map[string]version          // by path: files that need not be read again
	failed  map[string]int              // by path: how often for an unknown reason
	claims  map[string]*admission.Claim // by path: of files that are read
	soon    bool                        // some file is too new to be read
	again   bool                        // some file failed that will be read again
	reports int                         // of the scan
}

func newTree(s *service.Service, c config, log *slog.Logger) *tree {
	t := &tree{
		config: c, service: s, log: log, seen: make(map[string]version), failed: make(map[string]int),
	}
	t.scanned.Store(time.Now().UnixNano())
	const help = "Time since the last scan of the tree began that left no file to try again, or since the start."
	s.Gauge("service_watch_lag_seconds", help, func() float64 {
		return time.Since(time.Unix(0, t.scanned.Load())).Seconds()
	})
	return t
}

// A version tells whether a file changed. It is zero, for unknown, if an earlier run stored the
// file.
type version struct {
	size    int64
	changed time.Time
}

// run ingests the files of a tree, and files that are added to it, until the context is
// canceled. A file that fails for a temporary reason, such as an unavailable database, is tried
// again.
//
// The name is a folder, or the URL of a bucket, whose files are in the storage layout. The database
// keeps the checkpoint of a bucket, before which no file is missing: a scan lists the files from some time
// before the checkpoint on, also after a restart.
func (t *tree) run(ctx context.Context) error {
	w := &watcher{new(fsnotify.Watcher), t.log, t.settle}
	isBucket := strings.Contains(t.tree, "://")
	if isBucket {
		bucket, err := blob.OpenBucket(ctx, t.tree)
		if err != nil {
			return fmt.Errorf("%w (the drivers of gs:// and s3:// need go run -tags cloud)", err)
		}
		defer bucket.Close()
		bucket.SetIOFSCallback(func() (context.Context, *blob.ReaderOptions) { return ctx, nil })
		t.fsys, t.settle = bucket, 0 // its files do not change
	} else {
		var err error
		if w.Watcher, err = fsnotify.NewWatcher(); err != nil {
			return err
		}
		defer w.Close()
		t.fsys = opening.FolderOf(t.tree)
		// The names of temporary files, as rsync and others make them, begin with a dot.
		t.options = ingest.WalkOptions{Order: ingest.ByPath, Reject: regexp.MustCompile(`(^|/)\.`)}
	}

	loaded := false
	for ctx.Err() == nil {
		if !isBucket {
			w.addAll(t.tree) // before the scan, so that it sees what the watcher misses
		}
		if !loaded {
			loaded = t.loadCheckpoint(ctx) && t.loadSeen(ctx)
		}
		if loaded {
			t.scan(ctx)
		}

		delay := t.Rescan
		if t.soon {
			delay = t.settle
		}
		w.wait(ctx, delay, "")
	}
	return nil
}

// loadCheckpoint limits the scans of a bucket to files from some time before its checkpoint on, and
// forgets earlier files. It returns false if the database is unavailable.
func (t *tree) loadCheckpoint(ctx context.Context) bool {
	if t.options.Order != ingest.ByHour {
		return true // the scans of a folder see all files
	}
	checkpoint, err := t.service.Store().Checkpoint(ctx, t.tree)
	if err != nil {
		t.log.Error("the scan will be repeated", "error", err)
		return false
	}
	hour, ok := ingest.HourOf(checkpoint)
	if !ok {
		return true // there is none yet
	}

	t.options.From = hour.Add(-t.lateness)
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.seen, func(path string, _ version) bool { return t.isBefore(path) })
	maps.DeleteFunc(t.failed, func(path string, _ int) bool { return t.isBefore(path) })
	return true
}

// isBefore reports whether the scans leave out a file because of its hour.
func (t *tree) isBefore(path string) bool {
	hour, ok := ingest.HourOf(path)
	return ok && !hour.Add(time.Hour).After(t.options.From)
}

// advance sets the checkpoint of a bucket.
func (t *tree) advance(ctx context.Context, checkpoint string) {
	if checkpoint == "" || t.options.Order != ingest.ByHour {
		return
	}
	if err := t.service.Store().AdvanceCheckpoint(ctx, t.tree, checkpoint); err != nil {
		t.log.Error("the checkpoint of the bucket will be set at the next scan", "error", err)
	}
}

// loadSeen loads the paths that earlier runs stored, as far as scans list them. It returns false if the
// database is away.
func (t *tree) loadSeen(ctx context.Context) bool {
	for src, err := range t.service.Store().Sources(ctx) {
		if err != nil {
			t.log.Error("the scan will be repeated", "error", err)
			return false
		}
		if src.SHA256 != nil && !t.isBefore(src.Path) {
			t.seen[src.Path] = version{}
		}
	}
	return true
}

// scan ingests the files of the tree that were not seen, or have changed since.
func (t *tree) scan(ctx context.Context) {
	began := time.Now()
	t.soon, t.again, t.reports, t.claims = false, false, 0, make(map[string]*admission.Claim)

	options := store.IngestOptions{AllowNoCommit: t.AllowNoCommit, RunOptions: ingest.RunOptions{
		Opener: perfdata.Opener{Options: format.Options{Limits: t.Upload.Format}},
		Strict: t.Strict,
		Report: func(r ingest.Report) {
			t.release(r.File.Path)
			if ctx.Err() == nil {
				t.service.Ingested(ctx, "tree", r)
				t.done(r)
				if t.reports++; t.reports%1000 == 0 {
					t.advance(ctx, r.Checkpoint)
				}
			}
		},
	}}

	summary, err := t.service.Store().Ingest(ctx, t.unseen(ctx, began), options)
	for path := range t.claims { // of files that were not read any more
		t.release(path)
	}

	if ctx.Err() != nil {
		return
	}
	if err != nil {
		t.log.Error("the scan will be repeated", "error", err)
		return
	}
	level := slog.LevelInfo
	if summary == (ingest.Summary{}) {
		level = slog.LevelDebug // nothing was new
	}
	t.log.Log(ctx, level, "scanned", "stored", summary.Files, "failed", summary.Failed, "records", summary.Records)

	if !t.again && !t.soon {
		t.scanned.Store(began.UnixNano())
	}
	t.advance(ctx, summary.Checkpoint)
	t.loadCheckpoint(ctx)
}

// unseen iterates over the files that are to be read.
func (t *tree) unseen(ctx context.Context, now time.Time) iter.Seq2[ingest.File, error] {
	return func(yield func(ingest.File, error) bool) {
		for f, err := range ingest.Walk(t.fsys, ".", t.options) {
			if t.skip(f, now) {
				continue
			}
			if !t.admit(ctx, f) || !yield(f, err) {
				return
			}
		}
	}
}

// admit waits for the memory that a file takes until it is reported. It returns false if the context ends.
func (t *tree) admit(ctx context.Context, f ingest.File) bool {
	for {
		claim, err := t.service.Admit(ctx, f.Size)
		if err == nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.claims[f.Path] = claim
			return true
		}
		if ctx.Err() != nil {
			return false
		}
	}
}

// release ends the claim of a file.
func (t *tree) release(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims[path].Release()
	delete(t.claims, path)
}

// skip reports whether a file need not, or must not yet, be read.
func (t *tree) skip(f ingest.File, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := version{f.Size, f.ModTime}
	if seen, ok := t.seen[f.Path]; ok && (seen == v || seen == version{}) {
		t.seen[f.Path] = v
		return true
	}
	age := now.Sub(f.ModTime)
	tooNew := age >= 0 && age < t.settle
	t.soon = t.soon || tooNew
	return tooNew
}

// maxUnknown is how often a file is read that fails for a reason if it is not known whether
// it passes, such as a bucket that cannot be read.
const maxUnknown = 10

// done remembers a file, unless another attempt may succeed.
func (t *tree) done(r ingest.Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Err != nil {
		status := service.StatusOf(r.Err)
		if status == http.StatusInternalServerError {
			t.failed[r.File.Path]++
		}
		if status == http.StatusServiceUnavailable ||
			status == http.StatusInternalServerError && t.failed[r.File.Path] < maxUnknown {
			t.again = true
			return
		}
	}
	delete(t.failed, r.File.Path)
	t.seen[r.File.Path] = version{r.File.Size, r.File.ModTime}
}

// A watcher waits for changes of files, which the system reports for the folders that were added.
type watcher struct {
	*fsnotify.Watcher // without channels for a bucket, which is polled
	log               *slog.Logger
	settle            time.Duration // in which a file must not have changed
}

// addAll adds all folders of a tree, in addition to those that were added before.
func (w *watcher) addAll(root string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // who reads the files reports it
		}
		return w.Add(path)
	})
	if err != nil {
		w.log.Warn("changes are noticed at the next rescan only", "folder", root, "error", err)
	}
}

// wait returns true some time after a change, or else after the delay, and false when the context is
// canceled. With a name, only changes of files of that name matter, and it waits until none has come for
// that time; otherwise, later changes do not postpone the return.
func (w *watcher) wait(ctx context.Context, delay time.Duration, name string) bool {
	due := time.After(delay)
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-due:
			return true
		case <-settled:
			return true
		case event := <-w.Events:
			if name != "" && filepath.Base(event.Name) != name {
				continue
			}
		case err := <-w.Errors:
			w.log.Warn("changes may be noticed at the next rescan only", "error", err)
		}
		if settled == nil || name != "" {
			settled = time.After(w.settle)
		}
	}
}
