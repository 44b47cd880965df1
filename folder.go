package perfdata

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"perfdata/format"
	"perfdata/keyval"
)

// jobFormat is the name of the format of a job's results folder.
const jobFormat = "keyval job"

// A folderError is the error of a folder that is not a job's.
type folderError struct{}

func (folderError) Error() string {
	return "is a directory: want a file, or the results folder of an Autotest job; ingest.Walk lists the files of a tree"
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
	f, err := o.openJob(root.FS(), dir, outer, name)
	if err != nil {
		root.Close()
		return nil, err
	}
	f.file = root
	return f, nil
}

// jobTop returns the uppermost folder of the job in the named folder, the name of the job's folder
// in it, and the name of the uppermost folder for errors. See [keyval.Job].
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

// openJob opens the results of a job in folder dir of fsys. The outer name is that of fsys, and
// name that of the job's folder, for errors.
func (o Opener) openJob(fsys fs.FS, dir, outer, name string) (*File, error) {
	isJob := o.Format == "keyval" || o.Format == jobFormat
	if o.Format == "" {
		var err error
		if isJob, err = keyval.DetectJob(fsys, dir); err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
	}
	if !isJob {
		return nil, &fs.PathError{Op: "read", Path: name, Err: folderError{}}
	}
	job := keyval.NewJob(fsys, dir)
	job.Name, job.Limits, job.Params = outer, o.Limits, o.Params

	f := &File{Reader: job, Info: keyval.Info(), opener: o, name: name}
	f.Info.Name, f.Info.Title, f.Info.Extensions = jobFormat, "Autotest job folder", nil
	return f, nil
}

// validateJob yields the errors in a job's files.
func (f *File) validateJob(yield func(*format.Error) bool) {
	for _, err := range f.Reader.Records() {
		if e, ok := err.(*format.Error); ok && !yield(e) {
			return
		}
	}
}
