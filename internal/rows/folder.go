package rows

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/opening"
)

// A Folder is a folder whose files are JSON documents. The Maker, which makes the records of their results,
// yields all errors.
type Folder struct {
	*Maker
	FS     fs.FS
	Dir    string // in FS
	Name   string // of FS, for errors
	Limits format.Limits

	spec  *Spec
	kinds []*kind
}

// Entries returns the entries of a folder, sorted. It says the error.
func (f *Folder) Entries(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(f.FS, dir)
	if err != nil {
		f.Fail(f.Error(dir, "reading failed: "+err.Error(), err))
	}
	return entries
}

// Report says the error or the faults of what Read has returned, and returns its root.
func (f *Folder) Report(tree *jsontree.Tree, err *format.Error) jsontree.Value {
	if err != nil {
		f.Fail(err)
	}
	if tree != nil {
		for _, e := range tree.Faults {
			f.Fail(e)
		}
	}
	return tree.Root()
}

// A kind reads the files of a type, which resemble each other: with a Scanner and a Reader for each file
// instead, reading a folder of Criterion.rs takes 1.8 times as long.
type kind struct {
	typ   *jsontree.Type
	scan  *jsonscan.Scanner
	trees jsontree.Reader
}

// Read reads a file, whose name is a path in FS. The Tree is nil if the file does not exist, and is valid
// until another file of the type is read. An error is about this file only, and recoverable.
func (f *Folder) Read(name string, typ *jsontree.Type) (*jsontree.Tree, *format.Error) {
	file, err := opening.Open(f.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.Error(name, "opening failed: "+err.Error(), err)
	}
	defer file.Close() // it is read only

	at := slices.IndexFunc(f.kinds, func(k *kind) bool { return k.typ == typ })
	if at < 0 {
		at = len(f.kinds)
		f.kinds = append(f.kinds, &kind{typ: typ, scan: jsonscan.New(nil, "", f.Limits)})
		if f.spec.NaN {
			f.kinds[at].scan.AllowNaN()
		}
		if f.spec.Slow {
			f.kinds[at].scan.DisableFastPath()
		}
	}

	k, s := f.kinds[at], f.kinds[at].scan
	// The struct saves a system call that asks whether it can seek.
	s.Reset(struct{ io.Reader }{file}, path.Join(f.Name, name), f.Limits)
	s.BeginRegion("MaxResultBytes", f.Limits.MaxResultBytes, 0)
	s.KeepRegion() // for errors about the input
	tree := k.trees.Read(s, typ)
	s.End()
	s.EndRegion()
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
