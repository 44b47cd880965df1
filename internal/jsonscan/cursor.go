package jsonscan

import "io"

// cursorWindow is the size of a Cursor's window. There may be several at a time.
const cursorWindow = 16 << 10

// Cursor returns another Scanner of the same input, at the Bookmark. It reuses c, or makes a new
// one if c is nil. Any number of cursors and s may be used in turns, for example to read parallel
// arrays side by side.
func (s *Scanner) Cursor(c *Scanner, b Bookmark) *Scanner {
	if c == nil {
		c = &Scanner{settings: settings{full: cursorWindow, allowNaN: s.allowNaN}}
		c.buf = make([]byte, 0, cursorWindow)
		c.src = &cursorSource{of: s}
	}
	c.name, c.limits, c.general = s.name, s.limits, s.general
	c.err, c.region, c.form, c.remembered = nil, noRegion, nil, 0
	c.reopen(b.open)
	c.first = b.first
	c.window = newWindow(c.buf[:0], b.offset, b.line, b.lineStart)
	c.src.(*cursorSource).offset = b.offset
	return c
}

// Shrink releases the memory of a cursor whose window a long string made large. The cursor reads
// again what its window held after the current place.
func (s *Scanner) Shrink() {
	src, isCursor := s.src.(*cursorSource)
	if !isCursor || cap(s.buf) <= s.full || s.err != nil {
		return
	}
	line, lineStart := s.lineAt(s.pos)
	s.settle(len(s.buf) + 1)
	src.offset = s.Offset()
	s.window = newWindow(make([]byte, 0, s.full), src.offset, line, lineStart)
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

// comeBack makes src return what follows the window again, after a cursor moved it.
func (s *Scanner) comeBack() error {
	s.moved = false
	_, err := s.seeker.Seek(s.seekZero+s.base+int64(len(s.buf)), io.SeekStart)
	return err
}
