package jsonscan

import (
	"bytes"
	"io"
	"slices"
)

// LastMembers returns a Bookmark of the last members of the document, an object whose member is being read: those that are
// whole in its last max bytes. Only a Cursor may go there. It returns false if there are none, or if the input can't
// seek.
//
// Read backwards, a document is as clear as forwards, if it is JSON: the first quote found is one that ends a string, and in a
// string, quotes have a backslash before them. Of one that isn't, whoever reads it forwards finds the fault. Lines
// aren't counted: places that are reported would be wrong.
func (s *Scanner) LastMembers(max int) (Bookmark, bool) {
	if s.seeker == nil || s.err != nil || len(s.open) != 1 || s.open[0].array {
		return Bookmark{}, false
	}
	s.moved = true
	end, err := s.seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return Bookmark{}, false
	}
	size := min(int64(max), end-s.seekZero-s.Offset())
	if size <= 0 {
		return Bookmark{}, false
	}
	b := make([]byte, size)
	if _, err := s.seeker.Seek(end-size, io.SeekStart); err != nil {
		return Bookmark{}, false
	}
	if _, err := io.ReadFull(s.src, b); err != nil {
		return Bookmark{}, false
	}
	i := lastMembers(b)
	if i < 0 {
		return Bookmark{}, false
	}
	at := Bookmark{offset: end - s.seekZero - size + int64(i)}
	at.open = slices.Clone(s.open)
	at.open[0].start, at.open[0].nameStart, at.open[0].name = settled, noName, nil
	return at, true
}

// lastMembers returns the index of the comma before those members of an object, which b is the end of, that are whole, or -1.
func lastMembers(b []byte) int {
	b = bytes.TrimRight(b, " \n\r\t")
	if len(b) == 0 || b[len(b)-1] != '}' {
		return -1
	}
	first := -1
	depth := 0
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case '}', ']':
			depth++
		case '{', '[':
			depth--
		case '"':
			if i = openingQuote(b, i); i < 0 {
				return first
			}
		case ',':
			if depth == 1 {
				first = i
			}
		}
		if depth == 0 {
			return first // this is the object's beginning
		}
	}
	return first
}

// openingQuote returns the index of the quote before that at b[i], which ends a string, or -1 if it isn't in b for certain.
func openingQuote(b []byte, i int) int {
	for {
		if i = bytes.LastIndexByte(b[:i], '"'); i < 0 {
			return -1
		}
		n := i
		for n > 0 && b[n-1] == '\\' {
			n--
		}
		switch {
		case n == 0:
			return -1 // there may be more backslashes
		case (i-n)%2 == 0:
			return i
		}
	}
}
