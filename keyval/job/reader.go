package job

import (
	"errors"
	"io/fs"
	"iter"
	"path"
	"time"

	"perfdata/format"
	"perfdata/keyval"
	"perfdata/traceid"
)

// A Reader reads the results folder of a job. An error in one file is recoverable, has the name of
// that file, and does not affect the other files. A file that is written to while it is read gives
// one with the cause [format.ErrChanged].
//
// The exported fields configure a Reader before first use. It serves one goroutine.
type Reader struct {
	// Name of the file system's root, for errors: the names of files in errors begin with it.
	Name string

	// Limits bounds each file. MaxHeaderBytes is for the status log.
	Limits format.Limits

	// Params of all records, in addition to those that the folder provides.
	Params traceid.Params

	fsys   fs.FS
	dir    string
	read   bool // header, err, faults and tests are set
	header Header
	err    error
	faults []*format.Error // in the files of the job, not of its tests
	tests  []*Test
	log    string // name of the status log
}

// A Header describes a job as a whole.
type Header struct {
	Host      string         `json:"host"`       // the machine, or the group of machines, that was measured
	Attrs     traceid.Params `json:"attrs"`      // of the job: label, user, job_started, ...
	HostAttrs traceid.Params `json:"host_attrs"` // of the host: platform, labels, ...
}

// A Test is a test that a job ran. The first test, SERVER_JOB, is the job as a whole. Jobs that
// the client ran, CLIENT_JOB.0, and reboots, boot.0, are tests too.
type Test struct {
	Name   string
	Subdir string // of the job's folder, with the test's files; may be empty

	// Status is one of TEST_NA, ABORT, ERROR, FAIL, WARN, GOOD, BUG, ALERT, RUNNING and NOSTATUS.
	// Reason says why.
	Status, Reason string

	// Started and Finished are in UTC, and zero if unknown.
	Started, Finished time.Time

	// Attrs are the attributes of the test, and the attributes of the host with the prefix host-
	// in their keys.
	Attrs traceid.Params

	job *Reader
	at  format.Position // where it began in the status log
}

// NewReader returns a Reader of the job whose results are in directory dir of fsys; dir may be
// ".".
func NewReader(fsys fs.FS, dir string) *Reader { return &Reader{fsys: fsys, dir: dir} }

// Header describes the job as a whole. A status log that is missing or cannot be read is an error.
// Tests and Records report all other errors.
func (r *Reader) Header() (Header, error) {
	if !r.read {
		r.read = true
		r.Limits = r.Limits.WithDefaults()
		r.err = r.readJob()
	}
	return r.header, r.err
}

// FileHeader returns the header as the type that all formats share. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	return format.Header{Native: h}, nil
}

// Close does nothing: a Reader holds only memory.
func (r *Reader) Close() error { return nil }

// Tests iterates over the job's tests, in the order in which they began. It may be called any
// number of times, and does not overwrite tests.
func (r *Reader) Tests() iter.Seq2[*Test, error] {
	return func(yield func(*Test, error) bool) {
		if _, err := r.Header(); err != nil {
			yield(nil, err)
			return
		}
		for _, e := range r.faults {
			if !yield(nil, e) {
				return
			}
		}
		for _, t := range r.tests {
			for _, e := range t.readAttrs() {
				if !yield(nil, e) {
					return
				}
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

// Iterations iterates over the iterations that the test reported, as [keyval.Reader.Iterations]
// does, but may be called any number of times. All errors are recoverable: they do not affect
// other tests.
func (t *Test) Iterations() iter.Seq2[*keyval.Iteration, error] {
	return read(t, nil, (*keyval.Reader).Iterations)
}

// read iterates over what a Reader of the test's file yields. The Reader has the params.
func read[T any](
	t *Test, params traceid.Params, all func(*keyval.Reader) iter.Seq2[*T, error],
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if t.Subdir == "" || !fs.ValidPath(t.Subdir) {
			return // readAttrs reports an invalid path
		}
		name := path.Join(t.job.dir, t.Subdir, "results", "keyval")
		f, e := t.job.open(name)
		if e != nil {
			yield(nil, e)
		}
		if f == nil {
			return
		}
		defer f.Close()

		r := keyval.NewReader(f)
		r.Name, r.Limits, r.Params = t.job.nameOf(name), t.job.Limits, params
		for x, err := range all(r) {
			if e, ok := errors.AsType[*format.Error](err); ok {
				e.Severity = format.Recoverable
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// Records iterates over the performance values of all iterations of all tests. The params of a
// record are Params, overridden by key, iteration, test, subdir, and host if it is known. The
// attrs are the attributes of the job with the prefix job- in their keys, and the test's status as
// test-status, overridden by the attributes of the test and host, and by the attributes of the
// iteration. Records may be called any number of times. Each step overwrites the record: see
// [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		for t, err := range r.Tests() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			// The params that all records of the test have, and the attrs that the job gives to them.
			params := traceid.Of("test", t.Name, "subdir", t.Subdir)
			if r.header.Host != "" {
				params = traceid.Merge(params, traceid.Of("host", r.header.Host))
			}
			params = traceid.Merge(traceid.FromPairs(r.Params...), params)
			attrs := []traceid.Param{{Key: "test-status", Value: t.Status}}
			for key, value := range r.header.Attrs.All() {
				attrs = append(attrs, traceid.Param{Key: "job-" + key, Value: value})
			}
			shared := traceid.Merge(traceid.FromPairs(attrs...), t.Attrs)

			var own format.Record
			for rec, err := range read(t, params, (*keyval.Reader).Records) {
				if err != nil {
					if !yield(nil, err) {
						return
					}
					continue
				}

				merged := own.Attrs
				if rec.Repetition != own.Repetition {
					merged = traceid.AppendMerge(merged[:0], shared, rec.Attrs)
				}
				own = *rec
				own.Attrs = merged
				if !yield(&own, nil) {
					return
				}
			}
		}
	}
}
