package perfdata

import (
	"bytes"
	"io"
	"slices"

	"perfdata/internal/buffer"
	"perfdata/internal/lines"
)

// sniffBytes is the length of the prefix that Detect gets first. If Detect recognizes no format and
// the prefix ends within a line, it gets a longer prefix: with the rest of the line, up to
// maxSniffedLine, and sniffBytes more.
const (
	sniffBytes     = 64 << 10
	maxSniffedLine = 4 << 20
)

func readError(name string, err error) error {
	return lines.FileError(name, "reading failed: "+err.Error(), err)
}

// peek returns the beginning of an input, and a reader of all of it. From a stream, peek reads until
// enough(prefix) is true; the prefix is never empty. From an input that can seek, it reads sniffBytes,
// into the memory of buf. An error of the input is returned, and the reader returns it again at the
// same offset. If there is an error and no prefix, the reader is nil.
func peek(in io.Reader, enough func([]byte) bool, buf []byte) (prefix []byte, whole io.Reader, err error) {
	h := newHead(in, buf)
	h.fill(sniffBytes, enough)
	return h.end()
}

// peekLong is peek for an input in which the first sniffBytes may end within a line. It reads these,
// up to the end of the line that they end in, and sniffBytes more.
func peekLong(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	h := newHead(in, nil)
	never := func([]byte) bool { return false }
	h.fill(sniffBytes, never)
	for searched, ended := len(h.prefix), false; h.err == nil && !ended; {
		ended = bytes.IndexByte(h.prefix[searched:], '\n') >= 0 || len(h.prefix) >= maxSniffedLine
		searched = len(h.prefix)
		h.fill(len(h.prefix)+sniffBytes, never)
	}
	return h.end()
}

// A head is the beginning of an input.
type head struct {
	in     io.Reader
	seeker io.Seeker // nil if the input cannot seek
	start  int64     // where the input begins
	prefix []byte
	err    error // that ended the input
}

// newHead returns an empty head. That of an input that can seek uses the memory of buf.
func newHead(in io.Reader, buf []byte) *head {
	h := &head{in: in}
	if seeker, ok := in.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil { // a pipe has the method too, which fails
			h.seeker, h.start, h.prefix = seeker, start, buf[:0]
		}
	}

	// Most files are small.
	size := 8 << 10
	if in, ok := in.(interface{ Len() int }); ok {
		size = min(in.Len()+1, sniffBytes) // one more, so that there is room to read the end
	}
	h.prefix = slices.Grow(h.prefix, size)
	return h
}

// fill reads until the prefix has size bytes, or an error ends the input. Of a stream, it reads fewer if
// they are enough.
func (h *head) fill(size int, enough func([]byte) bool) {
	for len(h.prefix) < size && h.err == nil {
		if len(h.prefix) == cap(h.prefix) {
			h.prefix = slices.Grow(h.prefix, min(3*len(h.prefix), size-len(h.prefix)))
		}
		n, err := buffer.Read(h.in, h.prefix[len(h.prefix):min(cap(h.prefix), size)])
		h.prefix, h.err = h.prefix[:len(h.prefix)+n], err
		if err == nil && h.seeker == nil && enough(h.prefix) {
			return
		}
	}
}

// end returns what peek does. It goes back in an input that can seek; if that fails, the bytes that were
// read are lost.
func (h *head) end() (prefix []byte, whole io.Reader, err error) {
	if h.err != io.EOF {
		err = h.err
	}
	switch {
	case h.seeker != nil:
		if _, err := h.seeker.Seek(h.start, io.SeekStart); err != nil {
			return nil, nil, err
		}
		return h.prefix, h.in, err
	case h.err == io.EOF:
		return h.prefix, bytes.NewReader(h.prefix), nil
	case h.err == nil:
		return h.prefix, io.MultiReader(bytes.NewReader(h.prefix), h.in), nil
	}
	return h.prefix, io.MultiReader(bytes.NewReader(h.prefix), failedReader{err}), err
}

type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }
