package jsontree

import (
	"math"

	"perfdata/internal/chars"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/number"
)

// This is the fast path for packed arrays: in a value that is compared with a form, a packed array may have
// any length, and its numbers are parsed where they are.

// lists are the packed arrays of the value that is being compared with forms.
//
// A value may be compared with several forms, and again after more of it was read. Each of its
// arrays is parsed once, whatever the form: the parsed numbers stay, even if the text in memory
// ended within it. Otherwise, reading hyperfine's files would parse a third of the numbers twice.
type lists struct {
	scan    *jsonscan.Scanner
	longest int    // number that the scanner accepts
	numbers []Num  // with offsets from the brackets of their arrays
	all     []list // of these numbers, in the order of the text; only the last one may be incomplete
}

// A list is an array as far as it was parsed.
type list struct {
	begin  int64 // offset of its bracket
	length int   // that was parsed
	whole  bool  // it was parsed to its end
	end    int   // of its numbers, in lists.numbers
}

// len returns the number of numbers of the first n arrays.
func (l *lists) len(n int) int {
	if n == 0 {
		return 0
	}
	return l.all[n-1].end
}

// take is a forms.NestedFunc. The index of the tag is the index of the array in the value.
func (l *lists) take(_ *Tree, tag forms.Tag, b []byte) (length int) {
	begin := l.scan.OffsetOf(b)
	switch {
	case tag.Index < len(l.all) && l.all[tag.Index].begin == begin:
		if a := &l.all[tag.Index]; a.whole {
			return a.length
		}
	case tag.Index > len(l.all) || len(b) > 0 && b[0] != '[':
		return 0
	default:
		l.numbers = l.numbers[:l.len(tag.Index)] // without another form's
		l.all = append(l.all[:tag.Index], list{begin: begin, length: 1, end: len(l.numbers)})
	}

	// There is a comma before each number but the first.
	a := &l.all[tag.Index]
	i, first := chars.AfterSpace(b, a.length), a.length == 1
	for i < len(b) && (b[i] == ',' || first && b[i] != ']') {
		start := i
		if !first {
			start = chars.AfterSpace(b, i+1)
		}
		f, n := parse(b[start:], l.longest)
		if n <= 0 && first {
			return n
		} else if n <= 0 {
			break
		}

		l.numbers = append(l.numbers, Num{f, int64(start)})
		i, first = start+n, false
		a.length, a.end = i, len(l.numbers)
	}

	i = chars.AfterSpace(b, i)
	switch {
	case i >= len(b):
		return -1
	case b[i] == ',':
		_, n := parse(b[chars.AfterSpace(b, i+1):], l.longest)
		return min(n, 0)
	case b[i] != ']':
		return 0
	}
	a.length, a.whole = i+1, true
	return a.length
}

// parse is [number.Begin] for a number of an array: a number that follows another may be the rest
// of it.
func parse(b []byte, longest int) (f float64, n int) {
	if f, n = number.Begin(b, longest); n > 0 && !endsNumber[b[n]] {
		return 0, 0
	}
	return f, n
}

// endsNumber tells what may follow a number of an array.
var endsNumber = [256]bool{',': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// readNumbers reads an array of numbers into the i-th node.
func (r *Reader) readNumbers(s *jsonscan.Scanner, t *Tree, i int) {
	first := len(t.numbers)
	begin := s.Offset()
	for s.EnterArray(); s.Element(); {
		offset, kind := s.Offset(), s.Kind()
		gap := kind != jsonscan.Number && t.nodes[i].typ.Kinds&(Gaps|Placed) != 0
		switch {
		case kind == jsonscan.Null && t.nodes[i].typ.Kinds&Gaps != 0:
			s.Null()
		case kind != jsonscan.Number:
			t.wrongType(s, "number")
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
	}

	if s.Err() != nil {
		return
	}
	t.nodes[i].first, t.nodes[i].count = int32(first), int32(len(t.numbers)-first)
	s.BindWhole(forms.List, forms.Tag{Field: packedField, Index: len(t.lists)}, begin)
	t.lists = append(t.lists, i)
}
