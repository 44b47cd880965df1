package faulty

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// transfer makes a call that transfers bytes of p.
func transfer(s *Script, name string, p []byte, do func([]byte) (int, error)) (int, error) {
	switch s.Call(name) {
	case Fail:
		return 0, Err
	case Partial:
		n, err := do(p[:len(p)/2])
		if err == nil || err == io.EOF {
			err = Err
		}
		return n, err
	case Short:
		return do(p[:len(p)/2])
	}
	return do(p)
}

// call makes a call that transfers no bytes, or one of which only the whole fails.
func call[T any](s *Script, name string, do func() (T, error)) (result T, err error) {
	if err := s.Err(name); err != nil {
		return result, err
	}
	return do()
}

// A Reader is an input that cannot seek.
type Reader struct {
	script *Script
	in     *strings.Reader
	chunk  int
}

// NewReader returns a Reader of a text. A Read returns a twelfth of it at most.
func NewReader(s *Script, text string) *Reader {
	return &Reader{s, strings.NewReader(text), len(text)/12 + 1}
}

func (r *Reader) Read(p []byte) (int, error) {
	return transfer(r.script, "Read", p[:min(len(p), r.chunk)], r.in.Read)
}

// A Seeker is an input that can seek.
type Seeker struct{ *Reader }

// NewSeeker returns a Seeker of a text, as NewReader does.
func NewSeeker(s *Script, text string) Seeker { return Seeker{NewReader(s, text)} }

// Seek fails as "Tell" if it only asks for the offset: an input that fails then cannot seek.
func (r Seeker) Seek(offset int64, whence int) (int64, error) {
	name := "Seek"
	if offset == 0 && whence == io.SeekCurrent {
		name = "Tell"
	}
	return call(r.script, name, func() (int64, error) { return r.in.Seek(offset, whence) })
}

// A Writer is an output.
type Writer struct {
	Script *Script
	Out    io.Writer
}

func (w *Writer) Write(p []byte) (int, error) { return transfer(w.Script, "Write", p, w.Out.Write) }

// An FS is a file system whose calls fail, and the calls of its files.
type FS struct {
	Script *Script
	FS     fs.FS
}

// Open implements [fs.FS].
func (f FS) Open(name string) (fs.File, error) {
	if err := f.Script.Err("Open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &File{f.Script, file}, nil
}

// A File is a file or folder of an FS. It cannot seek.
type File struct {
	Script *Script
	File   fs.File
}

func (f *File) Read(p []byte) (int, error) {
	return transfer(f.Script, "Read", p[:min(len(p), 4<<10)], f.File.Read)
}

// Stat implements [fs.File].
func (f *File) Stat() (fs.FileInfo, error) { return call(f.Script, "Stat", f.File.Stat) }

// ReadDir implements [fs.ReadDirFile].
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	return call(f.Script, "ReadDir", func() ([]fs.DirEntry, error) {
		if dir, ok := f.File.(fs.ReadDirFile); ok {
			return dir.ReadDir(n)
		}
		return nil, fs.ErrInvalid
	})
}

// Close closes the file, even if it fails.
func (f *File) Close() error {
	err := f.File.Close()
	if fault := f.Script.Err("Close"); fault != nil {
		return fault
	}
	return err
}

// An OSFile is a file of the operating system whose calls fail.
type OSFile struct {
	*os.File
	Script *Script
}

func (f OSFile) Write(p []byte) (int, error) {
	n, err := transfer(f.Script, "Write", p, f.File.Write)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite // as an *os.File does
	}
	return n, err
}

func (f OSFile) Read(p []byte) (int, error) {
	return call(f.Script, "read back", func() (int, error) { return f.File.Read(p) })
}

func (f OSFile) ReadAt(p []byte, off int64) (int, error) {
	return call(f.Script, "read at", func() (int, error) { return f.File.ReadAt(p, off) })
}

func (f OSFile) Seek(offset int64, whence int) (int64, error) {
	return call(f.Script, "Seek", func() (int64, error) { return f.File.Seek(offset, whence) })
}

func (f OSFile) Close() error { return errors.Join(f.File.Close(), f.Script.Err("Close")) }
