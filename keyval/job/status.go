package job

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
)

// A status log is a text of nested groups, one tab deeper each:
//
//	START	subdir	test	timestamp=1400000000	localtime=May 13 16:53:20
//		GOOD	subdir	test	timestamp=...	localtime=...	completed successfully
//	END GOOD	subdir	test	timestamp=...	localtime=...
//
// Fields are separated by tabs; ---- means without a subdir or test; a reason comes last. A group
// without subdir and test is a whole client job. Other lines continue the reason before them and
// are skipped. Carriage returns and NUL bytes are dropped from all lines.

// statuses are ordered from the worst to the best. A test with several has the worst of them.
var statuses = [...]string{"TEST_NA", "ABORT", "ERROR", "FAIL", "WARN", "GOOD", "BUG", "ALERT", "RUNNING", "NOSTATUS"}

const (
	statusAbort     = 1
	statusGood      = 5
	statusNone      = 9 // without a status
	noSuchStatus    = 10
	nothing         = "----"
	maxReasonBytes  = 16 << 10 // of the reasons of one test
	maxStatusFaults = 1000     // errors of a status log that are reported
)

type lineKind int

const (
	lineStatus lineKind = iota
	lineStart
	lineEnd
	lineInfo
)

// A statusLine is one line of a status log. Missing fields are empty.
type statusLine struct {
	indent       int
	kind         lineKind
	status       int
	subdir, test string
	time         time.Time
	abortReason  string // of the whole job
	reason       string
	at           format.Position
}

// isNoise reports whether c is a character that serial consoles leave in a status log. Noise may
// appear anywhere, even before the tabs of a line, and has no meaning.
func isNoise(c byte) bool { return c == '\r' || c == 0 }

// clean returns a line without noise.
func clean(line []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("\r"), nil), []byte("\x00"), nil)
}

// rawColumn returns the column in line of the character that is at column once noise is removed.
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

// parseStatusLine parses a line. It returns false if the line is not one of a status log. Faults
// are reported, and faulty fields are left empty.
func parseStatusLine(
	text string, at format.Position, report func(at format.Position, column int, msg string),
) (statusLine, bool) {
	rest := strings.TrimLeft(text, "\t")
	l := statusLine{indent: len(text) - len(rest), at: at}
	fields := strings.Split(rest, "\t")
	if len(fields) < 4 {
		return l, false
	}
	for _, field := range fields[:3] {
		if field == "" || field[0] == ' ' || '\t' <= field[0] && field[0] <= '\r' {
			return l, false
		}
	}

	column := l.indent + 1
	switch fields[0] {
	case "START":
		l.kind = lineStart
	case "INFO":
		l.kind = lineInfo
	default:
		status, isEnd := strings.CutPrefix(fields[0], "END ")
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
		return time.Time{}, fmt.Errorf("%s is not a time in seconds", message.Quote(s))
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// A statusMachine makes tests from the lines of a status log, as version 1 of the reference's
// parser does.
type statusMachine struct {
	report func(at format.Position, column int, msg string)

	tests  []*Test // in the order in which they began
	server *Test   // the first test: the job as a whole

	groups []statusGroup // the open groups; the first one is outside of all others
	min    int           // number of open groups around tests

	status  int     // the worst so far of the next test
	reason  string  // of that status
	client  *Test   // the current or last client job
	running *Test   // the current test
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

func (m *statusMachine) depth() int { return len(m.groups) - 1 }

func (m *statusMachine) innermost() *statusGroup { return &m.groups[len(m.groups)-1] }

// update sets the status of the innermost group if it is worse than the group's.
func (m *statusMachine) update(status int) {
	g := m.innermost()
	g.status = min(g.status, status)
}

func (m *statusMachine) begin(subdir, name string, started time.Time, at format.Position) *Test {
	t := &Test{Name: name, Subdir: subdir, Status: "RUNNING", Started: started, at: at}
	m.tests = append(m.tests, t)
	return t
}

// add processes the next line.
func (m *statusMachine) add(l statusLine) {
	m.last = l
	for {
		expected := m.depth()
		if l.kind == lineEnd {
			expected--
		}
		if l.indent > expected {
			m.report(l.at, 1, "the line is indented deeper than the open groups: it is left out")
			return
		}
		if l.indent == expected {
			m.take(l)
			return
		}
		m.abort(m.innermost().subdir, l)
	}
}

// abort ends the innermost group, whose end is missing. The subdir is the group's.
func (m *statusMachine) abort(subdir string, because statusLine) {
	m.take(statusLine{
		kind: lineEnd, status: statusAbort, subdir: subdir, test: subdir,
		time: because.time, reason: because.reason, at: because.at,
	})
}

// end ends the groups that are open at the end of the log, for a reason.
func (m *statusMachine) end(reason string) {
	l := m.last
	l.reason = reason
	// Keep the subdirs: the end of a group may set that of the group around it, which is not
	// wanted here.
	open := slices.Clone(m.groups)
	for i := len(open) - 1; i > 0; i-- {
		m.abort(open[i].subdir, l)
	}
}

// take processes a line whose depth is right.
func (m *statusMachine) take(l statusLine) {
	var started time.Time
	switch l.kind {
	case lineInfo:
		if l.abortReason != "" {
			m.server.Reason = l.abortReason
		}
		return
	case lineStart:
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

// takeStatus processes a status line. It reports whether the line may be a test.
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

// takeEnd processes the end of a group. It returns the time when the group began, and sets l's
// subdir to the group's.
func (m *statusMachine) takeEnd(l *statusLine) time.Time {
	m.update(l.status)
	group := *m.innermost()
	if l.test == "" && l.subdir == "" && m.running == nil {
		m.min = m.depth() - 1
		m.groups = m.groups[:len(m.groups)-1]
	} else {
		l.subdir = group.subdir
		m.groups = m.groups[:len(m.groups)-1]
		// The reference checks for a group around tests before it counts the group as ended.
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

// finish makes a test from the lines since the last one.
func (m *statusMachine) finish(l statusLine, started time.Time) {
	name, t := cmp.Or(l.test, l.subdir), m.running
	if name == "" {
		name = m.clientName()
		m.clients++
		t = m.client
		if m.status > statusAbort {
			m.status = statusGood // failed tests do not make a job fail
		}
	}

	if t == nil {
		t = m.begin("", "", time.Time{}, l.at)
	}

	t.Name, t.Subdir, t.Reason = name, l.subdir, cmp.Or(m.reason, l.reason)
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

// addReason adds the line's reason, if it has one, to the reasons of the current test.
func (m *statusMachine) addReason(l statusLine) {
	if l.reason == "" || m.reasons.full {
		return
	}
	if m.reasons.add(l.reason) {
		m.running.Reason = m.reasons.String()
	}
	if m.reasons.full {
		m.report(l.at, 1, fmt.Sprintf("the reasons of the test exceed %d bytes: this and later ones are left "+
			"out", maxReasonBytes))
	}
}

// reasons are the different reasons of a test, without reasons that are part of another one.
type reasons struct {
	list []string // sorted
	size int
	full bool // a reason did not fit
}

// add adds a reason. It reports whether that changed anything.
func (r *reasons) add(reason string) bool {
	if slices.ContainsFunc(r.list, func(have string) bool { return strings.Contains(have, reason) }) {
		return false
	}
	if r.size+len(reason) > maxReasonBytes {
		r.full = true
		return false
	}
	r.list = slices.DeleteFunc(r.list, func(have string) bool { return strings.Contains(reason, have) })
	i, _ := slices.BinarySearch(r.list, reason)
	r.list = slices.Insert(r.list, i, reason)
	r.size += len(reason)
	return true
}

func (r *reasons) String() string { return strings.Join(r.list, ", ") }

// validText returns text as valid UTF-8, and whether it was valid before.
func validText(text []byte) (string, bool) {
	if utf8.Valid(text) {
		return string(text), true
	}
	return strings.ToValidUTF8(string(text), "\ufffd"), false
}
