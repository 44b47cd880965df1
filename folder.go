package perfdata

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"perfdata/format"
)

// errFolder is the error of a folder that is of no format.
var errFolder = fmt.Errorf("%w: want a file, the results folder of an Autotest job or of asv, or target/criterion; "+
	"ingest.Walk lists the files of a tree", syscall.EISDIR)

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

// detectFolder returns the format of folder dir of fsys: the one with that name, or if the name is empty,
// the first that recognizes the folder. The path is for errors.
func detectFolder(fsys fs.FS, dir, name, path string) (format.Format, error) {
	for _, f := range known {
		if f.OpenDir == nil {
			continue
		}
		is := isFolderOf(f, name)
		if name == "" {
			var err error
			if is, err = f.DetectDir(fsys, dir); err != nil {
				return format.Format{}, &fs.PathError{Op: "read", Path: path, Err: err}
			}
		}
		if is {
			return f, nil
		}
	}
	return format.Format{}, &fs.PathError{Op: "read", Path: path, Err: errFolder}
}

// isFolderOf reports whether a name is that of a folder's format, which begins with that of the format of
// its files, as in "keyval job".
func isFolderOf(folder format.Format, name string) bool {
	return name != "" && (name == folder.Name || strings.HasPrefix(folder.Name, name+" "))
}
