package rowsort

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/s2"

	"perfdata/format"
	"perfdata/internal/merge"
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
		b = append(b[:0], 0)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(row.Value))
		for _, n := range [...]int64{int64(row.N), row.Offset, int64(row.Better), int64(row.Listed), row.Time} {
			b = binary.AppendVarint(b, n)
		}

		// Rows that follow each other share most texts, and the compression finds no more of them
		// than fit in a block.
		for column, text := range row.Texts {
			if text != previous.Texts[column] {
				b[0] |= 1 << column
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
	var open []*runReader
	for i, r := range runs {
		open = append(open, newRunReader(io.NewSectionReader(s.file, r.offset, r.size), i))
	}
	for first, err := range merge.Sorted(open) {
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(&first.row, nil) {
			return
		}
	}
}

// A runReader reads a run. It is a [merge.Source].
type runReader struct {
	in    *s2.Reader
	index int // of the run
	row   Row
	buf   []byte
}

// newRunReader returns a reader before the first row. It allocates blocks as small as they were
// written.
func newRunReader(in io.Reader, index int) *runReader {
	blocks := s2.NewReader(in, s2.ReaderMaxBlockSize(blockSize), s2.ReaderAllocBlock(blockSize))
	return &runReader{in: blocks, index: index}
}

// Less compares as the Sorter does. If rows are equal, the row of the earlier run was added
// earlier.
func (r *runReader) Less(other *runReader) bool {
	a, b := &r.row.Texts, &other.row.Texts
	if a[Trace] != b[Trace] {
		return a[Trace] < b[Trace]
	}
	if a[Commit] != b[Commit] {
		return a[Commit] < b[Commit]
	}
	return r.index < other.index
}

// Next reads a row over the previous one, whose texts it has if they are the same.
func (r *runReader) Next() error {
	changed, err := r.in.ReadByte()
	if err != nil {
		return err
	}
	if err := r.readNumbers(); err != nil {
		return unexpected(err)
	}
	for column := range r.row.Texts {
		if changed&(1<<column) == 0 {
			continue
		}
		if r.row.Texts[column], err = r.readText(); err != nil {
			return unexpected(err)
		}
	}
	return nil
}

// readNumbers reads the numbers of a row.
func (r *runReader) readNumbers() error {
	var value [8]byte
	if _, err := io.ReadFull(r.in, value[:]); err != nil {
		return err
	}
	var numbers [5]int64 // in the order of writeRun
	for i := range numbers {
		var err error
		if numbers[i], err = binary.ReadVarint(r.in); err != nil {
			return err
		}
	}
	r.row.Numbers = Numbers{
		Value: math.Float64frombits(binary.LittleEndian.Uint64(value[:])), N: int(numbers[0]), Offset: numbers[1],
		Better: format.Direction(numbers[2]), Listed: int(numbers[3]), Time: numbers[4],
	}
	return nil
}

// readText reads a text. The blocks have checksums, so its size can be trusted.
func (r *runReader) readText() (string, error) {
	size, err := binary.ReadUvarint(r.in)
	if err != nil {
		return "", err
	}
	if uint64(cap(r.buf)) < size {
		r.buf = make([]byte, size)
	}
	r.buf = r.buf[:size]
	_, err = io.ReadFull(r.in, r.buf)
	return string(r.buf), err
}

// unexpected returns the error of a row that ends too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
