package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/opening"
)

// An input reads the bytes of a file. After the context is canceled, its reads fail.
//
// Each byte is hashed when the Reader reads it for the first time, so the hash covers exactly the
// bytes that the Reader got. Only a regular file is read more than once, and every read of it
// fails if it has changed.
type input struct {
	ctx    context.Context
	file   io.ReadCloser
	seeker io.Seeker // the file, if it is regular and can seek
	want   int64     // the size of a regular file; -1 if it is not known
	offset int64     // of the next read
	size   int64     // of the bytes that were read
	hash   hash.Hash // of it; nil if it is not wanted
	start  []byte    // of the file, in memory for the next file
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
	*in = input{ctx: ctx, file: file, want: -1, hash: in.hash, start: in.start}
	if in.hash != nil {
		in.hash.Reset()
	}

	if named, ok := file.(fs.File); ok {
		info, err := named.Stat()
		if err != nil {
			file.Close()
			return err
		}
		if info.Mode().IsRegular() {
			regular := opening.Unchanged(named, info)
			in.file, in.want = regular, info.Size()
			in.seeker, _ = regular.(io.Seeker)
		}
	}
	return nil
}

// reader returns a reader of the file, which can seek if the file is small or regular.
func (in *input) reader() (io.Reader, error) {
	if in.start == nil {
		in.start = make([]byte, maxStart)
	}
	n := 0
	for n < maxStart && (in.size == 0 || in.size != in.want) {
		m, err := buffer.Read(in, in.start[n:])
		n += m
		if err == io.EOF {
			return bytes.NewReader(in.start[:n]), nil
		}
		if err != nil {
			return nil, err
		}
	}

	switch {
	case in.size == in.want: // no need to look for the end
		return bytes.NewReader(in.start[:n]), nil
	case in.seeker == nil:
		return io.MultiReader(bytes.NewReader(in.start), in), nil
	}
	seekable := seekableInput{in}
	_, err := seekable.Seek(0, io.SeekStart)
	return seekable, err
}

func (in *input) Read(p []byte) (int, error) {
	if in.ctx.Err() != nil {
		return 0, context.Cause(in.ctx)
	}
	n, err := in.file.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("invalid count from Read")
	}
	if end := in.offset + int64(n); in.offset <= in.size && in.size < end {
		if in.hash != nil {
			in.hash.Write(p[in.size-in.offset : n])
		}
		in.size = end
	}
	in.offset += int64(n)
	return n, err
}

// A seekableInput is an input whose file can seek.
type seekableInput struct{ *input }

func (in seekableInput) Seek(offset int64, whence int) (int64, error) {
	at, err := in.seeker.Seek(offset, whence)
	if err == nil {
		in.offset = at
	}
	return at, err
}

// finish reads what the Reader of the format left, and returns an error if the file changed. Then it
// sets size and hash.
func (in *input) finish(c *Content) error {
	if in.offset != in.size {
		if _, err := (seekableInput{in}).Seek(in.size, io.SeekStart); err != nil {
			return err
		}
	}
	if in.size != in.want {
		if _, err := io.Copy(io.Discard, in); err != nil {
			return err
		}
	}
	if in.want >= 0 && in.size != in.want {
		return fmt.Errorf("%w: %d bytes read, want %d", format.ErrChanged, in.size, in.want)
	}
	c.Size = in.size
	if in.hash != nil {
		in.hash.Sum(c.SHA256[:0])
	}
	return nil
}
