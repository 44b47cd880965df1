package job

import (
	"fmt"
	"math/rand/v2"
	"perfdata/internal/testing/quick"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A plain reading of status logs keeps all lines in a queue, and puts the ends that are missing
// into it. Groups and the tests in them are in slices. It reports no faults.
type plainStatus struct {
	queue []plainLine
	last  plainLine // of the log

	// Of each open group, and of the text outside of all groups.
	worst   []int
	subdirs []string
	started []string

	tests   []*Test
	client  *Test
	running *Test
	reasons []string // of running
	server  string   // the reason of the whole job

	base          int // groups around tests
	status        int
	reason        string
	clients, boot int
}

type plainLine struct {
	indent             int
	kind               string // START, INFO, END or empty
	status             int
	subdir, test, time string
	reason, aborted    string
}

var (
	plainStatusLine = regexp.MustCompile(`(?s)^(\t*)([^\t \v\f][^\t]*)\t([^\t \v\f][^\t]*)\t([^\t \v\f][^\t]*)\t(.*)$`)
	plainOption     = regexp.MustCompile(`^(\w+)=([^\t]+)(\t|$)`)
)

const plainNoStatus = 9 // NOSTATUS

func plainStatusLines(log string) (all []plainLine) {
	for text := range strings.SplitSeq(strings.NewReplacer("\r", "", "\x00", "").Replace(log), "\n") {
		m := plainStatusLine.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		l := plainLine{indent: len(m[1]), status: slices.Index(statuses[:], strings.TrimPrefix(m[2], "END "))}
		switch {
		case m[2] == "START" || m[2] == "INFO":
			l.kind = m[2]
		case strings.HasPrefix(m[2], "END "):
			l.kind = "END"
		}
		if l.status < 0 {
			l.status = plainNoStatus + 1
		}
		if m[3] != "----" {
			l.subdir = m[3]
		}
		if m[4] != "----" {
			l.test = m[4]
		}

		rest := m[5]
		for o := plainOption.FindStringSubmatch(rest); o != nil; o = plainOption.FindStringSubmatch(rest) {
			switch o[1] {
			case "timestamp":
				l.time = o[2]
			case "job_abort_reason":
				l.aborted = o[2]
			}
			rest = rest[len(o[0]):]
		}
		if l.kind != "INFO" {
			l.reason = rest
		}
		all = append(all, l)
	}
	return all
}

func plainTime(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < -1<<47 || n >= 1<<47 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// plainTests returns the tests of a log, without that of the whole job, whose reason it returns.
func plainTests(log string) ([]*Test, string) {
	p := &plainStatus{queue: plainStatusLines(log), status: plainNoStatus}
	p.open(plainLine{})
	for len(p.queue) > 0 {
		l := p.queue[0]
		depth := len(p.worst) - 1
		if l.kind == "END" {
			depth--
		}
		switch {
		case l.indent > depth:
			p.queue = p.queue[1:]
		case l.indent < depth:
			p.queue = append([]plainLine{p.missingEnd(len(p.worst)-1, l)}, p.queue...)
			continue
		default:
			p.queue = p.queue[1:]
			p.read(l)
		}
		p.last = l
	}

	// The log ends in groups.
	p.last.reason = "Job aborted unexpectedly"
	for group := len(p.worst) - 1; group > 0; group-- {
		p.queue = append(p.queue, p.missingEnd(group, p.last))
	}
	for _, l := range p.queue {
		p.read(l)
	}
	return p.tests, p.server
}

func (p *plainStatus) missingEnd(group int, because plainLine) plainLine {
	subdir := p.subdirs[group]
	return plainLine{
		indent: group - 1, kind: "END", status: slices.Index(statuses[:], "ABORT"),
		subdir: subdir, test: subdir, time: because.time, reason: because.reason,
	}
}

func (p *plainStatus) open(l plainLine) {
	p.worst = append(p.worst, plainNoStatus)
	p.subdirs = append(p.subdirs, l.subdir)
	p.started = append(p.started, l.time)
}

func (p *plainStatus) test(name, subdir, started string) *Test {
	t := &Test{Name: name, Subdir: subdir, Status: "RUNNING", Started: plainTime(started)}
	p.tests = append(p.tests, t)
	return t
}

// because adds a reason of the running test, whose reason is all reasons that are not part of
// another.
func (p *plainStatus) because(reason string) {
	if reason == "" {
		return
	}
	p.reasons = append(p.reasons, reason)
	var whole []string
	for _, r := range p.reasons {
		partOf := func(other string) bool { return r != other && strings.Contains(other, r) }
		if !slices.ContainsFunc(p.reasons, partOf) && !slices.Contains(whole, r) {
			whole = append(whole, r)
		}
	}
	slices.Sort(whole)
	p.running.Reason = strings.Join(whole, ", ")
}

// read reads a line whose depth is right.
func (p *plainStatus) read(l plainLine) {
	ofJob := l.test == "" && l.subdir == "" && p.running == nil
	top := len(p.worst) - 1
	started := ""
	switch l.kind {
	case "INFO":
		if l.aborted != "" {
			p.server = l.aborted
		}
		return

	case "START":
		p.open(l)
		if ofJob {
			p.base = top + 1
			p.client = p.test(fmt.Sprint("CLIENT_JOB.", p.clients), "", l.time)
		} else if top == p.base && p.running == nil {
			p.running, p.reasons = p.test(l.test, l.subdir, l.time), nil
			p.because(l.reason)
		}
		return

	case "END":
		if ofJob {
			p.base = top - 1
		} else {
			l.subdir = p.subdirs[top]
			if p.subdirs[top-1] == "" && top > p.base {
				p.subdirs[top-1] = l.subdir
			}
		}
		p.status, started = min(p.worst[top], l.status), p.started[top]
		p.worst, p.subdirs, p.started = p.worst[:top], p.subdirs[:top], p.started[:top]
		if top--; top > p.base {
			p.worst[top] = min(p.worst[top], p.status)
			p.status = p.worst[top]
		}
		if l.test == "reboot" && l.subdir == "" {
			l.test = fmt.Sprint("boot.", p.boot)
		}

	default:
		if l.subdir != "" && top > p.base {
			p.subdirs[top] = l.subdir
		}
		p.worst[top] = min(p.worst[top], l.status)
		if l.status <= p.status {
			if p.running != nil && l.reason != "" {
				p.because(l.reason)
				p.reason = p.running.Reason
			} else if l.reason != "" {
				p.reason = l.reason
			}
			p.status = p.worst[top]
		}
		if l.test == "" && l.subdir == "" {
			return
		}
	}
	if top <= p.base {
		p.finish(l, started)
	}
}

// finish completes the running test, or makes one of a single line.
func (p *plainStatus) finish(l plainLine, started string) {
	t := p.running
	name := l.test
	if name == "" {
		name = l.subdir
	}
	if name == "" {
		name = fmt.Sprint("CLIENT_JOB.", p.clients)
		p.clients++
		t = p.client
		if statuses[min(p.status, plainNoStatus)] != "ABORT" && statuses[min(p.status, plainNoStatus)] != "TEST_NA" {
			p.status = slices.Index(statuses[:], "GOOD")
		}
	}
	if t == nil {
		t = p.test("", "", "")
	}
	if p.reason == "" {
		p.reason = l.reason
	}
	t.Name, t.Subdir, t.Reason, t.Status = name, l.subdir, p.reason, statuses[min(p.status, plainNoStatus)]
	t.Started, t.Finished = plainTime(started), plainTime(l.time)
	if name == fmt.Sprint("boot.", p.boot) {
		p.boot++
	}
	p.running, p.status, p.reason = nil, plainNoStatus, ""
}

// checkPlainStatus compares the tests of a log with the plain reading.
func checkPlainStatus(t *testing.T, log string) {
	t.Helper()
	show := func(test *Test) string {
		return fmt.Sprintf("%q in %q: %s (%q) %v %v", test.Name, test.Subdir, test.Status, test.Reason,
			test.Started, test.Finished)
	}
	tests, server := plainTests(log)
	want, got := []string{server}, []string{""}
	for _, test := range tests {
		want = append(want, show(test))
	}
	first := true
	for test, err := range NewReader(files(map[string]string{"status": log}), ".").Tests() {
		switch {
		case err != nil:
		case first:
			got[0], first = test.Reason, false
		default:
			got = append(got, show(test))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q (-plain reading +Reader):\n%s", log, diff)
	}
}

// randomLog returns a log whose indentation is usually right. Groups that don't end, and ends
// without a group, are frequent.
func randomLog(r *rand.Rand) string {
	pick := func(options ...string) string { return options[r.IntN(len(options))] }
	var b strings.Builder
	depth := 0
	for range r.IntN(20) {
		status := pick("START", "START", "INFO", "ODD", statuses[r.IntN(len(statuses))], statuses[r.IntN(len(statuses))])
		switch {
		case status == "INFO" || status == "START":
		case depth > 0 && r.IntN(3) == 0:
			status = "END " + status
			depth--
		}
		indent := depth
		if r.IntN(8) == 0 {
			indent = max(0, depth-1+r.IntN(3))
		}
		if status == "START" {
			depth = indent + 1
		}
		name := pick("----", "a", "b", "reboot", "boot.0")
		fmt.Fprintf(&b, "%s%s%s\t%s\t%s\t", strings.Repeat("\t", indent), pick("", "", "", "", "\r", "\x00"), status,
			pick("----", name, "c/d"), name)
		b.WriteString(pick("", "timestamp=1400000001\t", "timestamp=1400000002\tx=y\t", "timestamp=x\t"))
		b.WriteString(pick("", "broken", "broken pipe", "other\tmore", "job_abort_reason=stop"))
		b.WriteString(pick("\n", "\n", "\r\n", "\nnote\n"))
	}
	return b.String()
}

func TestPlainStatus(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range quick.Of(2500, 700) {
		checkPlainStatus(t, randomLog(r))
	}
}

// A column counts the noise before the character, and goes beyond the line if it was beyond it.
func TestRawColumn(t *testing.T) {
	for _, test := range []struct {
		line         string
		column, want int
	}{
		{"ab", 1, 1},
		{"ab", 2, 2},
		{"ab", 3, 3},
		{"ab", 5, 5},
		{"a\rb", 2, 3},
		{"\r\x00a\rb\r", 1, 3},
		{"\r\x00a\rb\r", 2, 5},
		{"\r\x00a\rb\r", 3, 7},
		{"", 1, 1},
	} {
		if got := rawColumn([]byte(test.line), test.column); got != test.want {
			t.Errorf("column %d of %q: %d, want %d", test.column, test.line, got, test.want)
		}
	}
}

// Reasons are kept up to a size, and not beyond.
func TestReasons(t *testing.T) {
	r := reasons{size: maxReasonBytes - 3}
	if !r.add("abc") || r.full || r.add("d") || !r.full {
		t.Errorf("%+v", r)
	}
}
