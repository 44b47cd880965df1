// Package spool buffers input for a second pass: in memory first, then in a temporary file.
package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// ErrFull is the error of Write when a Spool would exceed its maximum size.
var ErrFull = errors.New("spool full")

// A Spool stores bytes and returns them.
type Spool struct {
	maxMemory, maxBytes int64
	size                int64
	memory              [][]byte // chunks: one slice would take three times the memory while it grows
	file                file     // nil if all is in memory
	err                 error    // of the file, which may have a part of what was written

	create func() (file, error)
	remove func(name string) error
	named  bool // file still has a name
}

// A file is what a Spool needs of an *os.File.
type file interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.Closer
	Name() string
}

// New returns an empty Spool that holds at most maxMemory bytes in memory, and maxBytes in total.
func New(maxMemory, maxBytes int64) *Spool {
	return &Spool{maxMemory: maxMemory, maxBytes: maxBytes, create: createTemp, remove: os.Remove}
}

func createTemp() (file, error) {
	f, err := os.CreateTemp("", "perfdata-spool-*")
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Write appends p. Its error is ErrFull, or that of the temporary file. After an error of the file,
// nothing can be written or read: all calls except Close return that error.
func (s *Spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	size := s.size + int64(len(p))
	if size > s.maxBytes {
		return 0, ErrFull
	}
	if s.file == nil {
		if size <= s.maxMemory {
			s.toMemory(p)
			s.size = size
			return len(p), nil
		}
		if s.err = s.toFile(); s.err != nil {
			return 0, s.err
		}
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	s.err = err
	return n, err
}

const chunkSize = 64 << 10

func (s *Spool) toMemory(p []byte) {
	for len(p) > 0 {
		last := len(s.memory) - 1
		if last < 0 || len(s.memory[last]) == cap(s.memory[last]) {
			s.memory = append(s.memory, make([]byte, 0, chunkSize))
			last++
		}
		chunk := s.memory[last]
		n := min(len(p), cap(chunk)-len(chunk))
		s.memory[last] = append(chunk, p[:n]...)
		p = p[n:]
	}
}

func (s *Spool) toFile() error {
	f, err := s.create()
	if err != nil {
		return err
	}

	// Remove the file now, so that nothing is left even if the process is killed. Where an open
	// file cannot be removed, as on Windows, Close removes it.
	s.named = s.remove(f.Name()) != nil
	s.file = f
	for _, chunk := range s.memory {
		if _, err := f.Write(chunk); err != nil {
			return err
		}
	}
	s.memory = nil
	return nil
}

// Reader returns a reader of everything written, from the beginning. Nothing may be written
// afterwards, and a further call invalidates earlier readers.
func (s *Spool) Reader() (io.Reader, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.file == nil {
		chunks := make([]io.Reader, len(s.memory))
		for i, chunk := range s.memory {
			chunks[i] = bytes.NewReader(chunk)
		}
		return io.MultiReader(chunks...), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Drain returns a reader of what was written to memory, except for the first skip bytes. It
// releases the memory of what it has read: s cannot be used afterwards.
func (s *Spool) Drain(skip int64) io.Reader {
	chunks := s.memory
	s.memory, s.size = nil, 0
	for len(chunks) > 0 && skip >= int64(len(chunks[0])) {
		skip -= int64(len(chunks[0]))
		chunks = chunks[1:]
	}
	if len(chunks) > 0 {
		chunks[0] = chunks[0][skip:]
	}
	return &drain{chunks}
}

type drain struct{ chunks [][]byte }

func (d *drain) Read(p []byte) (n int, err error) {
	if len(d.chunks) == 0 {
		return 0, io.EOF
	}
	n = copy(p, d.chunks[0])
	if d.chunks[0] = d.chunks[0][n:]; len(d.chunks[0]) == 0 {
		d.chunks[0] = nil
		d.chunks = d.chunks[1:]
	}
	return n, nil
}

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// ReadAt implements [io.ReaderAt]. More may be written afterwards.
func (s *Spool) ReadAt(p []byte, off int64) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	for n < len(p) && off < s.size {
		chunk := s.memory[off/chunkSize]
		m := copy(p[n:], chunk[off%chunkSize:])
		n += m
		off += int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close releases the memory and the file. It may be called more than once.
func (s *Spool) Close() error {
	s.memory, s.size = nil, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, s.remove(s.file.Name()))
	}
	s.file = nil
	return err
}
