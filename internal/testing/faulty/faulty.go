// Package faulty makes each call of an operation's input and output fail once, and checks the
// outcome. Only tests import it.
//
// [Check] runs an operation without a fault and counts the calls that it makes of its faulty
// readers, writers and files. Then it runs the operation once for each of these calls and each way
// to fail.
package faulty

import (
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// Err is the error of the calls that fail.
var Err = errors.New("injected fault")

// A Way is how a call fails.
type Way int

const (
	None    Way = iota
	Fail        // does nothing, and returns Err
	Partial     // reads or writes half, and returns Err
	Short       // reads or writes half, and returns no error; only a Write must not do that
)

func (w Way) String() string { return [...]string{"none", "fail", "partial", "short"}[w] }

// A Script counts calls, and says which one fails. The zero Script lets all calls succeed. Several
// goroutines may use it.
type Script struct {
	mu    sync.Mutex
	calls []string // what was called, in order
	at    int      // the call that fails, from 1; 0 for none
	way   Way
}

// Call counts a call, and returns how it fails. The name is the name of the function, such as
// Read. Only calls that transfer bytes can be Partial or Short: Call returns Fail for others.
func (s *Script) Call(name string) Way {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, name)
	switch {
	case len(s.calls) != s.at:
		return None
	case !transfers(name):
		return Fail
	}
	return s.way
}

// Err counts a call that transfers no bytes, and returns its error.
func (s *Script) Err(name string) error {
	if s.Call(name) == None {
		return nil
	}
	return Err
}

func transfers(name string) bool { return name == "Read" || name == "ReadAt" || name == "Write" }

// A Subject is an operation whose calls fail.
type Subject struct {
	// Try runs the operation from the beginning, and returns what came of it.
	Try func(s *Script) (string, error)

	// Forgiven are the names of calls, such as Close or partial Read, that may fail without an error
	// of the operation: the input was read to its end, or is read again. The result of the operation
	// is then the same.
	Forgiven []string

	// Target returns the state of what the operation writes to, or is nil. A failed operation
	// leaves it as it was, and each operation starts from the state that Reset makes.
	Target func() string
	Reset  func()

	// TriesAgain means that Try itself tries again after a fault, and Check need not. Without Reset,
	// an operation leaves nothing, and is tried again after the last of the ways in which a call fails.
	TriesAgain bool

	// IsFault reports whether an error is the one that was injected. If it is nil, that is an error
	// with the cause Err, or of a Write that was Short, io.ErrShortWrite.
	IsFault func(err error) bool
}

// Check makes each call of a subject fail. It returns the number of operations that it ran with a
// fault. With -short, it makes every seventh call fail.
func Check(t *testing.T, subject Subject) (faults int) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	c := checker{T: t, Subject: subject, temp: temp, leavesNothing: subject.Reset == nil}
	if c.Reset == nil {
		c.Reset = func() {}
	}
	if c.Target == nil {
		c.Target = func() string { return "" }
	}
	var err error
	first := new(Script)
	c.Reset()
	if c.want, err = c.Try(first); err != nil {
		t.Fatalf("without a fault: %v", err)
	}

	for i, name := range first.calls {
		if testing.Short() && i%7 != 0 {
			continue
		}

		ways := []Way{Fail}
		if transfers(name) {
			ways = []Way{Fail, Partial, Short}
		}
		for _, way := range ways {
			c.fault(&Script{at: i + 1, way: way}, name)
			faults++
			if t.Failed() {
				return faults
			}
		}
	}

	t.Logf("%d faults in %d calls", faults, len(first.calls))
	return faults
}

// A checker checks a Subject.
type checker struct {
	*testing.T
	Subject
	leavesNothing bool   // it has no Reset
	temp          string // the folder of temporary files
	want          string // what comes of the operation without a fault
}

// fault runs the subject with a fault, and then without.
func (c *checker) fault(s *Script, name string) {
	c.Helper()
	c.Reset()
	before, goroutines := c.Target(), runtime.NumGoroutine()
	got, err := c.Try(s)

	if s.at <= len(s.calls) && s.calls[s.at-1] != name {
		c.Errorf("call %d is %s, was %s without a fault: the calls have no order", s.at, s.calls[s.at-1], name)
	}
	what := s.way.String() + " " + name
	forgiven := slices.Contains(c.Forgiven, name) || slices.Contains(c.Forgiven, what) || what == "short Read"

	isFault := errors.Is(err, Err)
	if c.IsFault != nil {
		isFault = err != nil && c.IsFault(err)
	} else if s.way == Short {
		isFault = errors.Is(err, io.ErrShortWrite)
	}
	switch {
	case err == nil && !forgiven:
		c.Errorf("call %d, %s: no error, and %q", s.at, what, got)
	case err == nil && got != c.want:
		c.Errorf("call %d, %s: no error, and another result:\n%s\nwant\n%s", s.at, what, got, c.want)
	case err != nil && !isFault:
		c.Errorf("call %d, %s: the error is not the fault: %v", s.at, what, err)
	case err != nil && c.Target() != before:
		c.Errorf("call %d, %s: the target is now %q, want %q", s.at, what, c.Target(), before)
	}
	c.checkLeft(what, goroutines)

	if c.TriesAgain || c.leavesNothing && transfers(name) && s.way != Short {
		return
	}
	if err == nil {
		c.Reset() // the attempt succeeded
	}
	if again, err := c.Try(new(Script)); err != nil || again != c.want {
		c.Errorf("call %d, %s: the next attempt: %v, %q, want %q", s.at, what, err, again, c.want)
	}
}

// checkLeft checks that no temporary file and no goroutine is left.
func (c *checker) checkLeft(what string, goroutines int) {
	c.Helper()
	files, err := os.ReadDir(c.temp)
	if err != nil || len(files) > 0 {
		c.Errorf("%s: temporary files: %v, %v", what, files, err)
	}

	// A goroutine that has done its work, or that closes a broken connection, may take a moment.
	for began := time.Now(); time.Since(began) < time.Minute; runtime.Gosched() {
		if runtime.NumGoroutine() <= goroutines {
			return
		}
	}
	stacks := make([]byte, 1<<16)
	c.Errorf("%s: a goroutine is left:\n%s", what, stacks[:runtime.Stack(stacks, true)])
}
