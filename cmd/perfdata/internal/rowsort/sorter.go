// Package rowsort sorts the rows of the table of measurements by trace and then by commit, both
// compared byte by byte. A row without a trace or commit precedes rows that have one. Rows that
// are equal in both keep their order. Rows that don't fit into memory are in a temporary file
// until they are merged.
package rowsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/klauspost/compress/s2"

	"perfdata/internal/columns"
)

// A Row has the cells of a row, as [columns.Cells] writes them.
type Row [][]byte

// A Sorter sorts rows. Add them, iterate over Rows once, and close the Sorter in any case.
type Sorter struct {
	memory int
	cells  *columns.Encoder

	text []byte // of the rows in memory
	rows []span

	longest []int
	spill   spill
	err     error // of the temporary file: the rows are incomplete
}

// A span is where a row, and its trace and commit, are in the text.
type span struct{ begin, end, key, keyEnd int }

// New returns a Sorter that holds roughly the given number of bytes in memory. If there are more
// rows, it writes to the temporary file, and Close closes it.
func New(memory int, file TempFile, all []columns.Column) *Sorter {
	s := &Sorter{memory: memory, longest: make([]int, len(all)), spill: spill{file: file, columns: len(all)}}
	s.cells = columns.NewEncoder((*textOf)(s), all, columns.Cells)
	return s
}

// A textOf is a Sorter to which its Encoder writes.
type textOf Sorter

func (t *textOf) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	return len(p), nil
}

// Add adds a row. The Sorter keeps none of its memory. An error comes from the temporary file.
func (s *Sorter) Add(row *columns.Row) error {
	if s.err != nil {
		return s.err
	}
	added := span{begin: len(s.text)}
	s.cells.Write(row) // to memory, which never fails
	added.end = len(s.text)

	column, at := 0, added.begin
	for cell := range bytes.SplitSeq(s.text[at:added.end], columns.CellEnd) {
		if column == columns.Trace {
			added.key = at
		}
		s.longest[column] = max(s.longest[column], len(cell))
		if at += len(cell); column == columns.Commit {
			added.keyEnd = at
		}
		column, at = column+1, at+len(columns.CellEnd)
	}

	s.rows = append(s.rows, added)
	const spanSize = 32
	if len(s.text)+spanSize*len(s.rows) >= s.memory {
		s.err = s.spillRows()
	}
	return s.err
}

// Longest returns the size in bytes of the longest cell of a column, of all rows.
func (s *Sorter) Longest(column int) int { return s.longest[column] }

// Spilled returns how many bytes are in the temporary file.
func (s *Sorter) Spilled() int64 { return s.spill.size }

// Rows iterates over all rows, in order. Each is overwritten by the next one. An error, which comes from
// the temporary file, ends the iteration.
func (s *Sorter) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		// All rows are in runs then, because a merge of runs with rows in memory would need another
		// source.
		if s.err == nil && len(s.spill.runs) > 0 && len(s.rows) > 0 {
			s.err = s.spillRows()
		}
		switch {
		case s.err != nil:
			yield(nil, s.err)
		// The merge takes the memory that the rows had.
		case len(s.spill.runs) > 0:
			s.text, s.rows = nil, nil
			s.spill.merge(s.spill.runs, yield)
		default:
			s.inMemory(yield)
		}
	}
}

// inMemory iterates over the rows in memory, in order.
func (s *Sorter) inMemory(yield func(Row, error) bool) {
	// A trace and a commit, with the end of a cell between them, are compared like one text. The last
	// comparison makes the sort stable.
	slices.SortFunc(s.rows, func(a, b span) int {
		if c := bytes.Compare(s.text[a.key:a.keyEnd], s.text[b.key:b.keyEnd]); c != 0 {
			return c
		}
		return cmp.Compare(a.begin, b.begin)
	})
	var row Row
	for _, r := range s.rows {
		row = slices.AppendSeq(row[:0], bytes.SplitSeq(s.text[r.begin:r.end], columns.CellEnd))
		if !yield(row, nil) {
			return
		}
	}
}

// spillRows moves the rows in memory to the temporary file.
func (s *Sorter) spillRows() error {
	if err := s.spill.writeRun(0, s.inMemory); err != nil {
		return err
	}
	s.text, s.rows = s.text[:0], s.rows[:0]
	return s.spill.mergeLevel()
}

// Close closes the temporary file, and releases the memory.
func (s *Sorter) Close() error {
	s.text, s.rows = nil, nil
	return s.spill.file.Close()
}

// A TempFile is a temporary file.
type TempFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

const (
	// maxRuns is how many runs of a level are merged into one of the next level. Each takes about
	// 200 KB of memory then: it holds two compressed blocks.
	maxRuns   = 64
	blockSize = 64 << 10

	same = "\x01=" // a cell of a run that is that of the previous row, which no row has
)

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
