package main

import (
	"context"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

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
