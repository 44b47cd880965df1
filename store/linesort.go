package store

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"

	"perfdata/internal/buffer"
	"perfdata/internal/merge"
)

// A lineSorter sorts lines of any number: it writes parts of them to a temporary file, each sorted,
// and merges these at the end.
type lineSorter struct {
	maxBytes int // of text in memory

	text  []byte
	lines []lineAt // of text
	file  *buffer.Spool
	parts []part // of file
}

// A lineAt is where a line of a text is.
type lineAt struct{ from, to int }

// A part is the lines of a file from one offset to another. They are sorted.
type part struct{ from, to int64 }

// maxParts is the number of parts that are merged at once. Each has a buffer of mergeBuffer.
const (
	maxParts    = 256
	mergeBuffer = 32 << 10
)

// add adds a line, which ends with a line end.
func (s *lineSorter) add(line []byte) error {
	if len(s.text)+len(line) > s.maxBytes && len(s.text) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.lines = append(s.lines, lineAt{len(s.text), len(s.text) + len(line)})
	s.text = append(s.text, line...)
	return nil
}

// spill writes the lines of the memory to the file.
func (s *lineSorter) spill() error {
	if s.file == nil {
		s.file = buffer.NewSpool(0, math.MaxInt64)
	}
	if len(s.parts) == maxParts {
		if err := s.join(); err != nil {
			return err
		}
	}
	from := s.file.Size()
	if err := s.writeText(s.file); err != nil {
		return err
	}
	s.parts = append(s.parts, part{from, s.file.Size()})
	s.text, s.lines = s.text[:0], s.lines[:0]
	return nil
}

// join makes one part of all.
func (s *lineSorter) join() error {
	joined := buffer.NewSpool(0, math.MaxInt64)
	if err := s.merge(joined); err != nil {
		joined.Close()
		return err
	}
	s.file.Close()
	s.file, s.parts = joined, []part{{0, joined.Size()}}
	return nil
}

// writeText writes the sorted lines of the memory.
func (s *lineSorter) writeText(w io.Writer) error {
	slices.SortFunc(s.lines, func(a, b lineAt) int { return bytes.Compare(s.text[a.from:a.to], s.text[b.from:b.to]) })
	out := bufio.NewWriterSize(w, mergeBuffer)
	for _, at := range s.lines {
		out.Write(s.text[at.from:at.to])
	}
	return out.Flush()
}

// writeTo writes all lines, sorted.
func (s *lineSorter) writeTo(w io.Writer) error {
	if s.file == nil {
		return s.writeText(w)
	}
	if len(s.lines) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.text, s.lines = nil, nil
	return s.merge(w)
}

// close removes the file.
func (s *lineSorter) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// merge writes the lines of all parts, sorted.
func (s *lineSorter) merge(w io.Writer) error {
	var parts []*partReader
	for _, p := range s.parts {
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, p.from, p.to-p.from), mergeBuffer)
		parts = append(parts, &partReader{in: in})
	}

	out := bufio.NewWriterSize(w, mergeBuffer)
	for first, err := range merge.Sorted(parts) {
		if err != nil {
			return err
		}
		if _, err := out.Write(first.line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// A partReader reads the lines of a part. It is a [merge.Source].
type partReader struct {
	in   *bufio.Reader
	line []byte // the current one
}

func (r *partReader) Next() error {
	r.line = r.line[:0]
	for {
		more, err := r.in.ReadSlice('\n')
		r.line = append(r.line, more...)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

func (r *partReader) Less(other *partReader) bool { return bytes.Compare(r.line, other.line) < 0 }
