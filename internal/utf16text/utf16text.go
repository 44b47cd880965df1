// Package utf16text decodes UTF-16 text that begins with a byte order mark, as a stream.
package utf16text

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata/internal/message"
)

const (
	unitSize = 2
	little   = "\xff\xfe" // the byte order mark, low byte first; with two zeros, that of UTF-32
	big      = "\xfe\xff" // the byte order mark, high byte first
)

// Detect reports whether an input that begins with prefix is UTF-16. The prefix must have 4 bytes,
// or the whole input: UTF-32 begins with the same 2.
func Detect(prefix []byte) bool {
	return bytes.HasPrefix(prefix, []byte(big)) ||
		bytes.HasPrefix(prefix, []byte(little)) && !bytes.HasPrefix(prefix, []byte(little+"\x00\x00"))
}

// A Reader decodes UTF-16 to UTF-8. It reads no further than it must, starts no goroutine, and
// need not be closed.
//
// Half of a surrogate pair is an error with the cause [format.ErrSyntax], and an odd last byte one
// with the cause [io.ErrUnexpectedEOF]. Both say at which byte of the input they are. All text
// before them is read first.
type Reader struct {
	in     *bufio.Reader
	need   int              // bytes of in without which nothing can be decoded
	order  binary.ByteOrder // nil before the byte order mark
	offset int64            // of what is not decoded in the input
	text   []byte           // decoded, and not read yet
	memory []byte           // of text
	err    error            // after text
}

// NewReader returns a Reader of in, which begins with a byte order mark.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 16<<10), need: unitSize}
}

// Read reads decoded text, without the byte order mark.
func (r *Reader) Read(p []byte) (int, error) {
	for len(p) > 0 && len(r.text) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.decode()
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// decode decodes what is in memory of the input. If that is not a character, it reads more.
func (r *Reader) decode() {
	b, err := r.in.Peek(max(r.in.Buffered(), r.need))
	rest, text := b, r.memory[:0]
	if r.order == nil && len(rest) >= unitSize {
		r.order = binary.BigEndian
		if rest[0] == little[0] {
			r.order = binary.LittleEndian
		}
		rest = rest[unitSize:]
	}

	r.need = unitSize
	for r.err == nil && len(rest) >= r.need {
		c, size := rune(r.order.Uint16(rest)), unitSize
		if utf16.IsSurrogate(c) {
			isLow, isLast := c >= 0xdc00, err == io.EOF && len(rest) == unitSize
			if size = 2 * unitSize; len(rest) < size && !isLow && !isLast {
				r.need = size
				continue
			}
			c = utf8.RuneError
			if len(rest) >= size {
				c = utf16.DecodeRune(rune(r.order.Uint16(rest)), rune(r.order.Uint16(rest[unitSize:])))
			}
		}
		if size > unitSize && c == utf8.RuneError {
			r.err = message.SyntaxError(fmt.Sprintf("invalid UTF-16 at byte %d: %04X is half of a surrogate pair",
				r.offset+int64(len(b)-len(rest)), r.order.Uint16(rest)))
			continue
		}
		text, rest = utf8.AppendRune(text, c), rest[size:]
	}

	r.text, r.memory = text, text
	n, _ := r.in.Discard(len(b) - len(rest))
	r.offset += int64(n)
	switch {
	case r.err != nil:
	case err == io.EOF && len(rest) > 0:
		r.err = fmt.Errorf("the UTF-16 text is truncated at byte %d: %w", r.offset, io.ErrUnexpectedEOF)
	default:
		r.err = err
	}
}
