package jsonscan

import (
	"bytes"
	"io"
	"slices"
)

// lastBytes is the number of bytes at a document's end that are searched for a header.
const lastBytes = 64 << 10

// Last returns a Scanner of the document's last members: those that are complete in its last 64
// KiB. The document is an object, and s is reading one of its members; other members may come
// between that one and the last ones. Last returns nil if the last 64 KiB have no complete
// member, or if the input can't seek. The Scanner counts no lines, so positions in errors are
// wrong.
//
// If its members and its End have no error, they are the document's members, unless the document
// is not JSON.
func (s *Scanner) Last() *Scanner {
	at, ok := s.lastMembers(lastBytes)
	if !ok {
		return nil
	}
	return s.Cursor(nil, at)
}

// lastMembers returns a Bookmark of the last members, for a cursor.
//
// JSON can be read backward: the first quote found ends a string, and within a string, quotes
// have a backslash before them. If the document is not JSON, reading it forward finds the fault.
func (s *Scanner) lastMembers(max int) (Bookmark, bool) {
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

	i := lastMember(b)
	if i < 0 {
		return Bookmark{}, false
	}
	at := Bookmark{offset: end - s.seekZero - size + int64(i)}
	at.open = slices.Clone(s.open)
	at.open[0].start, at.open[0].nameStart, at.open[0].name = settled, noName, nil
	return at, true
}

// lastMember returns the index of the comma before the members that are whole in b, the end of an
// object, or -1.
func lastMember(b []byte) int {
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
			return -1 // this object began in b: it isn't the document, which must have been cut off
		}
	}
	return first
}

// openingQuote returns the index of the quote that begins the string that ends at b[i], or -1 if
// it is not certain to be in b.
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
