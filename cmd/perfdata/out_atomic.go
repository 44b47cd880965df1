package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"perfdata/internal/opening"
)

// writeFile replaces the content of the named file with what write writes. The replacement is
// atomic: readers see either the old content or all of the new. The file keeps its permissions,
// and a link stays a link. A file that is not regular, such as a device, and an open file, such as
// /dev/stdout, are written to directly.
func (t *tool) writeFile(name string, write func(io.Writer) error) (err error) {
	name, err = followLinks(name)
	if err != nil {
		return err
	}
	// The streams of this process are written by its own writers, in the order of printing.
	switch fd, ok := descriptor(name); {
	case ok && fd == 1:
		return write(t.stdout)
	case ok && fd == 2:
		return write(t.stderr)
	case ok:
		// Opening the file by this name would truncate it or write to its beginning.
		f := os.NewFile(fd, name)
		return firstError(write(f), f.Close())
	}

	info, err := os.Stat(name)
	exists := err == nil
	switch {
	case exists && info.IsDir():
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("is a directory")}
	// A device, or a FIFO that someone reads, cannot be replaced.
	case exists && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return firstError(write(f), f.Close())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}

	f, err := t.signals.create(name)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Path = name // the name of the temporary file means nothing to the user
		}
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // may be closed already
			os.Remove(f.Name())
		}
		// A signal leaves the file from now on: it is complete, or was removed.
		t.signals.mu.Lock()
		t.signals.incomplete = ""
		t.signals.mu.Unlock()
	}()

	err = write(f)
	// The new file must be readable for the same users as the old one.
	if err == nil && exists {
		err = f.Chmod(info.Mode().Perm())
	}
	// Without this, a machine that loses power after the rename may have an empty file.
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	if canLock { // until it has its name, the lock says that it is not a leftover
		return firstError(os.Rename(f.Name(), name), f.Close())
	}
	return firstError(f.Close(), os.Rename(f.Name(), name))
}

// firstError returns the first error that is not nil: later errors are usually its consequences.
func firstError(errs ...error) error { return cmp.Or(errs...) }

// create creates a file in the folder of the named one, with the usual permissions of a new file:
// os.CreateTemp would make it readable by its owner only. A signal removes it, until it is
// complete. The names are numbered, so that the next run with the same output meets the file that
// a killed one has left, and removes it.
func (s *signals) create(name string) (*os.File, error) {
	// The lock is held meanwhile, so that no signal arrives between the file and its name here.
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, base := filepath.Split(name)
	// The file is in the same folder, because a rename to another file system is a copy.
	for try := 1; ; try++ {
		beside := dir + fmt.Sprintf(".%s.perfdata%d", base, try)
		// It is a leftover if nobody holds its lock. The name could be that of a FIFO, whose opening
		// would wait.
		if left, err := os.OpenFile(beside, os.O_WRONLY|opening.Nonblock, 0); err == nil {
			if info, err := left.Stat(); err == nil && info.Mode().IsRegular() && lock(left, false) == nil {
				os.Remove(beside)
			}
			left.Close()
		}

		f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil && !isOurs(f) && try < 100:
			f.Close() // another run took it for a leftover
		case err == nil:
			s.incomplete = beside
			return f, nil
		case try >= 100 || !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
}

// isOurs locks a new file, and reports whether its name is still that of this file. A file system
// without locks has no leftovers that are removed.
func isOurs(f *os.File) bool {
	if lock(f, true) != nil {
		return true
	}
	info, err := f.Stat()
	named, missing := os.Lstat(f.Name())
	return err == nil && missing == nil && os.SameFile(info, named)
}

// followLinks returns the target of a link, which need not exist, or the name itself if it is not
// a link. It stops at the names of open files, which are links too.
func followLinks(name string) (string, error) {
	const most = 40 // as on Linux
	for range most {
		if _, ok := descriptor(name); ok {
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(name)
			to = dir + to // not cleaned: the element before a .. may be a link too
		}
		name = to
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("too many links")}
}

// descriptor returns the descriptor of an open file, given a name such as /dev/stdout or
// /dev/fd/3.
func descriptor(name string) (fd uintptr, ok bool) {
	number := map[string]string{"/dev/stdout": "1", "/dev/stderr": "2"}[name]
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			number = rest
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	return uintptr(n), err == nil
}

// signals removes the file that is being written when a signal arrives, and then lets the signal
// end the program as usual. A shell that runs the program in a loop ends the loop only if the
// interrupt itself ends the program.
type signals struct {
	mu         sync.Mutex
	incomplete string // the file to remove
}

// listen starts handling signals. Signals that are ignored, as with nohup, stay ignored.
func (s *signals) listen() {
	received := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(received, sig)
		}
	}
	// This goroutine is the only one that stays: it waits until the process ends, which it ends as
	// the signal would have, had nobody listened.
	go func() {
		sig := <-received
		s.mu.Lock() // never unlocked: no file is created after this
		if s.incomplete != "" {
			os.Remove(s.incomplete)
		}
		if sig != syscall.SIGQUIT { // a Go program would print its stacks
			signal.Reset(sig)
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(sig) == nil {
				time.Sleep(time.Second) // until the signal arrives
			}
		}

		// Where a process cannot send itself a signal, as on Windows, the status is the one that
		// shells use.
		status := statusFailed
		if number, ok := sig.(syscall.Signal); ok {
			status = 128 + int(number)
		}
		os.Exit(status)
	}()
}
