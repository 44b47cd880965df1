package perfdata

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"perfdata/format"
)

// A folderError is the error of a folder that is of no format.
type folderError struct{}

func (folderError) Error() string {
	return "is a directory: want a file, the results folder of an Autotest job, or target/criterion; ingest.Walk lists the files of a tree"
}

func (folderError) Unwrap() error { return syscall.EISDIR }

// openFolder opens the results folder of a job. A link in it cannot lead out of it.
func (o Opener) openFolder(name string) (*File, error) {
	top, dir, outer, err := jobTop(name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	f, err := o.openDir(root.FS(), dir, outer, name)
	if err != nil {
		root.Close()
		return nil, err
	}
	f.file = root
	return f, nil
}

// jobTop returns the uppermost folder of the job in the named folder, the name of the job's folder
// in it, and the name of the uppermost folder for errors. See package perfdata/keyval/job.
func jobTop(name string) (top, dir, outer string, err error) {
	own, err := filepath.Abs(name)
	if err != nil {
		return "", "", "", err
	}
	outer = name
	for top = own; ; top, outer = filepath.Dir(top), filepath.Join(outer, "..") {
		if _, err := os.Stat(filepath.Join(top, ".autoserv_execute")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			top, outer = own, name
			break
		}
	}
	dir, err = filepath.Rel(top, own)
	return top, filepath.ToSlash(dir), outer, err
}

// openDir opens folder dir of fsys as the Opener's Format, or as the first format that recognizes it.
// The outer name is that of fsys, and name that of the folder, for errors.
func (o Opener) openDir(fsys fs.FS, dir, outer, name string) (*File, error) {
	options := o.Options
	options.Name = outer
	for _, f := range known {
		if f.OpenDir == nil {
			continue
		}
		is := o.names(f)
		if o.Format == "" {
			var err error
			if is, err = f.DetectDir(fsys, dir); err != nil {
				return nil, &fs.PathError{Op: "read", Path: name, Err: err}
			}
		}
		if is {
			return &File{Reader: f.OpenDir(fsys, dir, options), Format: f, opener: o, name: name}, nil
		}
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: folderError{}}
}

// names reports whether the Opener's Format is that of a folder, whose name begins with that of the
// format of its files, as in "keyval job".
func (o Opener) names(folder format.Format) bool {
	return o.Format != "" && (o.Format == folder.Name || strings.HasPrefix(folder.Name, o.Format+" "))
}

// validateDir yields the errors in a folder's files.
func (f *File) validateDir(yield func(*format.Error) bool) {
	for _, err := range f.Reader.Records() {
		if e, ok := err.(*format.Error); ok && !yield(e) {
			return
		}
	}
}
