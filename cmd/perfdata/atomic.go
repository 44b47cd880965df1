package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// writeFile has write make what the named file is to hold, and puts it in the file's place when it is complete: who reads
// the file finds what was there before or all that is new. Permissions stay as they were, and a link remains one. What isn't a
// regular file, such as a device, is written to as it is, and so is an open file such as /dev/stdout.
func (t *tool) writeFile(name string, write func(io.Writer) error) (err error) {
	name, err = followLinks(name)
	if err != nil {
		return err
	}
	switch fd, ok := descriptor(name); {
	case ok && fd == 1:
		return write(t.stdout)
	case ok && fd == 2:
		return write(t.stderr)
	case ok:
		// Opening it by its name would write to the beginning of the file that it is, or replace that file.
		f := os.NewFile(fd, name)
		return firstError(write(f), f.Close())
	}
	info, err := os.Stat(name)
	exists := err == nil
	switch {
	case exists && info.IsDir():
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("is a directory")}
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
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = name // that of the file beside it says nothing to the user
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // again, perhaps
			os.Remove(f.Name())
		}
		t.signals.keep()
	}()
	if err := write(f); err != nil {
		return err
	}
	if exists {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := firstError(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// firstError returns the first error: those after it come of it.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// createBeside creates a file in the folder of the named one, with the permissions that a new file has: os.CreateTemp would
// make one for its owner only.
func createBeside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for try := 0; ; try++ {
		f, err := os.OpenFile(dir+fmt.Sprintf(".%s.%08x", base, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if try >= 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// followLinks returns the name that a link leads to, whether or not there is a file of that name, or else the name itself. It
// stops at the names of open files, which are links too.
func followLinks(name string) (string, error) {
	const most = 40 // as Linux
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
			to = dir + to // not cleaned: what comes before a .. may be a link as well
		}
		name = to
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("too many links")}
}

// descriptor returns the descriptor of an open file that has a name, such as /dev/stdout and /dev/fd/3.
func descriptor(name string) (fd uintptr, ok bool) {
	switch name {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, ok := strings.CutPrefix(name, dir); ok {
			n, err := strconv.ParseUint(number, 10, 31)
			return uintptr(n), err == nil
		}
	}
	return 0, false
}
