// Package utf16text decodes UTF-16 text that begins with a byte order mark, as a stream.
package utf16text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata/internal/message"
)

const (
	markSize = 2
	little   = "\xff\xfe"         // the byte order mark, low byte first
	big      = "\xfe\xff"         // the byte order mark, high byte first
	little32 = "\xff\xfe\x00\x00" // the mark of UTF-32
)

// Detect reports whether an input that begins with prefix is UTF-16. The prefix must have 4 bytes,
// or the whole input: UTF-32 begins with the same 2.
func Detect(prefix []byte) bool {
	return bytes.HasPrefix(prefix, []byte(big)) ||
		bytes.HasPrefix(prefix, []byte(little)) && !bytes.HasPrefix(prefix, []byte(little32))
}

// A Reader decodes UTF-16 to UTF-8. It reads no further than it must, starts no goroutine, and
// need not be closed.
//
// Half of a surrogate pair is an error with the cause [format.ErrSyntax], and an odd last byte one
// with the cause [io.ErrUnexpectedEOF]. Both say at which byte of the input they are. All text
// before them is read first.
type Reader struct {
	in    io.Reader
	order binary.ByteOrder // nil before the byte order mark

	buf     []byte // from in
	pos     int    // index in buf of the first byte that is not decoded
	offset  int64  // of buf[pos] in the input
	decoded []byte // text that did not fit into the slice of the last Read
	store   [utf8.UTFMax]byte
	err     error // of in
}

// NewReader returns a Reader of in, which begins with a byte order mark.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: in, buf: make([]byte, 0, 16<<10)}
}

// Read reads decoded text, without the byte order mark.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}

	n := copy(p, r.decoded)
	r.decoded = r.decoded[n:]
	for n == 0 {
		m, err := r.decode(p)
		if m == 0 && err != nil {
			return 0, err
		}
		if n = m; n == 0 && len(r.decoded) > 0 {
			n = copy(p, r.decoded)
			r.decoded = r.decoded[n:]
		}
		if n == 0 {
			r.fill()
		}
	}
	return n, nil
}

// decode decodes the buffer to p, as far as it fits. If p is too short for the first character,
// decode puts it into r.decoded. It returns an error if nothing more can be decoded.
func (r *Reader) decode(p []byte) (n int, err error) {
	if r.order == nil {
		if len(r.buf) < markSize {
			return 0, r.end()
		}
		r.order = binary.BigEndian
		if r.buf[0] == little[0] {
			r.order = binary.LittleEndian
		}
		r.skip(markSize)
	}

	for {
		c, size, err := r.next()
		if size == 0 {
			return n, err
		}

		length := utf8.RuneLen(c)
		if length > len(p)-n {
			if n == 0 {
				r.decoded = utf8.AppendRune(r.store[:0], c)
				r.skip(size)
			}
			return n, nil
		}
		n += utf8.EncodeRune(p[n:], c)
		r.skip(size)
	}
}

// next returns the next character in the buffer and its size in bytes, or 0 if it is not complete.
func (r *Reader) next() (c rune, size int, err error) {
	rest := r.buf[r.pos:]
	if len(rest) < 2 {
		return 0, 0, r.end()
	}
	first := rune(r.order.Uint16(rest))
	if !utf16.IsSurrogate(first) {
		return first, 2, nil
	}

	if isLow := first >= 0xdc00; isLow || len(rest) < 4 {
		if !isLow && (r.err != io.EOF || len(rest) == 3) {
			return 0, 0, r.end()
		}
		return 0, 0, r.invalid(first)
	}
	if c = utf16.DecodeRune(first, rune(r.order.Uint16(rest[2:]))); c == utf8.RuneError {
		return 0, 0, r.invalid(first)
	}
	return c, 4, nil
}

func (r *Reader) invalid(unit rune) error {
	return message.SyntaxError(
		fmt.Sprintf("invalid UTF-16 at byte %d: %04X is half of a surrogate pair", r.offset, unit))
}

// end returns the error after the last whole character in the buffer. It is nil if there is more
// to read.
func (r *Reader) end() error {
	if r.err == io.EOF && r.pos < len(r.buf) {
		return fmt.Errorf("the UTF-16 text is truncated at byte %d: %w", r.offset, io.ErrUnexpectedEOF)
	}
	return r.err
}

func (r *Reader) skip(n int) {
	r.pos += n
	r.offset += int64(n)
}

// fill reads more of the input into the buffer, which has at most 3 bytes that are not decoded.
func (r *Reader) fill() {
	r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
	r.pos = 0
	for range 100 {
		n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
