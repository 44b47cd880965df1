package job

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/lines"
	"perfdata/internal/message"
	"perfdata/internal/opening"
	"perfdata/keyval"
	"perfdata/traceid"
)

// This file reads the files of a job's folder, except the iterations of its tests. A file that is
// missing is not an error, unless it is the status log.

// statusLogs are the names of a status log. The first file that exists is read.
var statusLogs = [...]string{"status.log", "status"}

// detect is the DetectDir of Format.
func detect(fsys fs.FS, dir string) (bool, error) {
	for _, name := range statusLogs {
		f, err := opening.Open(fsys, path.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		defer f.Close()

		text, err := io.ReadAll(io.LimitReader(f, 64<<10))
		if err != nil || len(text) > 0 {
			return hasStatusLine(text), err
		}
		_, err = fs.Stat(fsys, path.Join(dir, ".autoserv_execute"))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	return false, nil
}

// hasStatusLine reports whether a line of text is a line of a status log.
func hasStatusLine(text []byte) bool {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		known := true
		unknown := func(format.Position, int, string) { known = false }
		if _, ok := parseStatusLine(string(clean(line)), format.Position{}, unknown); ok && known {
			return true
		}
	}
	return false
}

// readJob reads the files of the job, not of its tests. It returns an error if the folder is not a
// job folder.
func (r *Reader) readJob() error {
	if !fs.ValidPath(r.dir) {
		return r.errorOf(r.dir, "invalid directory name: want a path as described by io/fs.ValidPath", format.ErrMisuse)
	}

	top, execute := r.top()
	r.header.Attrs = r.readAttrs(top)
	r.header.Host = r.host()
	switch name := "host_keyvals/" + r.header.Host; {
	case r.header.Host == "":
	case !fs.ValidPath(name):
		text := fmt.Sprintf("hostname: %s is not a file name", message.Quote(r.header.Host))
		r.fault(r.errorOf(path.Join(r.dir, "keyval"), text, format.ErrSchema))
	default:
		params, faults := r.readPlain(path.Join(top, name))
		r.header.HostAttrs, r.faults = params, append(r.faults, faults...)
	}

	m, err := r.readStatusLog()
	if err != nil {
		return err
	}
	m.end(r.abortReason())
	server := m.server
	server.Status = "ABORT"
	if len(execute) > 1 { // the second line is the exit status of the job's process, as wait(2) returns it
		switch code, err := strconv.Atoi(strings.TrimSpace(execute[1])); {
		case err != nil || code&0x7f != 0: // ended by a signal
		case code>>8&0xff != 0:
			server.Status = "FAIL"
		default:
			server.Status = "GOOD"
		}
	}
	server.Started, server.Finished = r.time("job_started"), r.time("job_finished")
	for _, t := range m.tests {
		t.job = r
	}
	r.tests = m.tests
	return nil
}

// top returns the uppermost folder of the job, and the lines of its .autoserv_execute.
func (r *Reader) top() (dir string, execute []string) {
	for dir := r.dir; ; dir = path.Dir(dir) {
		if text, ok := r.readSmall(path.Join(dir, ".autoserv_execute")); ok {
			return dir, strings.Split(text, "\n")
		}
		if dir == "." {
			return r.dir, nil
		}
	}
}

// readAttrs reads the attributes of the job.
func (r *Reader) readAttrs(top string) traceid.Params {
	values := make(map[string]string)
	for dir := r.dir; ; dir = path.Dir(dir) {
		params, faults := r.readPlain(path.Join(dir, "keyval"))
		r.faults = append(r.faults, faults...)
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
func (r *Reader) host() string {
	group, _ := r.header.Attrs.Get("host_group_name")
	host, _ := r.header.Attrs.Get("hostname")
	several := strings.Contains(host, ",")
	switch {
	case group != "" && (several || host == ""):
		return group
	case several:
		reported, ok := r.firstLine("sysinfo/hostname")
		if !ok {
			line, _ := r.firstLine("sysinfo/uname_-a")
			if fields := strings.Fields(line); len(fields) > 1 {
				reported = fields[1]
			}
		}
		return cmp.Or(reported, host)
	}
	return host
}

func (r *Reader) firstLine(name string) (string, bool) {
	text, ok := r.readSmall(path.Join(r.dir, name))
	line, _, _ := strings.Cut(text, "\n")
	line, _ = validText([]byte(strings.TrimSpace(line)))
	return line, ok
}

// readSmall returns the first 1000 bytes of a file. It returns false if the file can't be opened.
func (r *Reader) readSmall(name string) (string, bool) {
	f, e := r.open(name)
	if e != nil {
		r.fault(e)
	}
	if f == nil {
		return "", false
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, 1000))
	if err != nil {
		r.fault(r.errorOf(name, "reading failed: "+err.Error(), err))
	}
	return string(text), true
}

// readPlain reads a plain keyval file. It is not an error if the file is missing.
func (r *Reader) readPlain(name string) (traceid.Params, []*format.Error) {
	f, e := r.open(name)
	if e != nil {
		return nil, []*format.Error{e}
	}
	if f == nil {
		return nil, nil
	}
	defer f.Close()
	params, faults := keyval.ReadPlain(f, r.nameOf(name), r.Limits)
	for _, e := range faults {
		e.Severity = format.Recoverable
	}
	return params, faults
}

// readStatusLog finds and reads the status log.
func (r *Reader) readStatusLog() (*statusMachine, error) {
	for _, name := range statusLogs {
		r.log = path.Join(r.dir, name)
		f, e := r.open(r.log)
		if e != nil {
			e.Severity = format.Fatal
			return nil, e
		}
		if f != nil {
			defer f.Close()
			return r.readStatus(f)
		}
	}
	return nil, r.errorOf(r.dir, "missing status.log and status: not a job folder", fs.ErrNotExist)
}

func (r *Reader) readStatus(f io.Reader) (*statusMachine, error) {
	var in lines.File
	in.Open(f, r.nameOf(r.log), r.Limits)
	n := 0
	var raw []byte // the current line, with noise
	report := func(at format.Position, column int, msg string) {
		column = rawColumn(raw, column)
		if n++; n == maxStatusFaults {
			msg = fmt.Sprintf("more than %d errors in the status log: the rest are not listed", maxStatusFaults)
		}
		if n <= maxStatusFaults {
			r.fault(r.logError(at, column, msg))
		}
	}

	m := &statusMachine{report: report, status: statusNone, groups: []statusGroup{{status: statusNone}}}
	m.server = m.begin("", "SERVER_JOB", time.Time{}, format.Position{Line: 1, Column: 1})
	size := int64(0)
	for text, ok := in.Next(); ok; text, ok = in.Next() {
		raw = text
		at := format.Position{Offset: in.Offset(), Line: in.Number(), Column: 1}
		if in.TooLong() {
			report(at, 1, in.TooLongError().Message)
			continue
		}
		if size += int64(len(text)) + 1; size > in.Limits.MaxHeaderBytes {
			return nil, in.LimitError(0, "MaxHeaderBytes", in.Limits.MaxHeaderBytes, "bytes in the status log")
		}

		s, valid := validText(clean(text))
		l, ok := parseStatusLine(s, at, report)
		if !ok {
			continue
		}
		if !valid {
			report(at, chars.InvalidUTF8(clean(text))+1,
				"the line is not valid UTF-8: invalid bytes are replaced by U+FFFD")
		}
		m.add(l)
	}
	if e := in.ReadError(in.Name); e != nil {
		return nil, e
	}
	return m, nil
}

// abortReason returns the reason of tests whose end is not in the status log.
func (r *Reader) abortReason() string {
	by, ok := r.header.Attrs.Get("aborted_by")
	if !ok {
		return "Job aborted unexpectedly"
	}
	reason := "Job aborted by " + by
	if t := r.time("aborted_on"); !t.IsZero() {
		reason += t.Format(" at Jan 02 15:04:05")
	}
	return reason
}

// time returns the value of an attribute of the job, as a time.
func (r *Reader) time(key string) time.Time {
	value, ok := r.header.Attrs.Get(key)
	if !ok {
		return time.Time{}
	}
	t, err := parseTime(value)
	if err != nil {
		r.fault(r.errorOf(path.Join(r.dir, "keyval"), key+": "+err.Error(), format.ErrSchema))
	}
	return t
}

// readAttrs reads the test's attributes, and returns the errors in them or in the path of the
// test's folder.
func (t *Test) readAttrs() []*format.Error {
	r := t.job
	host := make([]traceid.Param, 0, len(r.header.HostAttrs))
	for key, value := range r.header.HostAttrs.All() {
		host = append(host, traceid.Param{Key: "host-" + key, Value: value})
	}
	t.Attrs = traceid.FromPairs(host...)

	if t.Subdir == "" {
		return nil
	}
	if !fs.ValidPath(t.Subdir) {
		msg := fmt.Sprintf("test %s: %s is not a path within the job folder: its files are not read",
			message.Quote(t.Name), message.Quote(t.Subdir))
		e := r.logError(t.at, 1, msg)
		e.Severity = format.Recoverable
		return []*format.Error{e}
	}
	own, faults := r.readPlain(path.Join(r.dir, t.Subdir, "keyval"))
	t.Attrs = traceid.Merge(own, t.Attrs)
	return faults
}

// nameOf returns the name of a file of fsys, for errors.
func (r *Reader) nameOf(name string) string {
	if r.Name == "" {
		return name
	}
	return path.Join(r.Name, name)
}

// errorOf returns an error about a file of fsys as a whole.
func (r *Reader) errorOf(name, message string, cause error) *format.Error {
	return lines.FileError(r.nameOf(name), message, cause)
}

// open opens a file. It returns no file and no error if the file does not exist. The error is
// recoverable.
func (r *Reader) open(name string) (fs.File, *format.Error) {
	f, err := opening.Open(r.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		e := r.errorOf(name, "opening failed: "+err.Error(), err)
		e.Severity = format.Recoverable
		return nil, e
	}
	return f, nil
}

// logError returns an error about a column of a line of the status log.
func (r *Reader) logError(at format.Position, column int, msg string) *format.Error {
	at.Offset, at.Column = at.Offset+int64(column-1), column
	return &format.Error{Name: r.nameOf(r.log), Position: at, Message: msg, Err: format.ErrSyntax}
}

// fault adds a recoverable error that Tests reports.
func (r *Reader) fault(e *format.Error) {
	e.Severity = format.Recoverable
	r.faults = append(r.faults, e)
}
