package opening

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"perfdata/format"
)

// Missing returns in, or if that is nil, an input that cannot be read.
func Missing(in io.Reader) io.Reader {
	if in == nil {
		return missing{}
	}
	return in
}

type missing struct{}

func (missing) Read([]byte) (int, error) { return 0, ErrMissing }

// The errors about what a caller did not give.
var (
	ErrMissing = fmt.Errorf("%w: the Reader has no input", format.ErrMisuse)
	ErrNoFiles = fmt.Errorf("%w: the file system is nil", format.ErrMisuse)
)

// Open is [File] for an [Unchanged] file, if the file system supports Stat.
func Open(fsys fs.FS, name string) (fs.File, error) {
	f, info, err := File(fsys, name)
	if err != nil || info == nil {
		return f, err
	}
	return Unchanged(f, info), nil
}

// Unchanged returns f, whose Stat returned info, as a file that does not change while it is read:
// from the first byte on that is not of the file that was opened, Read fails with the cause
// [format.ErrChanged]. The result can seek if f can. A file that is not regular is returned as it is.
//
// Read compares the [Stamp] of the file after each read: then the file was not changed before that
// read. That takes a hundredth of the time of the read, and also holds for Readers that come back to
// an earlier part of the file, or that stop before its end.
//
// The last bytes of an [os.File] come with io.EOF, so that a small file takes one read and one comparison, not
// two: reading a folder of Criterion.rs, of files of 1 KB, takes a tenth less time. Nobody else may move f. Other
// files are read to their own io.EOF: that of a ZIP archive checks the sum of the file only then.
func Unchanged(f fs.File, info fs.FileInfo) fs.File {
	if !info.Mode().IsRegular() {
		return f
	}
	u := &unchanged{File: f, before: StampOf(info)}
	_, u.endsAtSize = f.(*os.File)
	if seeker, ok := f.(io.Seeker); ok {
		return seekable{u, seeker}
	}
	return u
}

type unchanged struct {
	fs.File
	before Stamp

	endsAtSize bool
	at         int64 // where the next read begins, or before that if the file was not given at its beginning
}

func (u *unchanged) Read(p []byte) (int, error) {
	n, err := u.File.Read(p)
	info, statErr := u.File.Stat()
	switch {
	case statErr != nil && (err == nil || err == io.EOF):
		return 0, statErr
	case statErr == nil && !u.before.Same(StampOf(info)):
		return 0, format.ErrChanged
	case n > 0 && err == nil:
		if u.at += int64(n); u.at == u.before.size && u.endsAtSize {
			err = io.EOF
		}
	}
	return n, err
}

type seekable struct {
	*unchanged
	seeker io.Seeker
}

func (s seekable) Seek(offset int64, whence int) (int64, error) {
	at, err := s.seeker.Seek(offset, whence)
	if err == nil {
		s.at = at
	}
	return at, err
}
