package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"sync"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/visible"
)

// RunOptions are the options of [Run]. The zero value has the defaults.
type RunOptions struct {
	// Workers is the number of files that are read at the same time, at most. If it is zero or
	// negative, it is GOMAXPROCS. Memory, and the Limits of the Opener, are for each of them.
	Workers int

	// Opener opens the files: it holds the Limits, and the Format if it is not to be detected.
	Opener perfdata.Opener

	// NotIdentity lists the keys of params that are not part of a trace's identity. Records have
	// them as attrs. If it is nil, they are commit, commit-time and date; to have none, use an
	// empty slice.
	NotIdentity []string

	// Strict makes a file fail that has a faulty measurement or line. Without it, what is faulty is
	// left out, counted and reported, as the reference implementations of most formats leave it
	// out; a file fails in which nothing else is left. An error that ends the reading, such as
	// that of a truncated file, always makes the file fail.
	Strict bool

	// Report is called for each file when it is done, if it is not nil. It is called by several
	// goroutines, one at a time, and in any order of the files.
	Report func(Report)
}

// A Report says what became of a file.
type Report struct {
	File   File
	Format string // empty if it is not known

	// Content is what was stored of the file. It is zero if the file failed.
	Content Content

	// Err is why the file failed and contributed nothing. It is nil if the file was committed.
	Err error

	// Faults counts the faulty measurements or lines that were left out of a file, without
	// [RunOptions.Strict]. FirstFaults are the first of them, at most 20.
	Faults      int
	FirstFaults []error
}

// A Summary counts what became of the files.
type Summary struct {
	Files   int // that were committed
	Records int // in these
	Faults  int // in these: measurements or lines left out, without RunOptions.Strict
	Failed  int // files that contributed nothing, including paths that could not be listed
}

// Run reads files in parallel and adds their measurements to the sink, all or nothing of each
// file: it commits the Batch of a file after the file was read to its end, and rolls it back
// otherwise. It tells [RunOptions.Report] what became of each file.
//
// A file that fails does not end Run; to end it, cancel the context, for example in Report. If
// the sequence yields an error, as [Walk] can, that is a failed file; filter the sequence to leave
// files out.
//
// Run iterates over files in the goroutine that called it, and returns after all workers have
// ended. If the next file may be long in coming, the sequence must end when the context is
// cancelled. When the context is cancelled, Run asks for no further files, and the reads of the
// current ones fail, as soon as the read in progress returns: those files are rolled back. Run then
// returns [context.Cause] with the Summary of what was done. It returns no other error.
//
// The same files give the same Batches, whatever their order and the number of workers.
func Run(ctx context.Context, files iter.Seq2[File, error], sink Sink, options RunOptions) (Summary, error) {
	r := &run{sink: sink, options: options}
	r.distribute(ctx, files)
	return r.summary, context.Cause(ctx)
}

// A run is the state that the workers of Run share.
type run struct {
	sink    Sink
	options RunOptions

	mu      sync.Mutex // for Report and summary
	summary Summary
}

// distribute passes the files to workers, and waits for the workers.
func (r *run) distribute(ctx context.Context, files iter.Seq2[File, error]) {
	n := r.options.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}

	todo := make(chan File)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(todo) // even if the sequence panics

	// begin passes a file to a worker, or to a new one if all are busy.
	started := 0
	begin := func(f File) {
		if started < n {
			select {
			case todo <- f:
			default:
				started++
				workers.Go(func() { r.work(ctx, f, todo) })
			}
			return
		}
		select {
		case todo <- f:
		case <-ctx.Done():
		}
	}

	for f, err := range files {
		if err != nil {
			r.report(Report{File: f, Err: named(f.Path, err)})
		} else {
			begin(f)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// work reads a file, and then others.
func (r *run) work(ctx context.Context, f File, others <-chan File) {
	w := worker{run: r, identifier: newIdentifier(&r.options)}
	r.report(w.ingest(ctx, f))
	for f := range others {
		r.report(w.ingest(ctx, f))
	}
}

// report counts and reports a file.
func (r *run) report(report Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if report.Err != nil {
		r.summary.Failed++
	} else {
		r.summary.Files++
		r.summary.Records += report.Content.Records
		r.summary.Faults += report.Faults
	}
	if r.options.Report != nil {
		r.options.Report(report)
	}
}

// A worker reads one file after another.
type worker struct {
	*run
	*identifier
	input input
	file  *perfdata.File // is reset for each file
}

// maxFaults is the length of Report.FirstFaults.
const maxFaults = 20

// ingest reads a file into the sink.
func (w *worker) ingest(ctx context.Context, f File) Report {
	report := Report{File: f}
	err, rollback := w.open(ctx, &report)
	if err == nil {
		return report
	}
	err = named(f.Path, err)
	if rollback != nil {
		err = errors.Join(err, named(f.Path, fmt.Errorf("rollback: %w", rollback)))
	}
	return Report{File: f, Format: report.Format, Err: err} // nothing of it is stored
}

// open opens a file, and stores its measurements in a Batch. If that fails, it rolls the Batch
// back; the second error is that of the rollback.
func (w *worker) open(ctx context.Context, report *Report) (err, rollback error) {
	if err := w.input.open(ctx, report.File); err != nil {
		return err, nil
	}
	defer w.input.file.Close() // it was read only, so an error does not matter

	in, err := w.input.reader()
	if err != nil {
		return err, nil
	}
	if err := w.detect(in, report.File.Path); err != nil {
		return err, nil
	}
	defer w.file.Close()

	report.Format = w.file.Format.Name
	header, err := w.file.FileHeader()
	if err != nil {
		return err, nil
	}

	src := Source{File: report.File, Format: report.Format, Header: header}
	batch, err := w.sink.Begin(ctx, src)
	if err != nil {
		return err, nil
	}
	w.begin(&src)
	if err := w.store(ctx, batch, report); err != nil {
		return err, batch.Rollback()
	}
	return nil, nil
}

// detect makes w.file the File of an input.
func (w *worker) detect(in io.Reader, path string) (err error) {
	if w.file != nil {
		return w.file.Reset(in, path)
	}
	w.file, err = w.options.Opener.NewReader(in, path)
	return err
}

// store adds the measurements of a file to the batch, and commits it.
func (w *worker) store(ctx context.Context, batch Batch, report *Report) error {
	records, firstFault := 0, error(nil)
	add := func(r *Record, err error) error {
		switch {
		case err == nil && r == nil:
			return nil
		case err == nil:
			records++
			return batch.Add(r)
		case w.options.Strict || !isRecoverable(err):
			return err
		}

		if report.Faults++; report.Faults == 1 {
			firstFault = err
		}
		if report.Faults <= maxFaults {
			report.FirstFaults = append(report.FirstFaults, named(report.File.Path, err))
		}
		return nil
	}

	for rec, err := range w.file.Records() {
		var r *Record
		if err == nil {
			r, err = w.record(rec)
		}
		if err := add(r, err); err != nil {
			return err
		}
	}

	for r, err := range w.rest() {
		if err := add(r, err); err != nil {
			return err
		}
	}

	if err := w.input.finish(); err != nil {
		return err
	}
	if records == 0 && firstFault != nil {
		return firstFault
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	report.Content = w.input.content(records)
	return batch.Commit(report.Content)
}

// isRecoverable reports whether an error is about a single measurement or line.
func isRecoverable(err error) bool {
	if e, ok := errors.AsType[*format.Error](err); ok {
		return e.Severity == format.Recoverable
	}
	_, ok := errors.AsType[identityError](err)
	return ok
}

// named returns an error with the path of the file.
func named(path string, err error) error {
	if _, ok := err.(*format.Error); ok {
		return err
	}
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return fmt.Errorf("%s: %w", visible.String(path), err)
}
