package rows

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/source"
)

// A Folder is a folder whose files are JSON documents.
type Folder struct {
	FS     fs.FS
	Dir    string // in FS
	Name   string // of FS, for errors
	Limits format.Limits
}

// Read reads a file, whose name is a path in FS. The Tree is nil if the file does not exist. An error
// is about this file only, and recoverable.
func (f *Folder) Read(name string, typ *jsontree.Type) (*jsontree.Tree, *format.Error) {
	file, err := source.Open(f.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.Error(name, "opening failed: "+err.Error(), err)
	}
	defer file.Close() // it is read only

	s := jsonscan.New(file, path.Join(f.Name, name), f.Limits)
	s.BeginRegion("MaxResultBytes", f.Limits.MaxResultBytes, 0)
	var trees jsontree.Reader
	tree := trees.Read(s, typ)
	s.EndRegion()
	s.End()
	if e, ok := errors.AsType[*format.Error](s.Err()); ok {
		e.Severity = format.Recoverable
		return nil, e
	}
	return tree, nil
}

// Within returns the path of a file within the folder, given that in FS.
func (f *Folder) Within(name string) string {
	switch {
	case f.Dir == ".":
		return name
	case name == f.Dir:
		return "."
	}
	return strings.TrimPrefix(name, f.Dir+"/")
}

// Error returns a recoverable error about a file or folder as a whole.
func (f *Folder) Error(name, message string, cause error) *format.Error {
	return &format.Error{
		Name: path.Join(f.Name, name), Position: format.Position{Line: 1, Column: 1}, Message: message,
		Err: cause, Severity: format.Recoverable,
	}
}
