package jsonscan

import (
	"errors"
	"io"

	"perfdata/internal/spool"
)

// cursorWindow is the size of a Cursor's window. There may be several at a time.
const cursorWindow = 16 << 10

// Cursor returns another Scanner of the same input, at the Bookmark. It reuses c, or makes a new
// one if c is nil. Any number of cursors and s may be used in turns, for example to read parallel
// arrays side by side. If the input can't seek, a cursor goes only as far as s has read.
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

// CanCursor reports whether Cursor can be used for what was read since the first Bookmark.
func (s *Scanner) CanCursor() bool {
	return s.seeker != nil || s.ahead != nil || s.behind != nil || s.err == nil && s.srcErr == io.EOF
}

// CanSeek reports whether what follows can be read in any order: the input can seek, or is small,
// or its rest is held in memory from now on, because that takes at most MaxSpoolMemory.
func (s *Scanner) CanSeek() bool { return s.seeker != nil || s.atEnd() || s.hold() }

// hold reads the rest of an input that can't seek. If it takes at most MaxSpoolMemory, it is held
// in memory and can seek; otherwise, what was read is read again next, which releases its memory.
// Reading a pipe that ends within MaxSpoolMemory takes a third fewer instructions, because its
// results are not skipped first.
func (s *Scanner) hold() bool {
	max := min(s.limits.MaxSpoolMemory, s.limits.MaxSpoolBytes)
	if s.ahead != nil || s.behind != nil || s.srcErr != nil || max <= int64(len(s.buf)) {
		return false
	}

	held := spool.New(max, max)
	held.Write(s.buf)
	n, err := io.CopyN(held, s.src, max-int64(len(s.buf)))
	if err == io.EOF {
		whole := io.NewSectionReader(held, 0, int64(len(s.buf))+n)
		s.held, s.src, s.seeker, s.seekZero, s.moved = held, whole, whole, -s.base, true
		return true
	}

	rest := s.src
	if err != nil {
		rest = errorReader{err}
	}
	s.src = io.MultiReader(held.Drain(int64(len(s.buf))), rest)
	return false
}

// A cursorSource returns what the Scanner read, or will read, from offset on.
type cursorSource struct {
	of     *Scanner
	offset int64
}

var errNotKept = errors.New("the input can't seek, and what is wanted of it isn't kept")

func (r *cursorSource) Read(p []byte) (n int, err error) {
	s := r.of
	switch kept := s.behind; {
	case s.seeker != nil:
		s.moved = true
		if _, err = s.seeker.Seek(s.seekZero+r.offset, io.SeekStart); err == nil {
			n, err = s.src.Read(p)
		}

	case kept == nil && r.offset >= s.base:
		if n = copy(p, s.buf[min(r.offset-s.base, int64(len(s.buf))):]); n == 0 {
			if err = errNotKept; s.srcErr == io.EOF {
				err = io.EOF
			}
		}

	default:
		if kept == nil {
			kept = s.ahead
		}
		if kept == nil || r.offset < s.keptFrom {
			return 0, errNotKept
		}
		if n, err = kept.ReadAt(p, r.offset-s.keptFrom); n > 0 && err == io.EOF {
			err = nil
		}
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
