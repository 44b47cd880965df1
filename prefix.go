package perfdata

import (
	"bytes"
	"io"
	"slices"

	"perfdata/format"
)

// sniffBytes is the length of the prefix that Detect gets first. If Detect recognizes no format and
// the prefix ends within a line, it gets a longer prefix: with the rest of the line, up to
// maxSniffedLine, and sniffBytes more.
const (
	sniffBytes     = 64 << 10
	maxSniffedLine = 4 << 20
)

func readError(name string, err error) error {
	return beginningError(name, "reading failed: "+err.Error(), err)
}

// beginningError returns an error about an input as a whole. Its position is the beginning.
func beginningError(name, message string, cause error) *format.Error {
	return &format.Error{Name: name, Position: format.Position{Line: 1, Column: 1}, Message: message, Err: cause}
}

// peek returns the beginning of an input, and a reader of all of it. From a stream, peek reads until
// enough(prefix) is true; the prefix is never empty. From an input that can seek, it reads sniffBytes,
// into the memory of buf. An error of the input is returned, and the reader returns it again at the
// same offset. If there is an error and no prefix, the reader is nil.
func peek(in io.Reader, enough func([]byte) bool, buf []byte) (prefix []byte, whole io.Reader, err error) {
	return peekWith(in, func(canSeek bool) ([]byte, error) {
		if canSeek {
			return readPrefix(in, func([]byte) bool { return false }, buf)
		}
		return readPrefix(in, enough, nil)
	})
}

// peekLong is peek for an input in which the first sniffBytes may end within a line.
func peekLong(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	return peekWith(in, func(bool) ([]byte, error) { return readLong(in) })
}

// peekWith is peek with a function that reads the prefix. It goes back in an input that can seek; if that
// fails, the bytes that it read are lost.
func peekWith(
	in io.Reader, read func(canSeek bool) ([]byte, error),
) (prefix []byte, whole io.Reader, err error) {
	seeker, start, canSeek := seekable(in)
	prefix, err = read(canSeek)
	switch {
	case canSeek:
		if _, err := seeker.Seek(start, io.SeekStart); err != nil {
			return nil, nil, err
		}
		return prefix, in, noEOF(err)
	case err == nil:
		return prefix, io.MultiReader(bytes.NewReader(prefix), in), nil
	}
	return prefix, again(prefix, err), noEOF(err)
}

// readPrefix reads the first sniffBytes of an input, or fewer as soon as they are enough, or as an
// error ends the input. It uses the memory of buf.
func readPrefix(in io.Reader, enough func([]byte) bool, buf []byte) ([]byte, error) {
	prefix := slices.Grow(buf[:0], firstSniffBytes(in))
	empty := 0 // reads without any data
	for len(prefix) < sniffBytes {
		if len(prefix) == cap(prefix) {
			prefix = slices.Grow(prefix, min(3*len(prefix), sniffBytes-len(prefix)))
		}
		n, err := in.Read(prefix[len(prefix):min(cap(prefix), sniffBytes)])
		prefix = prefix[:len(prefix)+n]
		if empty++; n > 0 {
			empty = 0
		} else if empty == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			return prefix, err
		}
		if n > 0 && enough(prefix) {
			break
		}
	}
	return prefix, nil
}

// firstSniffBytes returns how much memory to read a prefix into at first. Most files are small.
func firstSniffBytes(in io.Reader) int {
	if in, ok := in.(interface{ Len() int }); ok {
		return min(in.Len()+1, sniffBytes) // one more, so that there is room to read the end
	}
	return 8 << 10
}

// readLong reads sniffBytes, up to the end of the line that they end in, and sniffBytes more.
func readLong(in io.Reader) ([]byte, error) {
	var prefix []byte
	last := false
	for {
		n := len(prefix)
		prefix = append(prefix, make([]byte, sniffBytes)...)
		m, err := io.ReadFull(in, prefix[n:])
		prefix = prefix[:n+m]
		switch {
		case err == io.ErrUnexpectedEOF:
			return prefix, io.EOF
		case err != nil || last:
			return prefix, err
		}
		last = n > 0 && bytes.IndexByte(prefix[n:], '\n') >= 0 || len(prefix) >= maxSniffedLine
	}
}

// seekable returns the offset of a seekable input. A pipe has the method too, which fails.
func seekable(in io.Reader) (seeker io.Seeker, start int64, ok bool) {
	seeker, ok = in.(io.Seeker)
	if !ok {
		return nil, 0, false
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	return seeker, start, err == nil
}

// again returns a reader of an input that was read completely, up to the error that ended it.
func again(all []byte, err error) io.Reader {
	if err == io.EOF {
		return bytes.NewReader(all)
	}
	return io.MultiReader(bytes.NewReader(all), failedReader{err})
}

func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

type failedReader struct{ err error }

func (r failedReader) Read([]byte) (int, error) { return 0, r.err }
