package jsonscan

import (
	"bytes"
	"io"
	"math"
)

// Last returns a Scanner of the document's last members that are complete in its last 64 KiB. The
// document is an object, and s is before the value of one of its members; other members may come
// between that one and the last ones. Last returns nil if there are none, or if the input can't
// seek. The positions of the Scanner's errors have wrong lines. The Scanner is valid until the
// next call of Last or After.
//
// If flat is set, only members after the last one whose value holds an array or object are looked
// for.
//
// If its members and its End have no error, they are the document's members, unless the document
// is not JSON.
func (s *Scanner) Last(flat bool) *Scanner {
	if !s.inDocument() {
		return nil
	}
	text, offset := s.lastText(64 << 10)
	maxDepth := math.MaxInt
	if flat {
		maxDepth = 2
	}
	if s.assigned { // a semicolon may follow
		text = bytes.TrimSuffix(bytes.TrimRight(text, " \n\r\t"), []byte{';'})
	}
	i := lastMember(text, maxDepth)
	if i < 0 {
		return nil
	}
	return s.scannerOf(text[i:], offset+int64(i))
}

// After is Last for all members that come after the value ahead. It returns nil unless they are in
// memory, and if skipping the value would fail.
func (s *Scanner) After() *Scanner {
	if !s.inDocument() || !s.atEnd() {
		return nil
	}
	last := s.scannerOf(s.buf[s.pos:], s.Offset())
	last.general = true // in a small value, few values repeat
	ok := last.SkipFast()
	last.general = s.general
	if !ok {
		return nil
	}
	return last
}

// inDocument reports whether s is in the document itself, an object.
func (s *Scanner) inDocument() bool { return s.err == nil && len(s.open) == 1 && !s.open[0].array }

// scannerOf returns a Scanner of members of the document: of the text, which is the rest of it, at
// the offset.
func (s *Scanner) scannerOf(text []byte, offset int64) *Scanner {
	if s.last == nil {
		m := new(struct {
			s    Scanner
			open [2]container
		})
		m.s.open = m.open[:0]
		s.last = &m.s
	}
	last := s.last
	*last = Scanner{
		name: s.name, limits: s.limits, settings: s.settings, region: noRegion,
		open: last.open[:0], names: last.names, text: last.text[:0], assigned: s.assigned,
	}
	last.window = newWindow(text, Position{Offset: offset, Line: 1, Column: int(offset) + 1})
	last.srcErr = io.EOF
	last.reopen(s.open)
	last.open[0].start, last.open[0].nameStart = flushed, noName
	return last
}

// lastText returns the end of the input, up to max bytes of the unread part, and its offset.
func (s *Scanner) lastText(max int) (text []byte, offset int64) {
	if s.atEnd() {
		text = s.buf[s.pos:]
		text = text[len(text)-min(len(text), max):]
		return text, s.base + int64(len(s.buf)-len(text))
	}
	if s.seeker == nil {
		return nil, 0
	}

	s.moved = true
	end, err := s.seeker.Seek(0, io.SeekEnd)
	size := min(int64(max), end-s.seekZero-s.Offset())
	if err != nil || size <= 0 {
		return nil, 0
	}

	if _, err := s.seeker.Seek(end-size, io.SeekStart); err != nil {
		return nil, 0
	}
	text = make([]byte, size)
	if _, err := io.ReadFull(s.src, text); err != nil {
		return nil, 0
	}
	return text, end - s.seekZero - size
}

// atEnd reports whether the rest of the input is in the window. It makes sure of that for small
// inputs, which the window holds as a whole.
func (s *Scanner) atEnd() bool {
	for s.base == 0 && s.hasRoom() && s.fill() {
	}
	return s.srcErr == io.EOF
}

// lastMember returns the index of the comma before the members that are whole in b, the end of an
// object, or -1. It looks only at members after the last one in which more than maxDepth arrays
// and objects are open, including the object itself.
func lastMember(b []byte, maxDepth int) int {
	b = bytes.TrimRight(b, " \n\r\t")
	if len(b) == 0 || b[len(b)-1] != '}' {
		return -1
	}

	first := -1
	depth := 0
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case '}', ']':
			if depth++; depth > maxDepth {
				return first
			}
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
