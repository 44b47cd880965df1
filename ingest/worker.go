package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/series"
)

// A worker reads one file after another into a sink.
type worker struct {
	sink    Sink
	options *RunOptions
	input   input
	file    *perfdata.File // of the input; reset for each
	placer  series.Placer
}

func newWorker(sink Sink, options *RunOptions) *worker {
	w := &worker{sink: sink, options: options, placer: series.Placer{
		NotIdentity: options.NotIdentity, Charset: options.Charset, Limits: options.Opener.Limits,
	}}
	if sink.WantsSHA256() {
		w.input.hash = sha256.New()
	}
	return w
}

// maxFaults is the length of Report.FirstFaults.
const maxFaults = 20

// ingest reads a file into the sink, all or nothing, in as many attempts as it takes.
func (w *worker) ingest(ctx context.Context, f File) Report {
	for attempt := 0; ; attempt++ {
		report := w.try(ctx, f)
		if attempt >= w.options.Retries || !mayPass(report.Err) {
			return report
		}
		select {
		case <-time.After(min(w.options.Backoff<<min(attempt, 16), time.Minute)):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return report
		}
	}
}

// mayPass reports whether a file that failed may succeed in another attempt.
func mayPass(err error) bool {
	switch {
	case err == nil, format.IsFinal(err), errors.Is(err, ErrRefused), errors.Is(err, ErrLayout):
		return false
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrInvalid):
		return false
	}
	return true
}

// try reads a file into the sink, unless the sink has it.
func (w *worker) try(ctx context.Context, f File) Report {
	if deduplicator, ok := w.sink.(Deduplicator); ok {
		stored, err := deduplicator.Lookup(ctx, f)
		if err != nil {
			return Report{File: f, Err: named(f.Path, err)}
		}
		if stored != nil {
			return Report{File: f, Format: stored.Format, Content: stored.Content, Skipped: true}
		}
	}

	report := Report{File: f}
	if err := w.read(ctx, &report); err != nil {
		return Report{File: f, Format: report.Format, Err: err}
	}
	for i, fault := range report.FirstFaults {
		report.FirstFaults[i] = named(f.Path, fault)
	}
	return report
}

// read reads a file into a Batch, which it commits or rolls back.
func (w *worker) read(ctx context.Context, report *Report) error {
	path := report.File.Path
	if err := w.input.open(ctx, report.File); err != nil {
		return named(path, err)
	}
	defer w.input.file.Close() // it was read only, so an error does not matter

	in, err := w.input.reader()
	if err == nil && w.file != nil {
		err = w.file.Reset(in, path)
	} else if err == nil {
		w.file, err = w.options.Opener.NewReader(in, path)
	}
	if err != nil {
		return named(path, err)
	}
	defer w.file.Close()

	batch, err := w.store(ctx, report)
	if err == nil {
		err = w.commit(ctx, batch, report)
	}
	if err == nil {
		return nil
	}
	err = named(path, err)
	if batch == nil {
		return err
	}
	if failed := batch.Rollback(); failed != nil {
		err = errors.Join(err, named(path, fmt.Errorf("rollback: %w", failed)))
	}
	return err
}

// store adds the points of the file to a Batch. It also returns the Batch with an error, if it has begun
// one.
//
// The Batch begins with the first record or fault: then the Reader knows what records need of the
// header. To read all of the header first, it would have to read some files twice.
func (w *worker) store(ctx context.Context, report *Report) (batch Batch, err error) {
	report.Format = w.file.Format.Name
	w.placer.Reset()
	for rec, fault := range w.file.Records() {
		if batch == nil {
			if batch, err = w.begin(ctx, report); err != nil {
				return nil, err
			}
		}
		if err := w.add(batch, rec, fault, report); err != nil {
			return batch, err
		}
	}

	switch {
	case batch == nil:
		return w.begin(ctx, report)
	case report.Content.Records == 0 && report.Faults > 0:
		return batch, report.FirstFaults[0]
	}
	return batch, nil
}

// begin begins a Batch.
func (w *worker) begin(ctx context.Context, report *Report) (Batch, error) {
	header, err := w.file.FileHeader()
	if err != nil {
		return nil, err
	}
	return w.sink.Begin(ctx, Source{File: report.File, Format: report.Format, Header: header})
}

// add adds the point of a record to the batch, or counts a fault. It returns an error that the file
// fails with.
func (w *worker) add(batch Batch, rec *format.Record, fault error, report *Report) error {
	var at *series.Point
	if fault == nil {
		at, fault = w.placer.Place(rec)
	}
	if fault == nil {
		report.Content.Records++
		return batch.Add(at)
	}

	if w.options.Strict || !isRecoverable(fault) {
		return fault
	}
	if report.Faults++; report.Faults <= maxFaults {
		report.FirstFaults = append(report.FirstFaults, fault)
	}
	return nil
}

// commit commits the batch, unless the file changed while it was read.
func (w *worker) commit(ctx context.Context, batch Batch, report *Report) error {
	header, err := w.file.FileHeader()
	if err != nil {
		return err
	}
	if err := cmp.Or(w.input.finish(&report.Content), context.Cause(ctx)); err != nil {
		return err
	}
	return batch.Commit(header, report.Content)
}

// isRecoverable reports whether an error is about a single measurement or line.
func isRecoverable(err error) bool {
	if e, ok := errors.AsType[*format.Error](err); ok {
		return e.Severity == format.Recoverable
	}
	return errors.Is(err, series.ErrNoIdentity)
}

// named returns an error with the path of the file.
func named(path string, err error) error {
	if _, ok := err.(*format.Error); ok {
		return err
	}
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return fmt.Errorf("%s: %w", chars.Visible(path), err)
}
