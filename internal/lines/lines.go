// Package lines reads inputs line by line, for the line formats. Unlike bufio.Scanner, it knows
// its position, accepts lines of any length up to a limit, and continues after a longer one.
package lines

import (
	"bytes"
	"io"

	"perfdata/internal/buffer"
	"perfdata/internal/opening"
)

// The sizes of the window, with the room after it.
const (
	minWindow  = 8 << 10  // enough for small files
	fullWindow = 32 << 10 // a larger one is not faster
)

// Room is the number of bytes after the lines in memory that a caller may look at, so that it can
// read lines many bytes at a time. They can have any values.
const Room = 128

// A Reader reads the lines of one input. Create it with [New].
type Reader struct {
	src io.Reader
	max int
	err error // returned by src

	buf  []byte // the part of the input that is in memory
	pos  int    // index in buf of the first unread byte
	base int64  // offset of buf[0] in the input

	offset  int64 // of the current line
	number  int
	started bool // the beginning of src was checked for a byte order mark
	tooLong bool // the current line exceeds max
	ended   bool // the current line has a line end
	rest    bool // the rest of a long line has to be skipped
}

// New returns a Reader of src for lines of at most max bytes without their line ends. It skips a
// UTF-8 byte order mark at the beginning.
func New(src io.Reader, max int) *Reader { return &Reader{src: opening.Missing(src), max: max} }

// Reset makes r a Reader of another input, as New does. It keeps the memory of the window.
func (r *Reader) Reset(src io.Reader, max int) {
	*r = Reader{src: opening.Missing(src), max: max, buf: r.buf[:0]}
}

// Next reads the next line and returns it without its line end, "\n" or "\r\n". It returns false
// at the end of the input and after an error. The next call overwrites the line. The last line of
// an input may lack a line end; a line that an error of the source cuts off is not returned.
func (r *Reader) Next() ([]byte, bool) {
	if !r.rest {
		if i := bytes.IndexByte(r.buf[r.pos:], '\n'); 0 <= i && i <= r.max {
			line := r.buf[r.pos : r.pos+i]
			r.Take(i+1, 1)
			return dropCR(line), true
		}
	}
	return r.nextSlow()
}

// nextSlow is Next for a line that is not completely in memory, or too long.
func (r *Reader) nextSlow() ([]byte, bool) {
	if r.rest && !r.skipRest() {
		return nil, false
	}

	seen := 0 // bytes without a line end
	for {
		rest := r.buf[r.pos:]
		i := bytes.IndexByte(rest[seen:], '\n')
		switch {
		case i >= 0 && len(dropCR(rest[:seen+i])) <= r.max:
			r.Take(seen+i+1, 1)
			return dropCR(rest[:seen+i]), true
		case i >= 0 || len(rest)-len("\r") > r.max:
			r.take(r.max)
			r.tooLong, r.rest, r.ended = true, true, false // until skipRest finds the end
			return rest[:r.max], true
		}

		seen = len(rest)
		if r.fill() {
			continue
		}

		// The input ends here.
		if seen == 0 || r.err != io.EOF {
			return nil, false // half a line could look like a whole one
		}
		line := dropCR(r.buf[r.pos:])
		r.take(seen)
		r.ended = false
		if len(line) > r.max {
			r.tooLong = true
			line = line[:r.max]
		}
		return line, true
	}
}

// skipRest skips the rest of a line that is too long, and its end.
func (r *Reader) skipRest() bool {
	r.rest = false
	for {
		if i := bytes.IndexByte(r.buf[r.pos:], '\n'); i >= 0 {
			r.pos += i + 1
			r.ended = true
			return true
		}
		r.pos = len(r.buf)
		if !r.fill() {
			return false
		}
	}
}

// Ahead returns the unread lines that are in memory, for callers that can find the end of the next
// one by themselves, and [Room] bytes more. A text without lines is possible, and the last line may
// be cut off.
func (r *Reader) Ahead() []byte {
	if r.rest || r.buf == nil {
		return make([]byte, Room)
	}
	return r.buf[r.pos : len(r.buf)+Room]
}

// More reads more of the input, after what Ahead returns. It returns false at the end of the input.
func (r *Reader) More() bool { return !r.rest && r.fill() }

// Take reads lines of n bytes, including their line ends, from the beginning of Ahead. The first of
// them becomes the current line, but has the number of the last.
func (r *Reader) Take(n, count int) {
	r.take(n)
	r.number += count - 1
	r.tooLong, r.ended = false, true
}

func (r *Reader) take(n int) {
	r.offset = r.base + int64(r.pos)
	r.pos += n
	r.number++
}

// Offset returns the offset of the current line in the input.
func (r *Reader) Offset() int64 { return r.offset }

// End returns the offset of the first unread byte.
func (r *Reader) End() int64 { return r.base + int64(r.pos) }

// Number returns the number of the current line, from 1.
func (r *Reader) Number() int { return r.number }

// TooLong reports whether the current line is longer than allowed, so that Next returned only its
// beginning.
func (r *Reader) TooLong() bool { return r.tooLong }

// Ended reports whether the current line has a line end. Only the last line of an input may have
// none. For a line that is too long, it is known after the next call of Next.
func (r *Reader) Ended() bool { return r.ended }

// Err returns the error that ended the reading, or nil at the end of the input.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// fill reads more of the input into the window. It returns false at the end of the input.
func (r *Reader) fill() bool {
	if r.err != nil {
		return false
	}

	// Make room: move the unread bytes to the front, and grow the window if it is full, or if the
	// input turns out to be longer than the smallest window.
	if r.pos > 0 {
		r.base += int64(r.pos)
		r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
		r.pos = 0
	}

	end := cap(r.buf) - Room
	if read := r.base + int64(len(r.buf)); len(r.buf) >= end || cap(r.buf) < fullWindow && read >= int64(end) {
		size := 2 * cap(r.buf)
		switch {
		case cap(r.buf) == 0:
			size = minWindow
		case cap(r.buf) < fullWindow:
			size = fullWindow
		}
		r.buf = append(make([]byte, 0, size), r.buf...)
		end = size - Room
	}

	for {
		n, err := buffer.Read(r.src, r.buf[len(r.buf):end])
		r.buf, r.err = r.buf[:len(r.buf)+n], err
		if n > 0 && (r.started || r.start()) {
			return true
		}
		if r.err != nil {
			return r.pos < len(r.buf)
		}
	}
}

// start looks for a byte order mark at the beginning of the input. It returns false if it needs
// more input to decide, or nothing is left.
func (r *Reader) start() bool {
	const bom = "\xef\xbb\xbf"
	b := r.buf
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		r.buf, r.err = r.buf[:0], ErrUTF16
		return false
	case bytes.HasPrefix(b, []byte(bom)):
		r.pos = len(bom)
	case len(b) < len(bom) && (bytes.HasPrefix([]byte(bom), b) || b[0] >= 0xfe):
		return false
	}
	r.started = true
	return r.pos < len(r.buf)
}

func dropCR(line []byte) []byte {
	if n := len(line) - 1; n >= 0 && line[n] == '\r' {
		return line[:n]
	}
	return line
}
