package store

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"perfdata/ingest"
	"perfdata/traceid"
)

// Ingest stores files, all or nothing of each, as [ingest.Run] does, and records the errors of
// those that fail. A file that is stored already is read again, and nothing changes if its content
// is the same.
//
// The error says that the context was cancelled, or that an error could not be recorded.
func (s *Store) Ingest(
	ctx context.Context, files iter.Seq2[ingest.File, error], options ingest.RunOptions,
) (ingest.Summary, error) {
	var failure error // the first
	report := options.Report
	options.Report = func(r ingest.Report) {
		// When the context is cancelled, the files are not at fault.
		if ctx.Err() == nil {
			if err := s.Note(ctx, r); err != nil {
				r.Err = errors.Join(r.Err, err)
				if failure == nil {
					failure = err
				}
			}
		}
		if report != nil {
			report(r)
		}
	}
	summary, err := ingest.Run(ctx, files, s, options)
	return summary, errors.Join(err, failure)
}

// Upload stores a file that has been sent, and returns what became of it. The name is a path in
// the storage layout, with directories YYYY/MM/DD/HH, or any other name: then the file gets the
// path that [UploadPath] makes, with the current hour. The path is that of Report.File.
//
// To cancel an upload, make the reader fail.
func (s *Store) Upload(ctx context.Context, name string, in io.Reader, options ingest.RunOptions) ingest.Report {
	path := name
	hour, ok := ingest.HourOf(path)
	if !ok {
		path = UploadPath(name, time.Now())
		hour, _ = ingest.HourOf(path)
	}
	file := ingest.File{Path: path, Hour: hour, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(in), nil
	}}

	var result ingest.Report
	report := options.Report
	options.Report = func(r ingest.Report) {
		result = r
		if report != nil {
			report(r)
		}
	}
	options.Workers = 1
	one := func(yield func(ingest.File, error) bool) { yield(file, nil) }
	if _, err := s.Ingest(ctx, one, options); err != nil && result.Err == nil {
		result = ingest.Report{File: file, Err: err}
	}
	return result
}

// UploadPath returns a path in the storage layout for a file that has none: its hour is that of
// the time given, and its name is unique. The path ends with the last part of the name given, in
// which characters become _, except for ASCII letters, digits, and . _ and -.
func UploadPath(name string, written time.Time) string {
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	base = traceid.CanonicalString(base)
	base = strings.TrimSuffix(base[:min(len(base), 100)], ".json")
	return "uploads/" + written.UTC().Format(hourLayout) + "/" + strings.ToLower(rand.Text()) + "-" + base + ".json"
}
