package rowsort

import (
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"
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
// merged once before the end if there are more than about ten million.
type spill struct {
	file TempFile
	size int64
	runs []run // equal rows of an earlier run come first
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

// writeRun appends a run. A row has a bit for each text that is not that of the previous row, then
// its numbers, and these texts. With the compression, a row of 700 bytes takes about 80.
func (s *spill) writeRun(level int, rows func(func(*Row, error) bool)) error {
	// One goroutine, because the reader of the rows would wait for others anyway, and hold their
	// blocks.
	out := s2.NewWriter(s, s2.WriterConcurrency(1), s2.WriterBlockSize(blockSize))
	begin := s.size
	var previous Row
	var b []byte // reused for all rows
	var err error

	rows(func(row *Row, failure error) bool {
		if err = failure; err != nil {
			return false
		}
		// Rows that follow each other share most texts, and the compression finds no more of them
		// than fit in a block.
		changed := uint64(0)
		for column, text := range row.Texts {
			if text != previous.Texts[column] {
				changed |= 1 << column
			}
		}
		b = binary.AppendUvarint(b[:0], changed)
		for _, n := range row.Numbers {
			b = binary.AppendVarint(b, n)
		}
		for column, text := range row.Texts {
			if changed&(1<<column) != 0 {
				b = appendText(b, text)
			}
		}
		previous = *row
		_, err = out.Write(b)
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
	if err := s.writeRun(level+1, func(yield func(*Row, error) bool) { s.merge(merged, yield) }); err != nil {
		return err
	}
	return s.mergeLevel()
}

// merge iterates over the rows of runs, in order.
func (s *spill) merge(runs []run, yield func(*Row, error) bool) {
	var open readers
	for i, r := range runs {
		// The reader allocates blocks as small as they were written.
		in := s2.NewReader(io.NewSectionReader(s.file, r.offset, r.size),
			s2.ReaderMaxBlockSize(blockSize), s2.ReaderAllocBlock(blockSize))
		open = append(open, &runReader{in: in, index: i})
		err := open[i].next()
		if err == io.EOF { // no run is empty
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
	heap.Init(&open)

	for len(open) > 0 {
		if !yield(&open[0].row, nil) {
			return
		}
		switch err := open[0].next(); err {
		case nil:
			heap.Fix(&open, 0)
		case io.EOF:
			heap.Pop(&open)
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
	buf   []byte
}

// readers are a heap: the reader with the least row is first.
type readers []*runReader

func (r readers) Len() int      { return len(r) }
func (r readers) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *readers) Push(any)     {}

func (r *readers) Pop() any {
	*r = (*r)[:len(*r)-1]
	return nil
}

// Less compares as the Sorter does. If rows are equal, the row of the earlier run was added
// earlier.
func (r readers) Less(i, j int) bool {
	a, b := &r[i].row.Texts, &r[j].row.Texts
	if a[Trace] != b[Trace] {
		return a[Trace] < b[Trace]
	}
	if a[Commit] != b[Commit] {
		return a[Commit] < b[Commit]
	}
	return r[i].index < r[j].index
}

// next reads a row over the previous one, whose texts it has if they are the same. Its error after the
// last row is io.EOF.
func (r *runReader) next() error {
	changed, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	for i := range r.row.Numbers {
		if r.row.Numbers[i], err = binary.ReadVarint(r.in); err != nil {
			break
		}
	}
	for column := range r.row.Texts {
		if err == nil && changed&(1<<column) != 0 {
			r.row.Texts[column], err = r.readText()
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// readText reads a text. The blocks have checksums, so its size can be trusted.
func (r *runReader) readText() (string, error) {
	size, err := binary.ReadUvarint(r.in)
	if err != nil {
		return "", err
	}
	r.buf = slices.Grow(r.buf[:0], int(size))[:size]
	_, err = io.ReadFull(r.in, r.buf)
	return string(r.buf), err
}
