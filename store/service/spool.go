package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"perfdata"
	"perfdata/format"
	"perfdata/ingest/admission"
	"perfdata/store"
)

// A spool is what waits for another: an upload until it can be stored, or an answer until its client takes it. It is
// in memory if it is short, and else in a temporary file. So clients send and read at their own pace.
type spool struct {
	ctx    context.Context
	budget *admission.Budget // of disk; nil for uploads that stay in memory
	memory []byte
	file   *os.File
	named  bool // the file still has a name
	size   int64
	disk   *admission.Claim
	err    error // the first of Write
}

// maxInMemory is the size of the longest spool in memory. Each connection may have one.
const maxInMemory = 16 << 10

// Write waits while the disk has no room, except for the oldest spool.
func (s *spool) Write(p []byte) (n int, err error) {
	size := s.size + int64(len(p))
	switch {
	case s.err != nil:
		return 0, s.err
	case s.file == nil && (size <= maxInMemory || s.budget == nil):
		s.memory, s.size = append(s.memory, p...), size
		return len(p), nil
	case s.file == nil:
		s.err = s.makeFile()
	}
	if s.err == nil && size > s.disk.Bytes() {
		// Room is reserved by the megabyte, so that few writes take the lock of the budget.
		s.err = s.disk.Grow(s.ctx, max(1<<20, size-s.disk.Bytes()))
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err = s.file.Write(p)
	s.size += int64(n)
	s.err = diskError(err)
	return n, s.err
}

// makeFile moves the bytes in memory to a file.
func (s *spool) makeFile() (err error) {
	if s.disk, err = admit(s.ctx, s.budget, 0); err != nil {
		return err
	}
	if s.file, err = os.CreateTemp("", "perfdata-service-*"); err != nil {
		return diskError(err)
	}
	// Where an open file cannot be removed, close removes it.
	// A file without a name is gone when the process is, however that ends.
	s.named = os.Remove(s.file.Name()) != nil
	_, err = s.file.Write(s.memory)
	s.memory = nil
	return diskError(err)
}

// diskError returns an error of a temporary file: there may be room for it later. The cause also keeps
// the name of the file out of the answer.
func diskError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// reader returns a reader from the beginning.
func (s *spool) reader() io.ReadSeeker {
	if s.file != nil {
		s.file.Seek(0, io.SeekStart) // the next Read returns its error
		return s.file
	}
	return bytes.NewReader(s.memory)
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		if s.named {
			os.Remove(s.file.Name())
		}
	}
	s.disk.Release()
}

// receive returns the body of an upload, when it has arrived as a whole. After an error of the
// body, the error is body.err's.
func (s *Service) receive(ctx context.Context, b *body, length int64) (*spool, error) {
	a := &spool{ctx: ctx, budget: &s.budget.disk}
	room := int64(maxInMemory)
	if length >= 0 {
		room = min(room, length+1) // for the end
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{a}, struct{ io.Reader }{b}, make([]byte, room))
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// The size of a small upload, decompressed, and that from which on all take the same memory.
const (
	maxSmall = 128 << 10
	maxSized = largeMemory / parsedMemory
)

// parsedMemory is what a byte of a file takes while the file is read and stored, at most, if the file is
// not larger than maxSized. No file takes more than the limits of package format allow.
const parsedMemory = 16

// takes returns the memory that storing the upload takes, and whether the upload is small. The size
// that counts is that of the text, because a thousandth of it may have been sent. Text of more than
// maxSized bytes is not measured: all such uploads take the same.
func (s *spool) takes(limits format.Limits) (bytes int64, isSmall bool) {
	size := s.size
	if size <= maxSized {
		size = 0
		// An error is found again by the one that stores the upload.
		text, ways, err := perfdata.Decompress(s.reader(), "", limits)
		if err != nil || slices.Contains(ways, "zstd") {
			return largeMemory, false // whatever the size, the window may have 32 MiB
		}
		size, _ = io.CopyN(io.Discard, text, maxSized+1)
	}
	return memoryOf(size), size <= maxSmall
}

// memoryOf returns the memory that storing a file of a size takes.
func memoryOf(size int64) int64 { return min(max(smallMemory, parsedMemory*size), largeMemory) }
