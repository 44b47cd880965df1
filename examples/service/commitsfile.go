package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"perfdata/format"
	"perfdata/store/service"
)

// A commitsFile is a list of commits in a file.
type commitsFile struct {
	service *service.Service
	log     *slog.Logger
	name    string
	read    version // that was read last
}

// load gives the store the list, if the file has changed since it was read.
func (f *commitsFile) load(ctx context.Context) error {
	file, err := os.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	now := version{info.Size(), info.ModTime()}
	if now == f.read {
		return nil
	}

	if err := f.service.SetCommits(ctx, file, f.name, ""); err != nil {
		if format.IsFinal(err) {
			f.read = now // it fails again, until it changes
		}
		return err
	}
	f.read = now
	return nil
}

// watch loads the list when the file changes, until the context is canceled.
func (f *commitsFile) watch(ctx context.Context, c config) error {
	of, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer of.Close()
	w := &watcher{of, f.log, c.settle}
	// The folder, so that a file that takes the place of this one is noticed.
	if err := w.Add(filepath.Dir(f.name)); err != nil {
		f.log.Warn("the list of commits is read again at the next rescan only", "error", err)
	}
	for w.wait(ctx, c.Rescan, filepath.Base(f.name)) {
		if err := f.load(ctx); err != nil && !errors.Is(err, context.Canceled) {
			f.log.Warn("the list of commits was not read", "file", f.name, "error", err)
		}
	}
	return nil
}
