package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"perfdata/format"
	"perfdata/internal/source"
)

// An input reads the bytes of a file once, and computes their hash. What a Reader is given is what
// is hashed, even if the file changes. After the context is cancelled, its reads fail.
type input struct {
	ctx   context.Context
	file  io.ReadCloser
	want  int64 // the size of a regular file; -1 if it is not known
	hash  hash.Hash
	size  int64
	start []byte // of the file, in memory for the next file
}

// maxStart is the size of files that are read into memory before they are parsed. Two of three
// files of 6 KB are parsed in the time of one, because the Readers can seek in them.
const maxStart = 128 << 10

func (in *input) open(ctx context.Context, f File) error {
	if f.Open == nil {
		return errors.New("the File has no Open")
	}
	file, err := f.Open(ctx)
	if err != nil {
		return err
	}
	in.ctx, in.file, in.want, in.size = ctx, file, -1, 0
	if in.hash == nil {
		in.hash = sha256.New()
	}
	in.hash.Reset()

	if named, ok := file.(fs.File); ok {
		info, err := named.Stat()
		if err != nil {
			file.Close()
			return err
		}
		if info.Mode().IsRegular() {
			in.file, in.want = source.Unchanged(named, info), info.Size()
		}
	}
	return nil
}

// reader returns a reader of the file, which can seek if the file is small.
func (in *input) reader() (io.Reader, error) {
	if in.start == nil {
		in.start = make([]byte, maxStart)
	}
	n, empty := 0, 0
	for n < maxStart {
		m, err := in.Read(in.start[n:])
		n += m
		if empty++; m > 0 {
			empty = 0
		}
		switch {
		case err == io.EOF:
			return bytes.NewReader(in.start[:n]), nil
		case err != nil:
			return nil, err
		case empty == 100:
			return nil, io.ErrNoProgress
		}
	}
	return io.MultiReader(bytes.NewReader(in.start), in), nil
}

func (in *input) Read(p []byte) (int, error) {
	if in.ctx.Err() != nil {
		return 0, context.Cause(in.ctx)
	}
	n, err := in.file.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("invalid count from Read")
	}
	in.hash.Write(p[:n])
	in.size += int64(n)
	return n, err
}

// finish reads what the Reader of the format left, and returns an error if the file changed.
func (in *input) finish() error {
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	if in.want >= 0 && in.size != in.want {
		return fmt.Errorf("%w: %d bytes read, want %d", format.ErrChanged, in.size, in.want)
	}
	return nil
}

func (in *input) content(records int) Content {
	c := Content{Size: in.size, Records: records}
	in.hash.Sum(c.SHA256[:0])
	return c
}
