package buffer

import (
	"errors"
	"io"
	"math"
	"os"
)

// ErrFull is the error of Write when a Spool would exceed its maximum size.
var ErrFull = errors.New("spool full")

// A Spool stores bytes and returns them.
type Spool struct {
	maxMemory, maxBytes int64
	size                int64
	inMemory            int64    // bytes in memory; the file has the others
	memory              [][]byte // chunks: one slice would take three times the memory while it grows
	file                file     // nil if all is in memory
	err                 error    // of the file, which may have only a part of the written bytes

	create func() (file, error)
	remove func(name string) error
	named  bool // file still has a name
}

// A file is what a Spool needs of an *os.File.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Name() string
}

// NewSpool returns an empty Spool that holds at most maxMemory bytes in memory, and maxBytes in total.
func NewSpool(maxMemory, maxBytes int64) *Spool {
	s := NewFile("")
	s.maxMemory, s.maxBytes = maxMemory, maxBytes
	return s
}

// NewFile returns an empty Spool that holds everything in a temporary file in the folder, or in the folder
// for temporary files.
func NewFile(folder string) *Spool {
	create := func() (file, error) { return os.CreateTemp(folder, "perfdata-spool-*") }
	return &Spool{maxBytes: math.MaxInt64, create: create, remove: os.Remove}
}

// Write appends p. Its error is ErrFull, or an error of the temporary file. After an error of the
// file, nothing can be written or read: all calls except Close return that error.
func (s *Spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	size := s.size + int64(len(p))
	if size > s.maxBytes {
		return 0, ErrFull
	}

	if s.file == nil && size <= s.maxMemory {
		for rest := p; len(rest) > 0; {
			last := len(s.memory) - 1
			if last < 0 || len(s.memory[last]) == chunkSize {
				s.memory = append(s.memory, make([]byte, 0, chunkSize))
				last++
			}
			n := min(len(rest), chunkSize-len(s.memory[last]))
			s.memory[last] = append(s.memory[last], rest[:n]...)
			rest = rest[n:]
		}
		s.size, s.inMemory = size, size
		return len(p), nil
	}

	if s.file == nil {
		f, err := s.create()
		if err != nil {
			s.err = err
			return 0, err
		}
		// Remove the file now, so that nothing is left even if the process is killed. Where an open
		// file cannot be removed, as on Windows, Close removes it.
		s.named = s.remove(f.Name()) != nil
		s.file = f
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	s.err = err
	return n, err
}

// Fill appends everything that r has. It returns the error that r ended with, usually io.EOF, or
// the reason why a part could not be appended.
func (s *Spool) Fill(r io.Reader) (end, err error) {
	buf := make([]byte, chunkSize)
	for {
		n, end := Read(r, buf)
		if _, err := s.Write(buf[:n]); err != nil || end != nil {
			return end, err
		}
	}
}

// Read reads some bytes, or returns an error. As in package bufio, a Reader that returns nothing is asked again,
// but not forever. Bytes may come together with an error.
func Read(src io.Reader, p []byte) (n int, err error) {
	for range 100 {
		if n, err = src.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

const chunkSize = 64 << 10

// Reader returns a reader of everything written, from the beginning. Nothing may be written
// afterwards.
func (s *Spool) Reader() io.Reader {
	size := s.size
	if s.err != nil {
		size++ // reading fails, even if nothing was written
	}
	return io.NewSectionReader(s, 0, size)
}

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// ReadAt implements [io.ReaderAt]. More may be written afterwards.
func (s *Spool) ReadAt(p []byte, off int64) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	for n < len(p) && off < s.inMemory {
		chunk := s.memory[off/chunkSize]
		m := copy(p[n:], chunk[off%chunkSize:])
		n += m
		off += int64(m)
	}
	if n == len(p) {
		return n, nil
	}
	if s.file == nil {
		return n, io.EOF
	}
	m, err := s.file.ReadAt(p[n:], off-s.inMemory)
	return n + m, err
}

// Close releases the memory and the file. It may be called more than once.
func (s *Spool) Close() error {
	s.memory, s.size, s.inMemory = nil, 0, 0
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
