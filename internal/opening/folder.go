package opening

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxDepth is how many folders deep a tree of files is read. What looks for files in trees takes a path for
// each folder, so that its time grows with the square of the depth.
const MaxDepth = 64

// ErrDepth is the error of a folder that is not read, because it is too deep.
var ErrDepth = fmt.Errorf("not read: more than %d folders deep", MaxDepth)

// A Folder is the file system of a folder. No name and no link leads out of it, and only regular files and
// folders can be opened, which never blocks.
type Folder struct {
	name string
	root *os.Root // nil: the folder is opened each time, so that it may be replaced
}

// FolderOf returns the Folder of that name, which need not exist yet.
func FolderOf(name string) *Folder { return &Folder{name: name} }

// OpenFolder opens a folder, for a Folder that stays the same one when it is renamed or replaced.
func OpenFolder(name string) (*Folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{name, root}, nil
}

// Close closes a folder that OpenFolder opened.
func (f *Folder) Close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

// Open opens a file or folder in the folder, as [File] does.
func (f *Folder) Open(name string) (fs.File, error) {
	file, _, err := File(f, name)
	return file, err
}

// open opens what may also be a FIFO or a device.
func (f *Folder) open(name string) (file fs.File, err error) {
	err = f.within("open", name, func(root *os.Root, path string) (err error) {
		file, err = root.OpenFile(path, os.O_RDONLY|Nonblock, 0)
		return err
	})
	return file, err
}

// Stat returns the FileInfo of a file, for fs.Stat.
func (f *Folder) Stat(name string) (info fs.FileInfo, err error) {
	err = f.within("stat", name, func(root *os.Root, path string) error {
		info, err = root.Stat(path)
		return err
	})
	return info, err
}

// within calls do with the folder and the name as a path of the system.
func (f *Folder) within(op, name string, do func(root *os.Root, path string) error) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	root := f.root
	if root == nil {
		var err error
		if root, err = os.OpenRoot(f.name); err != nil {
			return err
		}
		defer root.Close() // it was read only
	}
	path, err := filepath.Localize(name)
	if err == nil {
		err = do(root, path)
	}
	if err != nil && !errors.As(err, new(*fs.PathError)) {
		err = &fs.PathError{Op: op, Path: name, Err: err}
	}
	return err
}

// canRead reports whether a file can be read to an end, or is a folder. Nothing else is known of an irregular
// file: the objects of buckets, in gocloud.dev/blob, are such files.
func canRead(mode fs.FileMode) bool {
	return mode.IsDir() || mode.IsRegular() || mode.Type() == fs.ModeIrregular
}

// File opens a file of any file system, if it is regular or a folder. If the file system can tell before it
// opens the file, no other file is opened. The FileInfo is nil if the file has none.
func File(fsys fs.FS, name string) (file fs.File, info fs.FileInfo, err error) {
	irregular := func() error { // to open a FIFO or a device may block for ever, or do something
		return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: not a regular file", fs.ErrInvalid)}
	}
	switch fsys := fsys.(type) {
	case nil:
		return nil, nil, ErrNoFiles
	case *Folder:
		file, err = fsys.open(name) // to look at it first would take longer than to open it
	case fs.StatFS:
		if info, err := fsys.Stat(name); err == nil && !canRead(info.Mode()) {
			return nil, nil, irregular()
		}
		file, err = fsys.Open(name)
	default:
		file, err = fsys.Open(name)
	}
	if err != nil {
		return nil, nil, err
	}

	info, err = file.Stat()
	if errors.Is(err, errors.ErrUnsupported) {
		return file, nil, nil
	}
	if err == nil && !canRead(info.Mode()) {
		err = irregular()
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}
