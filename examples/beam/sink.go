package main

import (
	"context"
	"fmt"
	"sync"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// A sink emits the measurements of files in blocks. It is an ingest.Sink.
type sink struct {
	*packer

	mu     sync.Mutex // of what follows: several files are read at the same time
	emit   func(day string, packed []byte)
	counts map[string]counts // by day
}

func (s *sink) Begin(_ context.Context, src ingest.Source) (ingest.Batch, error) {
	if !utf8.ValidString(src.Path) {
		return nil, fmt.Errorf("the path is not UTF-8: %w", ingest.ErrRefused) // Parquet and JSON cannot hold it
	}
	f := &fileBatch{sink: s, day: dayOf(src.Path), params: make(map[string]string)}
	f.row.Texts[textPath] = src.Path
	return f, nil
}

func (s *sink) WantsSHA256() bool { return false }

// fail emits a file that failed.
func (s *sink) fail(path, fault string) {
	var b block
	b.add(&row{Texts: [numTexts]string{textPath: path, textError: fault}})
	s.send(dayOf(path), counts{Failed: 1}, withChange("", "", s.take(&b)))
}

func (s *sink) send(day string, c counts, blocks ...[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blocks {
		s.emit(day, b)
	}
	s.counts[day] = addCounts(s.counts[day], c)
}

// A fileBatch is the measurements of a file. It holds all of them until the file was read to its end,
// in blocks: about 20 bytes a measurement.
type fileBatch struct {
	sink   *sink
	day    string
	row    row               // the last one
	params map[string]string // encoded, by trace
	pairs  []byte            // encoded
	block  block
	full   [][]byte
}

func (f *fileBatch) Add(at *series.Point) error {
	rec, t := at.Record, &f.row.Texts
	if t[textTrace] != string(at.Trace) {
		t[textTrace] = string(at.Trace)
		params, ok := f.params[t[textTrace]]
		if !ok {
			params = string(appendPairs(nil, at.Identity))
			f.params[t[textTrace]] = params
		}
		t[textParams] = params
	}
	if f.pairs = appendPairs(f.pairs[:0], at.Attrs()); t[textAttrs] != string(f.pairs) {
		t[textAttrs] = string(f.pairs)
	}
	if f.pairs = appendPairs(f.pairs[:0], rec.Links); t[textLinks] != string(f.pairs) {
		t[textLinks] = string(f.pairs)
	}
	t[textCommit], t[textUnit], t[textBetter] = at.Commit, rec.Unit, rec.Better.String()
	f.row.N, f.row.Offset, f.row.Value = int64(at.N), rec.Offset, rec.Value

	f.block.add(&f.row)
	if f.block.full() {
		f.full = append(f.full, f.sink.take(&f.block))
	}
	return nil
}

// Commit emits the blocks. The issue and the patchset may come after the measurements in the file.
func (f *fileBatch) Commit(h format.Header, content ingest.Content) error {
	if f.block.rows > 0 {
		f.full = append(f.full, f.sink.take(&f.block))
	}
	for i, packed := range f.full {
		f.full[i] = withChange(h.Issue, h.Patchset, packed)
	}
	f.sink.send(f.day, counts{Files: 1, Measurements: int64(content.Records)}, f.full...)
	return nil
}

func (f *fileBatch) Rollback() error { return nil }
