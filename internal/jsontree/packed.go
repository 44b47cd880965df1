package jsontree

import (
	"math"

	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/number"
)

// This is the fast path for packed arrays: their numbers are read many at a time, with the slow path for
// each that is unusual. In a value that is compared with a form, a packed array may have any length.

// lists are the packed arrays of a value that is compared with forms.
type lists struct {
	numbers []Num // with offsets from the brackets of their arrays
	ends    []int // of each array, in numbers
	longest int   // number that the scanner accepts
}

// len returns the number of numbers of the first n arrays.
func (l *lists) len(n int) int {
	if n == 0 {
		return 0
	}
	return l.ends[n-1]
}

// take is a forms.NestedFunc. The index of the tag is that of the array in the value.
func (l *lists) take(_ *Tree, tag forms.Tag, b []byte) (length int) {
	if tag.Index > len(l.ends) || len(b) > 0 && b[0] != '[' {
		return 0
	}
	l.ends = l.ends[:tag.Index] // without another form's
	l.numbers = l.numbers[:l.len(tag.Index)]

	i := afterSpace(b, 1)
	if i < len(b) && b[i] != ']' {
		f, n := parse(b[i:], l.longest)
		if n <= 0 {
			return n
		}
		l.numbers = append(l.numbers, Num{f, int64(i)})
		l.numbers, i = appendNumbers(l.numbers, b, i+n, 0, l.longest, math.MaxInt)
		i = afterSpace(b, i)
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == ',':
		_, n := parse(b[afterSpace(b, i+1):], l.longest)
		return min(n, 0)
	case b[i] != ']':
		return 0
	}
	l.ends = append(l.ends, len(l.numbers))
	return i + 1
}

// update makes the array, which begins at the offset, one of the tree, which has taken the numbers.
func (l *lists) update(t *Tree, list int, offset int64) {
	n := &t.nodes[t.lists[list]]
	first := l.len(list)
	n.first, n.count = int32(first), int32(l.ends[list]-first)
	for i := first; i < l.ends[list]; i++ {
		t.numbers[i].Offset += offset
	}
}

// appendNumbers appends the numbers of b from index i on, where a comma is before each, and the offsets
// are those of b. It stops after max numbers, or before anything that is not usual. It returns the index
// after the last number.
func appendNumbers(dst []Num, b []byte, i int, offset int64, longest, max int) ([]Num, int) {
	for ; max > 0 && i < len(b) && b[i] == ','; max-- {
		start := afterSpace(b, i+1)
		f, n := parse(b[start:], longest)
		if n <= 0 {
			return dst, i
		}
		dst = append(dst, Num{f, offset + int64(start)})
		i = start + n
	}
	return dst, i
}

// parse parses the number that b begins with. Its length is 0 if it is not a usual number, and negative
// if it may go on after b.
func parse(b []byte, longest int) (f float64, n int) {
	if len(b) == 0 {
		return 0, -1
	}
	f, n = number.Parse(b)
	switch {
	case n == len(b), n == 0 && b[0] == '-' && len(b) == 1:
		return 0, -1
	case n == 0 || n > longest || f-f != 0 || b[n] != ',' && b[n] != ']' && !isSpace[b[n]]:
		return 0, 0 // what follows may be the rest of the number
	}
	return f, n
}

// isSpace is JSON's white space.
var isSpace = [256]bool{' ': true, '\n': true, '\r': true, '\t': true}

func afterSpace(b []byte, i int) int {
	for i < len(b) && isSpace[b[i]] {
		i++
	}
	return i
}

// The text that is read at a time. Most arrays are short: wanting much ahead would fill the window often.
const (
	leastAhead = 4 * number.Longest
	mostAhead  = 4 << 10
)

// readNumbers reads an array of numbers into the i-th node.
func (r *Reader) readNumbers(s *jsonscan.Scanner, t *Tree, i int) {
	first := len(t.numbers)
	begin := s.Offset()
	for s.EnterArray(); s.Element(); {
		offset, kind := s.Offset(), s.Kind()
		gap := kind != jsonscan.Number && t.nodes[i].typ.Kinds&Gaps != 0
		switch {
		case kind == jsonscan.Null && gap:
			s.Null()
		case kind != jsonscan.Number:
			t.fault(s.SkipTypeError("number"))
		}
		if gap {
			t.numbers = append(t.numbers, Num{math.NaN(), offset})
		}
		if (kind == jsonscan.Number || gap) && !s.Charge(numCost) {
			return
		}
		if kind != jsonscan.Number {
			continue
		}
		f, ok := s.Number()
		if !ok {
			return
		}
		t.numbers = append(t.numbers, Num{f, offset})
		r.readAhead(s, t)
	}

	if s.Err() != nil {
		return
	}
	t.nodes[i].first, t.nodes[i].count = int32(first), int32(len(t.numbers)-first)
	s.BindList(forms.Tag{Field: packedField, Index: len(t.lists)}, begin)
	t.lists = append(t.lists, i)
}

// readAhead reads the numbers that follow one.
func (r *Reader) readAhead(s *jsonscan.Scanner, t *Tree) {
	for {
		text, offset, before := s.Ahead(leastAhead), s.Offset(), len(t.numbers)
		// No more than the region has room for: where it becomes too much is where the slow path fails.
		left := s.Left()
		text = text[:min(int64(len(text)), mostAhead, max(left/2, 0))]
		end := 0
		t.numbers, end = appendNumbers(t.numbers, text, 0, offset, r.lists.longest, int(left/2/numCost))
		read := len(t.numbers) - before
		if read == 0 {
			return
		}
		s.Take(end, read)
		s.Charge(read * numCost)
	}
}
