package jsonscan

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Bookmark is a place in the input to come back to.
type Bookmark struct {
	at    Position
	open  []container
	first bool
}

// LookAhead returns a Bookmark of the current place, to which Return may come back any number of
// times. If the input can't seek, LookAhead reads the rest of the input, and holds it until
// Close. It fails s if that is too much.
func (s *Scanner) LookAhead() Bookmark {
	s.bufferRest()
	b := Bookmark{at: s.locate(s.pos), first: s.first}
	// What the open containers know about this window must also hold in a later one.
	s.flushPlaces(len(s.buf) + 1)
	b.open = slices.Clone(s.open)
	for i := range b.open {
		b.open[i].name = slices.Clone(b.open[i].name)
	}
	return b
}

// Member returns the Bookmark of a member of an object, if b is at the beginning of that object,
// right after EnterObject. The member's name is at p. After Return, Scanner.Member returns this
// member and then the following ones.
func (b Bookmark) Member(p Position) Bookmark {
	b.at, b.first = p, true
	return b
}

// Return brings the scanner back to the Bookmark, even after an error, which it forgets. If it
// fails, the scanner has the earlier error again, or one that says why Return failed.
func (s *Scanner) Return(b Bookmark) bool {
	earlier := s.err
	if s.lost {
		return false
	}
	if s.err != nil {
		s.err, s.window = nil, s.failed
	}

	s.region = noRegion
	s.form, s.remembered = nil, 0
	s.reopen(b.open)
	s.first = b.first
	if b.at.Offset >= s.base && b.at.Offset <= s.base+int64(len(s.buf)) {
		s.pos = int(b.at.Offset - s.base)
		return true
	}

	if err := s.rewind(b.at.Offset); err != nil {
		s.fail(s.pos, fmt.Sprintf("going back to byte %d for a second reading: %v", b.at.Offset, err), err)
		if earlier != nil {
			s.err = earlier
		}
		return false
	}
	s.window = newWindow(s.buf[:0], b.at)
	return true
}

// reopen makes open a copy of the containers, which shares none of their memory: a Bookmark may
// be returned to again.
func (s *Scanner) reopen(open []container) {
	s.open = s.open[:0]
	for i := range open {
		s.push(false)
		c := &s.open[i]
		name := append(c.name[:0], open[i].name...)
		*c = open[i]
		c.name = name
	}
}

// rewind makes src return the input from the offset on again.
func (s *Scanner) rewind(offset int64) error {
	if s.seeker == nil {
		return errors.New("the input can't seek")
	}
	s.moved = false
	_, err := s.seeker.Seek(s.seekZero+offset, io.SeekStart)
	return err
}

// cursorWindow is the size of a Cursor's window. There may be several at a time.
const cursorWindow = 16 << 10

// Cursor returns another Scanner of the same input, at the Bookmark. It reuses c, or makes a new
// one if c is nil. Any number of cursors and s may be used in turns, for example to read parallel
// arrays side by side.
func (s *Scanner) Cursor(c *Scanner, b Bookmark) *Scanner {
	if c == nil {
		c = &Scanner{settings: settings{full: cursorWindow, allowNaN: s.allowNaN}}
		c.buf, c.src = make([]byte, 0, cursorWindow), &cursorSource{of: s}
	}
	c.name, c.limits, c.general = s.name, s.limits, s.general
	c.err, c.region, c.form, c.remembered = nil, noRegion, nil, 0
	c.reopen(b.open)
	c.first = b.first
	c.window = newWindow(c.buf[:0], b.at)
	c.src.(*cursorSource).offset = b.at.Offset
	return c
}

// FailAs makes the error of c, if it has one, that of s.
func (s *Scanner) FailAs(c *Scanner) {
	if c.err != nil {
		s.Fail(c.err)
	}
}

// Shrink releases the memory of a cursor whose window a long string made large. The cursor reads
// again what its window held after the current place.
func (s *Scanner) Shrink() {
	src, isCursor := s.src.(*cursorSource)
	if !isCursor || cap(s.buf) <= s.full || s.err != nil {
		return
	}
	at := s.locate(s.pos)
	s.flushPlaces(len(s.buf) + 1)
	src.offset = at.Offset
	s.window = newWindow(make([]byte, 0, s.full), at)
}

// A cursorSource returns what the Scanner read, or will read, from offset on.
type cursorSource struct {
	of     *Scanner
	offset int64
}

func (r *cursorSource) Read(p []byte) (n int, err error) {
	s := r.of
	if s.seeker != nil {
		s.moved = true
		if _, err = s.seeker.Seek(s.seekZero+r.offset, io.SeekStart); err == nil {
			n, err = s.src.Read(p)
		}
	} else if n = copy(p, s.buf[min(max(r.offset-s.base, 0), int64(len(s.buf))):]); n == 0 {
		err = s.srcErr // it was not held because the window has it
	}
	r.offset += int64(n)
	return n, err
}
