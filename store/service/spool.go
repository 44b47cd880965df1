package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"perfdata"
	"perfdata/format"
	"perfdata/ingest/admission"
	"perfdata/store"
)

// An arrival is the body of an upload that has arrived as a whole: in memory if it is short, and else in
// a temporary file. So clients send at their own pace, and take memory only when their upload can be
// stored.
type arrival struct {
	memory []byte
	file   *os.File
	named  bool // the file still has a name
	size   int64
	disk   *admission.Claim
}

// maxInMemory is the size of the longest body in memory.
const maxInMemory = 16 << 10

// receive returns the body of an upload. After an error of the body, the error is that of body.err.
func (s *Service) receive(ctx context.Context, b *body, length int64) (*arrival, error) {
	a := new(arrival)
	room := int64(maxInMemory)
	if length >= 0 {
		room = min(room, length+1) // for the end
	}
	buf := make([]byte, room)
	n, err := io.ReadFull(b, buf)
	a.memory, a.size = buf[:n], int64(n)
	if b.err != nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a, b.err
	}
	if err := s.spool(ctx, a, b); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// spool moves the beginning of a body to a file, and adds the rest. While the disk has no room for
// it, only the oldest upload goes on.
func (s *Service) spool(ctx context.Context, a *arrival, b *body) (err error) {
	if a.disk, err = s.budget.disk.Admit(ctx, 0); err != nil {
		return err
	}
	if a.file, err = os.CreateTemp("", "perfdata-upload-*"); err != nil {
		return diskError(err)
	}
	// Where an open file cannot be removed, close removes it.
	a.named = os.Remove(a.file.Name()) != nil
	if _, err := a.file.Write(a.memory); err != nil {
		return diskError(err)
	}
	a.memory = nil

	buf := make([]byte, piece)
	for {
		n, end := b.Read(buf)
		a.size += int64(n)
		if a.size > a.disk.Bytes() {
			if err := a.disk.Grow(ctx, 1<<20); err != nil {
				return err
			}
		}
		if _, err := a.file.Write(buf[:n]); err != nil {
			return diskError(err)
		}
		switch {
		case b.err != nil:
			return b.err
		case end != nil:
			return nil
		}
	}
}

// diskError returns an error of a temporary file: there may be room for it later.
func diskError(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }

// reader returns a reader of the body from its beginning.
func (a *arrival) reader() io.ReadSeeker {
	if a.file != nil {
		a.file.Seek(0, io.SeekStart) // an error is that of the next Read
		return a.file
	}
	return bytes.NewReader(a.memory)
}

func (a *arrival) close() {
	if a.file != nil {
		a.file.Close()
		if a.named {
			os.Remove(a.file.Name())
		}
	}
	a.disk.Release()
}

// The size of a small upload, decompressed, and that from which on all take the same memory.
const (
	maxSmall = 128 << 10
	maxSized = largeMemory / parsedMemory
)

// parsedMemory is what a byte of a file takes while the file is read and stored, at most, if the file is
// not larger than maxSized. No file takes more than the limits of package format allow.
const parsedMemory = 16

// takes returns what it takes to store the upload, and whether it is a small one.
func (a *arrival) takes(limits format.Limits) (bytes int64, isSmall bool) {
	size := a.size
	if size <= maxSized {
		size = sizeOf(a.reader(), limits)
	}
	return memoryOf(size), size <= maxSmall
}

// memoryOf returns what it takes to store a file of a size.
func memoryOf(size int64) int64 { return min(max(smallMemory, parsedMemory*size), largeMemory) }

// sizeOf returns the decompressed size of a file, or a larger one than maxSized.
func sizeOf(in io.Reader, limits format.Limits) int64 {
	text, _, err := perfdata.Decompress(in, "", limits)
	if err != nil {
		return 0 // it is refused at its beginning
	}
	n, _ := io.CopyN(io.Discard, text, maxSized+1) // an error is found again by the one that stores it
	return n
}
