package ingest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"perfdata/format"
	"perfdata/series"
)

// A memorySink stores the records of files as text. It fails the test if Run does not use it as
// Sink and Batch promise.
type memorySink struct {
	t    testing.TB
	fail func(call, path string) error // may be nil

	mu     sync.Mutex
	stored map[string][]string // by path
	calls  map[string][]string // by path, without repeated Adds
	open   int                 // Batches that are neither committed nor rolled back
	noHash bool
}

func newMemorySink(t testing.TB) *memorySink {
	return &memorySink{t: t, stored: make(map[string][]string), calls: make(map[string][]string)}
}

func (s *memorySink) call(name, path string) error {
	s.mu.Lock()
	calls := s.calls[path]
	if name != "Add" || calls[len(calls)-1] != "Add" {
		s.calls[path] = append(calls, name)
	}
	s.mu.Unlock()
	if s.fail != nil {
		return s.fail(name, path)
	}
	return nil
}

func (s *memorySink) Begin(ctx context.Context, src Source) (Batch, error) {
	if err := s.call("Begin", src.Path); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &memoryBatch{sink: s, src: src, seen: make(map[string]bool)}, nil
}

func (s *memorySink) WantsSHA256() bool { return !s.noHash }

type memoryBatch struct {
	sink    *memorySink
	src     Source
	records []string
	seen    map[string]bool
	ended   bool
}

func (b *memoryBatch) Add(at *series.Point) error {
	if b.ended {
		b.sink.t.Error("Add after the end of the Batch")
	}
	if err := b.sink.call("Add", b.src.Path); err != nil {
		return err
	}
	if string(at.Trace) != at.Identity.ID() || at.Identity.CheckSorted() != nil || at.Attrs().CheckSorted() != nil || at.N < 1 {
		b.sink.t.Errorf("invalid point: %s %+v", at.Trace, at)
	}
	place := fmt.Sprintf("%s %s#%d", at.Trace, at.Commit, at.N)
	if b.seen[place] {
		b.sink.t.Errorf("%s: %s is repeated", b.src.Path, place)
	}
	b.seen[place] = true
	b.records = append(b.records, fmt.Sprintf("%s = %v", place, at.Record.Value))
	return nil
}

func (b *memoryBatch) Commit(header format.Header, content Content) error {
	if b.src.Header.Issue == "" {
		b.src.Header.Issue = header.Issue // may come late
	}
	if diff := cmp.Diff(b.src.Header, header, cmpopts.IgnoreFields(format.Header{}, "Native")); diff != "" {
		b.sink.t.Errorf("header (-Begin +Commit):\n%s", diff)
	}
	if b.ended || content.Records != len(b.records) {
		b.sink.t.Errorf("Commit of %d records, want %d", content.Records, len(b.records))
	}
	if err := b.sink.call("Commit", b.src.Path); err != nil {
		return err
	}
	b.end()
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	b.sink.stored[b.src.Path] = b.records
	return nil
}

func (b *memoryBatch) Rollback() error {
	if b.ended {
		b.sink.t.Error("Rollback after the end of the Batch")
	}
	b.end()
	return b.sink.call("Rollback", b.src.Path)
}

func (b *memoryBatch) end() {
	b.ended = true
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	b.sink.open--
}

// ingested is what Run made of files.
type ingested struct {
	summary Summary
	reports map[string]Report
	stored  map[string][]string
	calls   map[string][]string
}

// ingestFiles runs Run, and fails the test if it fails, or leaves a goroutine or an open Batch.
func ingestFiles(
	t *testing.T, files iter.Seq2[File, error], options RunOptions, fail func(call, path string) error,
) ingested {
	t.Helper()
	got := ingested{reports: make(map[string]Report)}
	options.Report = func(r Report) {
		if _, ok := got.reports[r.File.Path]; ok {
			t.Errorf("%s: a second report", r.File.Path)
		}
		got.reports[r.File.Path] = r
	}
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		sink := newMemorySink(t)
		sink.fail = fail
		var err error
		got.summary, err = Run(t.Context(), files, sink, options)
		if err != nil || sink.open != 0 {
			t.Errorf("Run returned %v, with %d Batches open", err, sink.open)
		}
		got.stored, got.calls = sink.stored, sink.calls
	})
	if n := got.summary.Files + got.summary.Failed; n != len(got.reports) {
		t.Errorf("%d files in the summary, want %d", n, len(got.reports))
	}
	return got
}

// texts returns Files with the given contents.
func texts(contents map[string]string) iter.Seq2[File, error] {
	var files []File
	for _, path := range slices.Sorted(maps.Keys(contents)) {
		files = append(files, textFile(path, contents[path]))
	}
	return sequence(files...)
}

func sequence(files ...File) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func textFile(path, text string) File {
	return File{Path: path, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}
