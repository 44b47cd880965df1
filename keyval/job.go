package keyval

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/internal/source"
	"perfdata/traceid"
)

// A Job reads the results folder of a job, as the reference's parser does:
//
//	status.log, or status      which tests ran, and how they ended
//	keyval                     attributes of the job
//	host_keyvals/HOST          attributes of the host
//	SUBDIR/keyval              attributes of a test
//	SUBDIR/results/keyval      iterations of a test
//	.autoserv_execute          how the job as a whole ended
//
// Every file except the status log may be missing. For jobs of several machines, .autoserv_execute
// is in a folder above. Then host_keyvals is read there, and the attributes of the job are merged
// from all folders up to there: an upper folder overrides a lower one, except for hostname. If no
// folder has .autoserv_execute, the job's own folder is the uppermost.
//
// An error in one file is recoverable, has the name of that file, and does not affect the other
// files. A file that is written to while it is read gives one with the cause [format.ErrChanged].
//
// The paths in a status log are not trusted: a path that leads out of the folder is an error. A file
// system that follows symbolic links, as os.DirFS does, may still leave the folder; that of os.Root
// does not.
//
// The exported fields configure a Job before first use. It serves one goroutine.
type Job struct {
	// Name of the file system's root, for errors: the names of files in errors begin with it.
	Name string

	// Limits bounds each file. MaxHeaderBytes is for the status log.
	Limits format.Limits

	// Params of all records, in addition to those that the folder provides.
	Params traceid.Params

	fsys   fs.FS
	dir    string
	read   bool // header, err, faults and tests are set
	header JobHeader
	err    error
	faults []*format.Error // in the files of the job, not of its tests
	tests  []*Test
	log    string // name of the status log
}

// A JobHeader describes a job as a whole.
type JobHeader struct {
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

	job *Job
	at  place // where it began in the status log
}

// NewJob returns the job whose results are in directory dir of fsys; dir may be ".".
func NewJob(fsys fs.FS, dir string) *Job { return &Job{fsys: fsys, dir: dir} }

// statusLogs are the names of a status log. The first file that exists is read.
var statusLogs = [...]string{"status.log", "status"}

// IsJob reports whether directory dir of fsys is the results folder of a job: whether it has a
// status log with a status line in its first 64 KiB, or an empty one beside an .autoserv_execute.
func IsJob(fsys fs.FS, dir string) bool {
	is, _ := DetectJob(fsys, dir)
	return is
}

// DetectJob is IsJob that returns the error of a file that exists and cannot be read.
func DetectJob(fsys fs.FS, dir string) (bool, error) {
	for _, name := range statusLogs {
		f, err := source.Open(fsys, path.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		defer f.Close()

		text, err := io.ReadAll(io.LimitReader(f, 64<<10))
		if err == nil && len(text) == 0 {
			return exists(fsys, path.Join(dir, ".autoserv_execute"))
		}
		return hasStatusLine(text), err
	}
	return false, nil
}

func exists(fsys fs.FS, name string) (bool, error) {
	_, err := fs.Stat(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// hasStatusLine reports whether a line of text is a line of a status log.
func hasStatusLine(text []byte) bool {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		known := true
		unknown := func(place, int, string) { known = false }
		_, ok := parseStatusLine(string(appendClean(nil, line)), place{}, unknown)
		if ok && known {
			return true
		}
	}
	return false
}

// Header describes the job as a whole. A status log that is missing or cannot be read is an error.
// Tests and Records report all other errors.
func (j *Job) Header() (JobHeader, error) {
	if !j.read {
		j.read = true
		j.Limits = j.Limits.WithDefaults()
		j.err = j.readJob()
	}
	return j.header, j.err
}

// nameOf returns the name of a file of fsys, for errors.
func (j *Job) nameOf(name string) string {
	if j.Name == "" {
		return name
	}
	return path.Join(j.Name, name)
}

// errorOf returns an error about a file of fsys as a whole.
func (j *Job) errorOf(name, message string, cause error) *format.Error {
	return errorOf(j.nameOf(name), message, cause)
}

// FileHeader returns the header in the form that all formats share. Native is a [JobHeader].
func (j *Job) FileHeader() (format.Header, error) {
	h, err := j.Header()
	if err != nil {
		return format.Header{}, err
	}
	return format.Header{Native: h}, nil
}

// Close does nothing: a Job holds only memory.
func (j *Job) Close() error { return nil }

// Tests iterates over the job's tests, in the order in which they began. It may be called any
// number of times, and does not overwrite tests.
func (j *Job) Tests() iter.Seq2[*Test, error] {
	return func(yield func(*Test, error) bool) {
		if _, err := j.Header(); err != nil {
			yield(nil, err)
			return
		}
		for _, e := range j.faults {
			if !yield(nil, e) {
				return
			}
		}
		for _, t := range j.tests {
			faults := t.readAttrs()
			for _, e := range faults {
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

// Iterations iterates over the iterations that the test reported, as [Reader.Iterations] does, but
// may be called any number of times. All errors are recoverable: they do not affect other tests.
func (t *Test) Iterations() iter.Seq2[*Iteration, error] {
	return func(yield func(*Iteration, error) bool) {
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

		r := NewReader(f)
		r.Name, r.Limits = t.job.nameOf(name), t.job.Limits
		for it, err := range r.Iterations() {
			if e, ok := errors.AsType[*format.Error](err); ok {
				e.Recoverable = true
			}
			if !yield(it, err) {
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
func (j *Job) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		var rec format.Record
		var n numerals
		for t, err := range j.Tests() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			rec.Params = j.params(t)
			key, _ := rec.Params.Find(paramKey)
			iteration, _ := rec.Params.Find(paramIteration)
			attrs := traceid.Merge(j.attrs(t), t.Attrs)

			for it, err := range t.Iterations() {
				if err != nil {
					if !yield(nil, err) {
						return
					}
					continue
				}
				rec.Params[iteration].Value = n.string(it.Index)
				rec.Attrs = traceid.AppendMerge(rec.Attrs[:0], attrs, it.Attr)

				for _, kv := range it.Perf {
					rec.Params[key].Value = kv.Key
					rec.Value, rec.Offset = kv.Value, kv.Offset
					if !yield(&rec, nil) {
						return
					}
				}
			}
		}
	}
}

// params returns the params of the test's records, with empty values of key and iteration.
func (j *Job) params(t *Test) traceid.Params {
	own := []traceid.Param{
		{Key: paramKey}, {Key: paramIteration}, {Key: "test", Value: t.Name}, {Key: "subdir", Value: t.Subdir},
	}
	if j.header.Host != "" {
		own = append(own, traceid.Param{Key: "host", Value: j.header.Host})
	}
	return traceid.Merge(traceid.FromPairs(j.Params...), traceid.FromPairs(own...))
}

// attrs returns the attrs that the job gives to the test's records.
func (j *Job) attrs(t *Test) traceid.Params {
	pairs := make([]traceid.Param, 0, len(j.header.Attrs)+1)
	for key, value := range j.header.Attrs.All() {
		pairs = append(pairs, traceid.Param{Key: "job-" + key, Value: value})
	}
	return traceid.FromPairs(append(pairs, traceid.Param{Key: "test-status", Value: t.Status})...)
}

// readJob reads the files of the job, not of its tests. It returns an error if the folder is not a
// job folder.
func (j *Job) readJob() error {
	if !fs.ValidPath(j.dir) {
		return j.errorOf(j.dir, "invalid directory name: want a path as described by io/fs.ValidPath", format.ErrMisuse)
	}

	top, execute := j.top()
	j.header.Attrs = j.readAttrs(top)
	j.header.Host = j.host()
	if j.header.Host != "" {
		j.header.HostAttrs = j.readHost(top)
	}

	m, err := j.readStatusLog()
	if err != nil {
		return err
	}
	m.end(j.abortReason())
	server := m.server
	server.Status = serverStatus(execute)
	server.Started, server.Finished = j.time("job_started"), j.time("job_finished")
	for _, t := range m.tests {
		t.job = j
	}
	j.tests = m.tests
	return nil
}

// top returns the uppermost folder of the job, and the lines of its .autoserv_execute.
func (j *Job) top() (dir string, execute []string) {
	for dir := j.dir; ; dir = path.Dir(dir) {
		if text, ok := j.readSmall(path.Join(dir, ".autoserv_execute")); ok {
			return dir, strings.Split(text, "\n")
		}
		if dir == "." {
			return j.dir, nil
		}
	}
}

// serverStatus returns the status of the job as a whole. The second line of .autoserv_execute is
// the exit status of its process, in the form that wait(2) returns.
func serverStatus(execute []string) string {
	if len(execute) < 2 {
		return "ABORT"
	}
	switch code, err := strconv.Atoi(strings.TrimSpace(execute[1])); {
	case err != nil || code&0x7f != 0: // ended by a signal
		return "ABORT"
	case code>>8&0xff != 0:
		return "FAIL"
	}
	return "GOOD"
}

// readAttrs reads the attributes of the job.
func (j *Job) readAttrs(top string) traceid.Params {
	values := make(map[string]string)
	for dir := j.dir; ; dir = path.Dir(dir) {
		params, faults := j.readPlain(path.Join(dir, "keyval"))
		j.faults = append(j.faults, faults...)
		for key, value := range params.All() {
			if _, ok := values[key]; !ok || key != "hostname" {
				values[key] = value
			}
		}
		if dir == top {
			return traceid.FromMap(values)
		}
	}
}

// host returns the name of the machine, or of the group of machines, on which the job ran.
func (j *Job) host() string {
	group, _ := j.header.Attrs.Get("host_group_name")
	host, _ := j.header.Attrs.Get("hostname")
	several := strings.Contains(host, ",")
	switch {
	case group != "" && (several || host == ""):
		return group
	case several:
		return cmp.Or(j.hostFromSysinfo(), host)
	}
	return host
}

// hostFromSysinfo returns the name that the machine reported, or the empty string.
func (j *Job) hostFromSysinfo() string {
	if line, ok := j.firstLine("sysinfo/hostname"); ok {
		return line
	}
	line, _ := j.firstLine("sysinfo/uname_-a")
	if fields := strings.Fields(line); len(fields) > 1 {
		return fields[1]
	}
	return ""
}

func (j *Job) firstLine(name string) (string, bool) {
	text, ok := j.readSmall(path.Join(j.dir, name))
	line, _, _ := strings.Cut(text, "\n")
	line, _ = validText([]byte(strings.TrimSpace(line)))
	return line, ok
}

// readSmall returns the first 1000 bytes of a file. It returns false if the file can't be opened.
func (j *Job) readSmall(name string) (string, bool) {
	f, e := j.open(name)
	if e != nil {
		j.fault(e)
	}
	if f == nil {
		return "", false
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, 1000))
	if err != nil {
		j.fault(j.errorOf(name, "reading failed: "+err.Error(), err))
	}
	return string(text), true
}

// readHost reads the attributes of the host.
func (j *Job) readHost(top string) traceid.Params {
	name := "host_keyvals/" + j.header.Host
	if !fs.ValidPath(name) {
		text := fmt.Sprintf("hostname: %s is not a file name", message.Quote(j.header.Host))
		j.fault(j.errorOf(path.Join(j.dir, "keyval"), text, format.ErrSchema))
		return nil
	}
	params, faults := j.readPlain(path.Join(top, name))
	j.faults = append(j.faults, faults...)
	return params
}

// readPlain reads a plain keyval file. It is not an error if the file is missing.
func (j *Job) readPlain(name string) (traceid.Params, []*format.Error) {
	f, e := j.open(name)
	if e != nil {
		return nil, []*format.Error{e}
	}
	if f == nil {
		return nil, nil
	}
	defer f.Close()
	params, faults := ReadPlain(f, j.nameOf(name), j.Limits)
	for _, e := range faults {
		e.Recoverable = true
	}
	return params, faults
}

// readStatusLog finds and reads the status log.
func (j *Job) readStatusLog() (*statusMachine, error) {
	for _, name := range statusLogs {
		j.log = path.Join(j.dir, name)
		f, e := j.open(j.log)
		if e != nil {
			e.Recoverable = false
			return nil, e
		}
		if f != nil {
			defer f.Close()
			return j.readStatus(f)
		}
	}
	return nil, j.errorOf(j.dir, "missing status.log and status: not a job folder", fs.ErrNotExist)
}

// maxStatusFaults is the largest number of errors in a status log that are reported.
const maxStatusFaults = 1000

func (j *Job) readStatus(f io.Reader) (*statusMachine, error) {
	r := newInput(f, j.nameOf(j.log), j.Limits)
	n := 0
	var raw, clean []byte // the current line, with and without noise
	report := func(at place, column int, msg string) {
		column = rawColumn(raw, column)
		if n++; n == maxStatusFaults {
			msg = fmt.Sprintf("more than %d errors in the status log: the rest are not listed", maxStatusFaults)
		}
		if n <= maxStatusFaults {
			j.fault(j.statusError(at, column, msg))
		}
	}

	m := newStatusMachine(report)
	size := int64(0)
	for text, ok := r.lines.Next(); ok; text, ok = r.lines.Next() {
		raw = text
		at := place{r.lines.Offset(), r.lines.Number()}
		if r.lines.TooLong() {
			report(at, 1, r.tooLong().Message)
			continue
		}
		if size += int64(len(text)) + 1; size > r.limits.MaxHeaderBytes {
			return nil, r.limitError(0, "MaxHeaderBytes", r.limits.MaxHeaderBytes, "bytes in the status log")
		}

		clean = appendClean(clean[:0], text)
		s, valid := validText(clean)
		l, ok := parseStatusLine(s, at, report)
		if !ok {
			continue
		}
		if !valid {
			report(at, lines.InvalidUTF8(clean)+1, notUTF8+": invalid bytes are replaced by U+FFFD")
		}
		m.add(l)
	}
	if e := r.readError(); e != nil {
		return nil, e
	}
	return m, nil
}

// abortReason returns the reason of tests whose end is not in the status log.
func (j *Job) abortReason() string {
	by, ok := j.header.Attrs.Get("aborted_by")
	if !ok {
		return "Job aborted unexpectedly"
	}
	reason := "Job aborted by " + by
	if t := j.time("aborted_on"); !t.IsZero() {
		reason += t.Format(" at Jan 02 15:04:05")
	}
	return reason
}

// time returns the value of an attribute of the job, as a time.
func (j *Job) time(key string) time.Time {
	value, ok := j.header.Attrs.Get(key)
	if !ok {
		return time.Time{}
	}
	t, err := parseTime(value)
	if err != nil {
		j.fault(j.errorOf(path.Join(j.dir, "keyval"), key+": "+err.Error(), format.ErrSchema))
	}
	return t
}

// readAttrs reads the test's attributes, and returns the errors in them or in the path of the
// test's folder.
func (t *Test) readAttrs() []*format.Error {
	j := t.job
	host := make([]traceid.Param, 0, len(j.header.HostAttrs))
	for key, value := range j.header.HostAttrs.All() {
		host = append(host, traceid.Param{Key: "host-" + key, Value: value})
	}
	t.Attrs = traceid.FromPairs(host...)

	if t.Subdir == "" {
		return nil
	}
	if !fs.ValidPath(t.Subdir) {
		msg := fmt.Sprintf("test %s: %s is not a path within the job folder: its files are not read",
			message.Quote(t.Name), message.Quote(t.Subdir))
		return []*format.Error{j.statusError(t.at, 1, msg)}
	}
	own, faults := j.readPlain(path.Join(j.dir, t.Subdir, "keyval"))
	t.Attrs = traceid.Merge(own, t.Attrs)
	return faults
}

// open opens a file. It returns no file and no error if the file does not exist. The error is
// recoverable.
func (j *Job) open(name string) (fs.File, *format.Error) {
	f, err := source.Open(j.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		e := j.errorOf(name, "opening failed: "+err.Error(), err)
		e.Recoverable = true
		return nil, e
	}
	return f, nil
}

func (j *Job) statusError(at place, column int, msg string) *format.Error {
	return &format.Error{
		Name:        j.nameOf(j.log),
		Position:    format.Position{Offset: at.offset + int64(column-1), Line: at.line, Column: column},
		Message:     msg,
		Err:         format.ErrSyntax,
		Recoverable: true,
	}
}

// fault adds a recoverable error that Tests reports.
func (j *Job) fault(e *format.Error) {
	e.Recoverable = true
	j.faults = append(j.faults, e)
}
