package rowsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"

	"perfdata/internal/columns"
)

// A TempFile is a temporary file.
type TempFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// maxRuns is how many runs of a level are merged into one of the next level. Each takes about
// 200 KB of memory then.
const maxRuns = 64

// A spill is a temporary file of sorted runs. Runs that were merged stay in the file: rows are
// merged once before the end if there are more than about two million.
type spill struct {
	file    TempFile
	columns int
	size    int64
	runs    []run // equal rows of an earlier run come first
}

// A run is a part of the file whose rows are sorted.
type run struct {
	offset, size int64
	level        int // how often its rows were merged
}

// Write appends to the file.
func (s *spill) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

// same is a cell of a run that is that of the previous row, which no row has.
const same = "\x01="

// writeRun appends a run. A row has its size, and its cells. With the compression, a row of 700 bytes takes
// about 80.
func (s *spill) writeRun(level int, rows func(func(Row, error) bool)) error {
	// One goroutine, because the reader of the rows would wait for others anyway, and hold their
	// blocks.
	out := s2.NewWriter(s, s2.WriterConcurrency(1), s2.WriterBlockSize(blockSize))
	begin := s.size
	previous := make(Row, s.columns)
	var text, size []byte // reused for all rows
	var err error

	rows(func(row Row, failure error) bool {
		if err = failure; err != nil {
			return false
		}
		// Rows that follow each other share most cells, and the compression finds no more of them
		// than fit in a block.
		text = text[:0]
		for i, cell := range row {
			if i > 0 {
				text = append(text, columns.CellEnd...)
			}
			if bytes.Equal(cell, previous[i]) {
				text = append(text, same...)
			} else {
				text = append(text, cell...)
				previous[i] = append(previous[i][:0], cell...)
			}
		}
		size = binary.AppendUvarint(size[:0], uint64(len(text)))
		out.Write(size) // the next call returns its error, too
		_, err = out.Write(text)
		return err == nil
	})

	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	s.runs = append(s.runs, run{begin, s.size - begin, level})
	return nil
}

// blockSize is the size of a compressed block. Each run that is merged holds two blocks.
const blockSize = 64 << 10

// mergeLevel merges the runs of the last level, if there are enough. Merged runs may in turn be
// enough of the next level.
func (s *spill) mergeLevel() error {
	level := s.runs[len(s.runs)-1].level
	first := slices.IndexFunc(s.runs, func(r run) bool { return r.level == level })
	if len(s.runs)-first < maxRuns {
		return nil
	}
	merged := slices.Clone(s.runs[first:])
	s.runs = s.runs[:first]
	if err := s.writeRun(level+1, func(yield func(Row, error) bool) { s.merge(merged, yield) }); err != nil {
		return err
	}
	return s.mergeLevel()
}

// merge iterates over the rows of runs, in order.
func (s *spill) merge(runs []run, yield func(Row, error) bool) {
	var open []*runReader // sorted by their rows
	for i, r := range runs {
		// The reader allocates blocks as small as they were written.
		in := s2.NewReader(io.NewSectionReader(s.file, r.offset, r.size),
			s2.ReaderMaxBlockSize(blockSize), s2.ReaderAllocBlock(blockSize))
		open = append(open, &runReader{in: in, index: i, row: make(Row, s.columns)})
		err := open[i].next()
		if err == io.EOF { // no run is empty
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
	slices.SortFunc(open, (*runReader).compare)

	for len(open) > 0 {
		first := open[0]
		if !yield(first.row, nil) {
			return
		}
		switch err := first.next(); err {
		case nil:
			i, _ := slices.BinarySearchFunc(open[1:], first, (*runReader).compare)
			copy(open, open[1:1+i])
			open[i] = first
		case io.EOF:
			open = open[1:]
		default:
			yield(nil, err)
			return
		}
	}
}

// A runReader reads a run.
type runReader struct {
	in    *s2.Reader
	index int // of the run
	row   Row
	text  []byte
}

// compare compares as the Sorter does. The row of an earlier run was added earlier.
func (r *runReader) compare(other *runReader) int {
	for column := columns.Trace; column <= columns.Commit; column++ {
		if c := bytes.Compare(r.row[column], other.row[column]); c != 0 {
			return c
		}
	}
	return cmp.Compare(r.index, other.index)
}

// next reads a row over the previous one, whose cells it has if they are the same. Its error after the
// last row is io.EOF. The blocks have checksums, so the size can be trusted.
func (r *runReader) next() error {
	size, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	r.text = slices.Grow(r.text[:0], int(size))[:size]
	if _, err := io.ReadFull(r.in, r.text); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}

	i := 0
	for cell := range bytes.SplitSeq(r.text, columns.CellEnd) {
		if string(cell) != same {
			r.row[i] = append(r.row[i][:0], cell...)
		}
		i++
	}
	return nil
}
