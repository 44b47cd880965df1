// Package rowsort sorts the rows of the table of measurements by trace and then by commit, both
// compared byte by byte. A row without a trace or commit precedes rows that have one. Rows that
// are equal in both keep their order. Rows that don't fit into memory are in a temporary file
// until they are merged.
package rowsort

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

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
