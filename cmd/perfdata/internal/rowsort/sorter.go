// Package rowsort sorts the rows of the table of measurements by trace and then by commit, both
// compared byte by byte. A row without a trace or commit precedes rows that have one. Rows that
// are equal in both keep their order. Rows that don't fit into memory are in a temporary file
// until they are merged.
package rowsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/internal/columns"
	"perfdata/traceid"
)

// The indexes of the texts of a Row. A text that is not known is empty.
const (
	ID = iota
	Trace
	Commit
	Unit
	Better
	File
	Params // pairs, as Attrs and Links: see [Pairs]
	Attrs
	Links
	numTexts
)

// The indexes of the numbers of a Row.
const (
	Value      = iota // its bits
	N                 // this one and the following may be None
	Position          // of the commit in a list of commits
	CommitTime        // in milliseconds since 1970
	Offset
	numNumbers
)

// None is a number that is not known. Times are whole seconds, and the others are not negative.
const None = -1

// A Row is a row of the table, as in [columns.Row].
type Row struct {
	Texts   [numTexts]string
	Numbers [numNumbers]int64
}

// numbersOf returns the numbers of a row.
func numbersOf(row *columns.Row) [numNumbers]int64 {
	numbers := [numNumbers]int64{
		Value: int64(math.Float64bits(row.Value)), N: int64(row.N), Position: int64(row.Place.Listed) - 1,
		CommitTime: None, Offset: max(row.Offset, None),
	}
	if row.N < 1 {
		numbers[N] = None
	}
	if !row.Place.Time.IsZero() {
		numbers[CommitTime] = row.Place.Time.Unix() * 1000
	}
	return numbers
}

// Pairs iterates over the keys and values of one of the texts that are pairs.
func Pairs(text string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for text != "" {
			var key, value string
			key, text = cutText(text)
			value, text = cutText(text)
			if !yield(key, value) {
				return
			}
		}
	}
}

// cutText returns the first text of pairs, and the rest.
func cutText(pairs string) (text, rest string) {
	size, n := binary.Uvarint([]byte(pairs[:min(len(pairs), binary.MaxVarintLen64)]))
	end := n + int(size)
	return pairs[n:end], pairs[end:]
}

// appendText appends a text so that cutText finds its end.
func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// A Sorter sorts rows. Add them, iterate over Rows once, and close the Sorter in any case.
type Sorter struct {
	memory int64

	rows  []entry
	texts []string // distinct ones, of all columns
	index map[string]uint32
	held  int64 // bytes, roughly
	buf   []byte

	longest [numTexts]int
	spill   spill
	err     error // of the temporary file: the rows are incomplete
}

// An entry is a row in memory: many rows share most texts. A row has about 700 bytes of texts and a
// place in the order takes 88, so eight times as many rows are sorted in the same memory.
type entry struct {
	texts   [numTexts]uint32
	numbers [numNumbers]int64
}

// These are sizes as the Go runtime allocates them; they need not be exact.
const (
	entrySize = 88 // with its place in the order
	textSize  = 64 // of a text in memory and in the index, roughly, without its bytes
)

// New returns a Sorter that holds roughly the given number of bytes in memory. If there are more
// rows, it writes to the temporary file, and Close closes it.
func New(memory int64, file TempFile) *Sorter {
	return &Sorter{memory: memory, spill: spill{file: file}, index: make(map[string]uint32)}
}

// Add adds a row. The Sorter keeps none of its memory. Bytes of texts that are not UTF-8, which Parquet
// refuses, are replaced before rows are compared, because that may change their order. An error comes
// from the temporary file.
func (s *Sorter) Add(row *columns.Row) error {
	if s.err != nil {
		return s.err
	}
	e := entry{numbers: numbersOf(row)}
	e.texts[ID] = s.textOf(ID, row.ID)
	e.texts[Trace] = s.textOf(Trace, row.Trace)
	for i, text := range [...]string{row.Commit, row.Unit, row.Better.String(), row.File} {
		s.buf = append(s.buf[:0], text...)
		e.texts[Commit+i] = s.textOf(Commit+i, s.buf)
	}
	// Pairs are one text: rows of a file share all of their attrs, or none.
	for i, pairs := range [...]traceid.Params{row.Params, row.Attrs, row.Links} {
		s.buf = s.buf[:0]
		for _, p := range pairs {
			s.buf = appendText(s.buf, strings.ToValidUTF8(p.Key, replacement))
			s.buf = appendText(s.buf, strings.ToValidUTF8(p.Value, replacement))
		}
		e.texts[Params+i] = s.textOf(Params+i, s.buf)
	}

	s.rows = append(s.rows, e)
	if s.held += entrySize; s.held >= s.memory {
		s.err = s.spillRows()
	}
	return s.err
}

// Readers of JSON and CSV also show U+FFFD in place of bytes that are not UTF-8.
const replacement = "\ufffd"

// textOf returns the index of a text of a column.
func (s *Sorter) textOf(column int, text []byte) uint32 {
	if column < Params && !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte(replacement))
	}
	if n := len(s.rows); n > 0 {
		// In most columns, the text equals the previous row's.
		if i := s.rows[n-1].texts[column]; s.texts[i] == string(text) {
			return i
		}
	}

	i, ok := s.index[string(text)]
	if !ok {
		i = uint32(len(s.texts))
		s.texts = append(s.texts, string(text))
		s.index[s.texts[i]] = i
		s.held += textSize + int64(len(text))
	}
	s.longest[column] = max(s.longest[column], len(text))
	return i
}

// Longest returns the size in bytes of the longest text of a column, of all rows.
func (s *Sorter) Longest(column int) int { return s.longest[column] }

// Spilled returns how many bytes are in the temporary file.
func (s *Sorter) Spilled() int64 { return s.spill.size }

// Rows iterates over all rows, in order. Each is overwritten by the next one; its texts may be
// kept. An error, which comes from the temporary file, ends the iteration.
func (s *Sorter) Rows() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
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
			s.rows, s.texts, s.index = nil, nil, nil
			s.spill.merge(s.spill.runs, yield)
		default:
			s.inMemory(yield)
		}
	}
}

// inMemory iterates over the rows in memory, in order.
func (s *Sorter) inMemory(yield func(*Row, error) bool) {
	s.index = nil
	order := make([]uint32, len(s.rows))
	for i := range order {
		order[i] = uint32(i)
	}
	// Equal texts have equal indexes, so most comparisons read no text. The last one makes the sort
	// stable.
	slices.SortFunc(order, func(i, j uint32) int {
		a, b := &s.rows[i].texts, &s.rows[j].texts
		for column := Trace; column <= Commit; column++ {
			if a[column] != b[column] {
				return strings.Compare(s.texts[a[column]], s.texts[b[column]])
			}
		}
		return cmp.Compare(i, j)
	})

	var row Row
	for _, i := range order {
		for column, text := range s.rows[i].texts {
			row.Texts[column] = s.texts[text]
		}
		row.Numbers = s.rows[i].numbers
		if !yield(&row, nil) {
			return
		}
	}
}

// spillRows moves the rows in memory to the temporary file.
func (s *Sorter) spillRows() error {
	if err := s.spill.writeRun(0, s.inMemory); err != nil {
		return err
	}
	clear(s.texts)
	s.rows, s.texts, s.index, s.held = s.rows[:0], s.texts[:0], make(map[string]uint32), 0
	return s.spill.mergeLevel()
}

// Close closes the temporary file, and releases the memory.
func (s *Sorter) Close() error {
	s.rows, s.texts, s.index = nil, nil, nil
	return s.spill.file.Close()
}
