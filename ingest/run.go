package ingest

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"perfdata"
	"perfdata/traceid"
)

// RunOptions are the options of [Run]. The zero value has the defaults.
type RunOptions struct {
	// Workers is the number of files that are read at the same time, at most. If it is zero or
	// negative, it is GOMAXPROCS. Memory, and the Limits of the Opener, are for each of them.
	Workers int

	// Opener opens the files: it holds the Limits, and the Format if it is not to be detected.
	Opener perfdata.Opener

	// NotIdentity and Charset configure the [series.Placer] that makes the points.
	NotIdentity []string
	Charset     *traceid.Charset

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
	w := newWorker(r.sink, &r.options)
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
