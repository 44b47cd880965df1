package keyval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"perfdata/internal/message"
)

// A status log is a text of nested groups, one tab deeper each:
//
//	START	subdir	test	timestamp=1400000000	localtime=May 13 16:53:20
//		GOOD	subdir	test	timestamp=...	localtime=...	completed successfully
//	END GOOD	subdir	test	timestamp=...	localtime=...
//
// Fields are separated by tabs; ---- stands for no subdir or test; a reason comes last. Groups without subdir and test
// are those of a whole client job. Other lines belong to the reason before and aren't read. Carriage returns and NUL bytes
// are dropped from all lines.

// statuses are from the worst to the best. Of several that a test has, the worst counts.
var statuses = [...]string{"TEST_NA", "ABORT", "ERROR", "FAIL", "WARN", "GOOD", "BUG", "ALERT", "RUNNING", "NOSTATUS"}

const (
	statusAbort    = 1
	statusGood     = 5
	statusNone     = 9 // no status at all
	noSuchStatus   = 10
	nothing        = "----"
	maxReasonBytes = 16 << 10 // of the reasons of one test
)

type lineKind int

const (
	lineStatus lineKind = iota
	lineStart
	lineEnd
	lineInfo
)

// A statusLine is one line of a status log. What isn't there is empty.
type statusLine struct {
	indent       int
	kind         lineKind
	status       int
	subdir, test string
	time         time.Time
	abortReason  string // of the whole job
	reason       string
	at           place
}

// A place is where a line is in a file.
type place struct {
	offset int64
	line   int
}

// isNoise reports whether c is one of the characters that serial consoles leave in a status log. They stand anywhere, also
// before the tabs of a line, and say nothing.
func isNoise(c byte) bool { return c == '\r' || c == 0 }

// appendClean appends a line without noise to dst and returns the extended slice.
func appendClean(dst, line []byte) []byte {
	for _, c := range line {
		if !isNoise(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// rawColumn returns where the character at a column of a line without noise stands in the line itself.
func rawColumn(line []byte, column int) int {
	i, left := 0, column-1
	for i < len(line) && (isNoise(line[i]) || left > 0) {
		if !isNoise(line[i]) {
			left--
		}
		i++
	}
	return i + left + 1
}

var optionalField = regexp.MustCompile(`^\w+=.+`)

// parseStatusLine parses a line. It returns false if that is none of a status log's; faults are reported, and what is
// faulty counts as not there.
func parseStatusLine(text string, at place, report func(at place, column int, msg string)) (statusLine, bool) {
	rest := strings.TrimLeft(text, "\t")
	l := statusLine{indent: len(text) - len(rest), at: at}
	fields := strings.Split(rest, "\t")
	if len(fields) < 4 {
		return l, false
	}
	for _, field := range fields[:3] {
		if field == "" || isSpace(field[0]) {
			return l, false
		}
	}
	column := l.indent + 1
	switch status, isEnd := strings.CutPrefix(fields[0], "END "); {
	case status == "START":
		l.kind = lineStart
	case status == "INFO":
		l.kind = lineInfo
	default:
		if isEnd {
			l.kind = lineEnd
		}
		if l.status = slices.Index(statuses[:], status); l.status < 0 {
			l.status = noSuchStatus
			report(at, column, fmt.Sprintf("unknown status %s", message.Quote(fields[0])))
		}
	}
	if fields[1] != nothing {
		l.subdir = fields[1]
	}
	if fields[2] != nothing {
		l.test = fields[2]
	}
	column += len(fields[0]) + len(fields[1]) + len(fields[2]) + 3
	fields = fields[3:]
	for len(fields) > 0 && optionalField.MatchString(fields[0]) {
		switch name, value, _ := strings.Cut(fields[0], "="); name {
		case "timestamp":
			var err error
			if l.time, err = parseTime(value); err != nil {
				report(at, column, "timestamp: "+err.Error())
			}
		case "job_abort_reason":
			l.abortReason = value
		}
		column += len(fields[0]) + 1
		fields = fields[1:]
	}
	if l.kind != lineInfo {
		l.reason = strings.Join(fields, "\t")
	}
	return l, true
}

// parseTime parses seconds since 1970.
func parseTime(s string) (time.Time, error) {
	seconds, err := strconv.ParseInt(s, 10, 48) // until the year 4 million
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is no time in seconds", message.Quote(s))
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// statusMachine makes tests of the lines of a status log, as the reference's parser does, version 1.
type statusMachine struct {
	report func(at place, column int, msg string)

	tests  []*Test // in the order in which they began
	server *Test   // the first of them: the job as a whole

	// The groups that are open, and outside of them:
	groups []statusGroup
	min    int // groups around tests

	status  int    // the worst until now of what becomes the next test
	reason  string // of that status
	client  *Test  // the client job that runs, or ran last
	running *Test
	reasons reasons // of running
	clients int     // client jobs that ended
	boots   int     // reboots
	last    statusLine
}

type statusGroup struct {
	status  int
	started time.Time
	subdir  string
}

func newStatusMachine(report func(at place, column int, msg string)) *statusMachine {
	m := &statusMachine{report: report, status: statusNone, groups: []statusGroup{{status: statusNone}}}
	m.server = m.begin("", "SERVER_JOB", time.Time{}, place{line: 1})
	return m
}

func (m *statusMachine) depth() int { return len(m.groups) - 1 }

func (m *statusMachine) innermost() *statusGroup { return &m.groups[len(m.groups)-1] }

// update gives the innermost group a status, if that is worse than what it has.
func (m *statusMachine) update(status int) {
	if g := m.innermost(); status < g.status {
		g.status = status
	}
}

func (m *statusMachine) begin(subdir, name string, started time.Time, at place) *Test {
	t := &Test{Name: name, Subdir: subdir, Status: "RUNNING", Started: started, at: at}
	m.tests = append(m.tests, t)
	return t
}

// add takes the next line.
func (m *statusMachine) add(l statusLine) {
	m.last = l
	for {
		expected := m.depth()
		if l.kind == lineEnd {
			expected--
		}
		if l.indent > expected {
			m.report(l.at, 1, "the line is indented deeper than the groups that are open, and is left out")
			return
		}
		if l.indent == expected {
			m.take(l)
			return
		}
		m.abort(m.innermost().subdir, l)
	}
}

// abort ends the innermost group, whose end isn't there. The subdir is the group's.
func (m *statusMachine) abort(subdir string, because statusLine) {
	m.take(statusLine{
		kind: lineEnd, status: statusAbort, subdir: subdir, test: subdir,
		time: because.time, reason: because.reason, at: because.at,
	})
}

// end ends the groups that are open at the log's end, for that reason.
func (m *statusMachine) end(reason string) {
	l := m.last
	l.reason = reason
	// The end of a group may give its subdir to the one around it, which doesn't count here.
	open := slices.Clone(m.groups)
	for i := len(open) - 1; i > 0; i-- {
		m.abort(open[i].subdir, l)
	}
}

// take takes a line at the depth where it belongs.
func (m *statusMachine) take(l statusLine) {
	var started time.Time
	switch l.kind {
	case lineInfo:
		if l.abortReason != "" {
			m.server.Reason = l.abortReason
		}
		return
	case lineStart:
		m.start(l)
		return
	case lineStatus:
		if !m.takeStatus(l) {
			return
		}
	case lineEnd:
		started = m.takeEnd(&l)
	}
	if m.depth() <= m.min {
		m.finish(l, started)
	}
}

func (m *statusMachine) start(l statusLine) {
	m.groups = append(m.groups, statusGroup{statusNone, l.time, l.subdir})
	switch {
	case l.test == "" && l.subdir == "" && m.running == nil:
		m.min = m.depth()
		m.client = m.begin("", m.clientName(), l.time, l.at)
	case m.depth() == m.min+1 && m.running == nil:
		m.running = m.begin(l.subdir, l.test, l.time, l.at)
		m.reasons = reasons{}
		m.addReason(l)
	}
}

// takeStatus returns whether the line may be a test.
func (m *statusMachine) takeStatus(l statusLine) bool {
	if l.subdir != "" && m.depth() > m.min {
		m.innermost().subdir = l.subdir
	}
	m.update(l.status)
	if l.status <= m.status {
		switch {
		case l.reason != "" && m.running != nil:
			m.addReason(l)
			m.reason = m.running.Reason
		case l.reason != "":
			m.reason = l.reason
		}
		m.status = m.innermost().status
	}
	return l.test != "" || l.subdir != ""
}

// takeEnd returns when the group that ends began, and gives l its subdir.
func (m *statusMachine) takeEnd(l *statusLine) time.Time {
	m.update(l.status)
	group := *m.innermost()
	if l.test == "" && l.subdir == "" && m.running == nil {
		m.min = m.depth() - 1
		m.groups = m.groups[:len(m.groups)-1]
	} else {
		l.subdir = group.subdir
		m.groups = m.groups[:len(m.groups)-1]
		// Before the reference counts the group as ended, it asks whether that is one around tests.
		if outer := m.innermost(); outer.subdir == "" && m.depth()+1 > m.min {
			outer.subdir = l.subdir
		}
	}
	m.status = group.status
	if m.depth() > m.min {
		m.update(m.status)
		m.status = m.innermost().status
	}
	if l.test == "reboot" && l.subdir == "" {
		l.test = m.bootName()
	}
	return group.started
}

// finish makes a test of what was read since the last one.
func (m *statusMachine) finish(l statusLine, started time.Time) {
	t := m.running
	name := l.test
	if name == "" {
		name = l.subdir
	}
	if name == "" {
		name = m.clientName()
		m.clients++
		t = m.client
		if m.status > statusAbort {
			m.status = statusGood // a job hasn't failed because its tests did
		}
	}
	if t == nil {
		t = m.begin("", "", time.Time{}, l.at)
	}
	if m.reason == "" {
		m.reason = l.reason
	}
	t.Name, t.Subdir, t.Reason = name, l.subdir, m.reason
	t.Status = statuses[min(m.status, statusNone)]
	t.Started, t.Finished = started, l.time
	if t.Name == m.bootName() {
		m.boots++
	}
	m.running = nil
	m.status, m.reason = statusNone, ""
}

func (m *statusMachine) clientName() string { return "CLIENT_JOB." + strconv.Itoa(m.clients) }
func (m *statusMachine) bootName() string   { return "boot." + strconv.Itoa(m.boots) }

// addReason adds the line's reason, if it has one, to those of the test that runs.
func (m *statusMachine) addReason(l statusLine) {
	if l.reason == "" || m.reasons.full {
		return
	}
	if m.reasons.add(l.reason) {
		m.running.Reason = m.reasons.String()
	}
	if m.reasons.full {
		m.report(l.at, 1, fmt.Sprintf("the reasons of the test take more than %d bytes: this one and those that follow are left out", maxReasonBytes))
	}
}

// reasons are the different reasons of a test, without those that are a part of another.
type reasons struct {
	list []string
	size int
	full bool // there was no room for another
}

// add returns whether it changed anything.
func (r *reasons) add(reason string) bool {
	for _, have := range r.list {
		if strings.Contains(have, reason) {
			return false
		}
	}
	if r.size+len(reason) > maxReasonBytes {
		r.full = true
		return false
	}
	r.list = slices.DeleteFunc(r.list, func(have string) bool { return strings.Contains(reason, have) })
	r.list = append(r.list, reason)
	r.size += len(reason)
	return true
}

// String returns the reasons, sorted.
func (r *reasons) String() string {
	return strings.Join(slices.Sorted(slices.Values(r.list)), ", ")
}

// validText returns text as a string that is UTF-8, and whether it was.
func validText(text []byte) (string, bool) {
	if utf8.Valid(text) {
		return string(text), true
	}
	return strings.ToValidUTF8(string(text), "\ufffd"), false
}
