// Package lines reads inputs line by line: what the line formats share. Unlike bufio.Scanner it knows where it is,
// takes lines of any length up to a limit, and goes on after a longer one.
package lines

import (
	"bytes"
	"errors"
	"io"
)

const (
	minWindow  = 4 << 10  // small files need no more
	fullWindow = 32 << 10 // larger ones were not faster
)

// ErrUTF16 is what ends the reading of an input that begins with the byte order mark of UTF-16.
var ErrUTF16 = errors.New("the input is UTF-16: it has to be UTF-8")

// A Reader reads the lines of one input. Create it with New.
type Reader struct {
	src io.Reader
	max int
	err error // that src returned

	buf  []byte // the part of the input that is in memory
	pos  int    // in buf, of what has not been read yet
	base int64  // offset of buf[0]

	offset  int64 // of the current line
	number  int
	started bool // something was read of src
	tooLong bool // the current line is
	ended   bool // the current line has a line end
	rest    bool // of a line that is too long has to be passed over
}

// New returns a Reader of src that reads lines of at most max bytes, without their line ends. A byte order mark of UTF-8 at
// the beginning is passed over.
func New(src io.Reader, max int) *Reader { return &Reader{src: src, max: max} }

// Next reads the next line and returns it without its line end, which is "\n" or "\r\n", and whether there is one. The
// line is overwritten by the next call. The input's last line may have no end, but what was read of a line when the source
// failed is no line.
func (r *Reader) Next() ([]byte, bool) {
	if !r.rest {
		if i := bytes.IndexByte(r.buf[r.pos:], '\n'); 0 <= i && i <= r.max {
			line := r.buf[r.pos : r.pos+i]
			r.TakeLine(i + 1)
			return dropCR(line), true
		}
	}
	return r.nextAnyhow()
}

// nextAnyhow is Next for a line of which not all is in memory yet, or too much.
func (r *Reader) nextAnyhow() ([]byte, bool) {
	if r.rest && !r.passRest() {
		return nil, false
	}
	seen := 0 // bytes without a line end
	for {
		rest := r.buf[r.pos:]
		i := bytes.IndexByte(rest[seen:], '\n')
		switch {
		case i >= 0 && len(dropCR(rest[:seen+i])) <= r.max:
			r.TakeLine(seen + i + 1)
			return dropCR(rest[:seen+i]), true
		case i >= 0 || len(rest) > r.max+len("\r"):
			r.take(r.max)
			r.tooLong, r.rest = true, true
			return rest[:r.max], true
		}
		seen = len(rest)
		if r.fill() {
			continue
		}
		if seen == 0 || r.err != io.EOF {
			return nil, false // half a line might pass for a whole one
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

// passRest passes over the rest of a line that is too long, and its end.
func (r *Reader) passRest() bool {
	r.rest = false
	for {
		if i := bytes.IndexByte(r.buf[r.pos:], '\n'); i >= 0 {
			r.pos += i + 1
			return true
		}
		r.pos = len(r.buf)
		if !r.fill() {
			return false
		}
	}
}

// Ahead returns what is in memory of the lines to come, for who can tell from it where the next one ends. It may be
// empty.
func (r *Reader) Ahead() []byte { return r.buf[r.pos:] }

// TakeLine reads a line of n bytes with its line end, which is in memory.
func (r *Reader) TakeLine(n int) {
	r.take(n)
	r.tooLong, r.ended = false, true
}

func (r *Reader) take(n int) {
	r.offset = r.base + int64(r.pos)
	r.pos += n
	r.number++
}

// Offset returns the offset in the input of the line read last.
func (r *Reader) Offset() int64 { return r.offset }

// End returns the offset of what follows the line read last.
func (r *Reader) End() int64 { return r.base + int64(r.pos) }

// Number returns the number of the line read last, counted from 1.
func (r *Reader) Number() int { return r.number }

// TooLong reports whether the line read last is longer than allowed, so that Next returned its beginning only.
func (r *Reader) TooLong() bool { return r.tooLong }

// Ended reports whether the line read last has a line end. Only an input's last line may have none.
func (r *Reader) Ended() bool { return r.ended }

// Err returns the error that ended the reading, if that was not the input's end.
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
	if r.pos > 0 {
		r.base += int64(r.pos)
		r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
		r.pos = 0
	}
	if len(r.buf) == cap(r.buf) || r.base > 0 && cap(r.buf) < fullWindow {
		size := 2 * cap(r.buf)
		if cap(r.buf) < fullWindow {
			size = minWindow
			if cap(r.buf) > 0 {
				size = fullWindow
			}
		}
		r.buf = append(make([]byte, 0, size), r.buf...)
	}
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 && (r.started || r.start()) {
			return true
		}
		if r.err != nil {
			return r.pos < len(r.buf)
		}
	}
	r.err = io.ErrNoProgress
	return false
}

// start looks for a byte order mark at the input's beginning. It returns false if it needs more to tell, or nothing is
// left.
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
