package perfdata

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"

	"perfdata/format"
)

// NewReader returns a Reader of in, in the format that it detects, having decompressed what is compressed. It doesn't
// close in. The name is for errors. Who wants other limits, or options of a format, calls [Decompress] and [DetectReader].
func NewReader(in io.Reader, name string) (format.Reader, error) {
	in, _, err := Decompress(in, name, format.Limits{})
	if err != nil {
		return nil, err
	}
	info, in, err := DetectReader(in, name)
	if err != nil {
		return nil, err
	}
	return info.NewReader(in, name, format.Limits{}), nil
}

// Open returns a Reader of the named file, as NewReader does. The file is closed at the end of Records, also by break, or
// by Close.
func Open(name string) (format.Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return openFile(f, name)
}

// OpenFS is Open for a file of fsys.
func OpenFS(fsys fs.FS, name string) (format.Reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return openFile(f, name)
}

func openFile(f fs.File, name string) (format.Reader, error) {
	r, err := NewReader(f, name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &fileReader{r, f}, nil
}

// A fileReader is a Reader that has the file closed.
type fileReader struct {
	format.Reader
	file io.Closer // nil if it was closed
}

func (r *fileReader) Records() iter.Seq2[*format.Record, error] {
	records := r.Reader.Records()
	return func(yield func(*format.Record, error) bool) {
		defer r.closeFile() // it was read only: that closing it fails matters to nobody
		records(yield)
	}
}

func (r *fileReader) Close() error { return errors.Join(r.Reader.Close(), r.closeFile()) }

func (r *fileReader) closeFile() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}
