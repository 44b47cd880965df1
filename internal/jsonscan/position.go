package jsonscan

import (
	"bytes"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/message"
)

// A Position is a place in the input.
type Position = format.Position

// A container is an array or object that was entered and not left. Its indices in the window are
// flushed when they leave the window: they become positions and a copy of the name.
type container struct {
	array bool
	index int // array: of the current element

	start    int      // of its bracket in buf; -1: flushed
	position Position // of its bracket, flushed

	// object: the current member's name in buf, as written; nameStart -1: none yet, -2: flushed
	nameStart, nameEnd int
	name               []byte   // once flushed, as it is shown
	namePosition       Position // of its quote, once flushed
}

const (
	flushed = -1 // container.start

	noName      = -1 // container.nameStart
	nameFlushed = -2
)

func (s *Scanner) push(array bool) {
	n := len(s.open)
	s.open = slices.Grow(s.open, 1)[:n+1] // keeps the memory of its name
	c := &s.open[n]
	c.array, c.index, c.start, c.nameStart = array, -1, s.pos, noName
}

// flushPlaces flushes the containers' places within the n bytes that are about to leave the window,
// and moves the others.
func (s *Scanner) flushPlaces(n int) {
	for i := range s.open {
		c := &s.open[i]
		if c.start >= n {
			c.start -= n
		} else if c.start >= 0 {
			c.position, c.start = s.locate(c.start), flushed
		}
		if c.nameStart >= n {
			c.nameStart -= n
			c.nameEnd -= n
		} else if c.nameStart >= 0 {
			c.namePosition = s.locate(c.nameStart - 1)
			c.name, c.nameStart = s.appendName(c.name[:0], c), nameFlushed
		}
	}
}

// locate returns the position of buf[i]. It counts lines from where it was asked last, forward or back,
// so that asking often costs little more than asking once.
func (s *Scanner) locate(i int) Position {
	if i < s.counted/2 {
		s.counted, s.countedAt = 0, s.start
	}
	if i < s.counted {
		s.countedAt.Column -= s.counted - i
		if lines := bytes.Count(s.buf[i:s.counted], newline); lines > 0 {
			s.countedAt.Line -= lines
			s.countedAt.Column = s.start.Column + i
			if k := bytes.LastIndexByte(s.buf[:i], '\n'); k >= 0 {
				s.countedAt.Column = i - k
			}
		}
		s.counted = i
	}

	part := s.buf[s.counted:i]
	s.countedAt.Column += len(part)
	// Count is much faster than LastIndexByte, which then finds the last line's end at once.
	if lines := bytes.Count(part, newline); lines > 0 {
		s.countedAt.Line += lines
		s.countedAt.Column = len(part) - bytes.LastIndexByte(part, '\n')
	}
	s.counted, s.countedAt.Offset = i, s.base+int64(i)
	return s.countedAt
}

var newline = []byte{'\n'}

// Offset returns the offset of the next byte to read.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Position returns the position of the next byte that is not white space: usually, of the next
// value.
func (s *Scanner) Position() Position {
	s.next()
	return s.locate(s.pos)
}

// Path returns the path of the value that is being read, such as results.0.key, or the path of
// the innermost open container if none of its members was read yet. It is empty for the document
// itself. The middle of a very long path is left out: an input can make it as long as MaxDepth
// names.
func (s *Scanner) Path() string {
	var buf [64]byte
	return string(s.appendPath(buf[:0], len(s.open)))
}

// maxPath is the length from which the middle of a path is left out.
const maxPath = 4 << 10

// appendPath appends the path of the outermost n open containers to dst, which is empty.
func (s *Scanner) appendPath(dst []byte, n int) []byte {
	isCut := false
	for i := range n {
		if dst = s.appendStep(dst, &s.open[i]); len(dst) > 2*maxPath {
			dst, isCut = append(dst[:maxPath/2], dst[len(dst)-maxPath/2:]...), true
		}
	}
	if len(dst) <= maxPath && !isCut {
		return dst
	}
	begin, end := dst[:maxPath/2], dst[len(dst)-maxPath/2:]
	return bytes.ToValidUTF8(slices.Concat(begin, []byte("..."), end), nil)
}

// appendStep appends what a container adds to the path: the index of its element, or the name of
// its member.
func (s *Scanner) appendStep(dst []byte, c *container) []byte {
	if c.array && c.index < 0 || !c.array && c.nameStart == noName {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	switch {
	case c.array:
		return strconv.AppendInt(dst, int64(c.index), 10)
	case c.nameStart == nameFlushed:
		return append(dst, c.name...)
	}
	return s.appendName(dst, c)
}

// appendName appends the current member's name, which is in the window, or its beginning. A file may
// have an error in each of many deep values, so making its path allocates nothing but the path.
func (s *Scanner) appendName(dst []byte, c *container) []byte {
	var buf [2 << 10]byte
	return message.AppendShort(dst, AppendUnescaped(buf[:0], s.buf[c.nameStart:c.nameEnd]))
}

// Error returns an error about the value ahead. It does not become the scanner's error: the value
// can still be read.
func (s *Scanner) Error(message string) *format.Error { return s.errorAt(s.Position(), message) }

// OpenError returns an error about the innermost open array or object. It does not become the
// scanner's error.
func (s *Scanner) OpenError(message string) *format.Error {
	c := &s.open[len(s.open)-1]
	if c.start >= 0 {
		c.position = s.locate(c.start)
	}
	return s.ErrorAt(c.position, string(s.appendPath(nil, len(s.open)-1)), message)
}

// TokenError returns an error about the string or number that was just read. It does not
// become the scanner's error.
func (s *Scanner) TokenError(message string) *format.Error {
	return s.errorAt(s.locate(s.tokenStart), message)
}

// LeftError returns an error about the array or object that was just left. It does not become
// the scanner's error. If the scanner has an error already, LeftError returns that.
func (s *Scanner) LeftError(message string) *format.Error {
	if s.err != nil {
		return s.err
	}
	s.open = s.open[:len(s.open)+1]
	e := s.OpenError(message)
	s.open = s.open[:len(s.open)-1]
	return e
}

// NameError returns an error about the name of the member that Member just returned. It does
// not become the scanner's error.
func (s *Scanner) NameError(message string) *format.Error {
	return s.errorAt(s.NamePosition(), message)
}

// Name returns the name of the member that Member just returned, shortened if it is very long.
func (s *Scanner) Name() string { return string(s.appendStep(nil, &s.open[len(s.open)-1])) }

// NamePosition returns the position of the name that Member just returned.
func (s *Scanner) NamePosition() Position {
	switch c := &s.open[len(s.open)-1]; {
	case c.nameStart > 0:
		return s.locate(c.nameStart - 1)
	case c.nameStart == nameFlushed:
		return c.namePosition
	}
	return s.locate(s.pos)
}

// Token returns the string, in its quotes, or number that was just read, as it is written. It
// is valid until the next call.
func (s *Scanner) Token() []byte { return s.buf[s.tokenStart:s.pos] }

// TokenPosition returns the position of the string or number that was just read.
func (s *Scanner) TokenPosition() Position { return s.locate(s.tokenStart) }

// Fail makes e the scanner's error, if it has none yet.
func (s *Scanner) Fail(e *format.Error) {
	if s.err == nil {
		s.fail(s.pos, "", nil)
		s.err = e
	}
}

func (s *Scanner) errorAt(at Position, message string) *format.Error {
	return &format.Error{
		Name: s.name, Position: at, Path: s.Path(), Message: message,
		Err: format.ErrSchema, // of a fault that the format finds in valid JSON
	}
}

// ErrorAt returns an error at the given position and path.
func (s *Scanner) ErrorAt(at Position, path, message string) *format.Error {
	e := s.errorAt(at, message)
	e.Path = path
	return e
}

// MaxStringBytes returns the limit of that name.
func (s *Scanner) MaxStringBytes() int { return s.limits.MaxStringBytes }

// PositionAt returns the position of an earlier offset, which must still be in the window: that of a
// value that was just read by comparing text is, or in a region that is kept.
func (s *Scanner) PositionAt(offset int64) Position {
	if i := int(offset - s.base); offset >= s.base && i <= len(s.buf) {
		return s.locate(i)
	}
	return Position{Offset: offset}
}

// Reread returns a Scanner of the text from an earlier offset to the next byte to read, with the
// limits of s. The text must still be in the window, as it is for a value that was just read by
// comparing text. The Scanner is valid until s reads on. Its offsets begin at 0.
func (s *Scanner) Reread(from int64) *Scanner {
	again := OfBytes(s.buf[from-s.base : s.pos])
	again.limits, again.allowNaN, again.general = s.limits, s.allowNaN, true
	return again
}
