package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// writeFile has write make what the named file is to hold, and puts it in the file's place when it is complete: who reads
// the file finds what was there before or all that is new. Permissions stay as they were. What isn't a regular file, such
// as a device, is written to as it is.
func writeFile(name string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a link goes on being one
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
		return errors.Join(write(f), f.Close())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := createBeside(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = name // that of the file beside it says nothing to the user
	}
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-interrupts; ok {
			os.Remove(f.Name())
			os.Exit(statusFailed)
		}
	}()
	defer func() {
		signal.Stop(interrupts)
		close(interrupts)
		if err != nil {
			f.Close() // again, perhaps
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if exists {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// createBeside creates a file in the folder of the named one, with the permissions that a new file has: os.CreateTemp would
// make one for its owner only.
func createBeside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for try := 0; ; try++ {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s.%08x", base, rand.Uint32())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if try >= 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
