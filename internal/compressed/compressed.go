// Package compressed recognises, reads and writes compressed data: gzip, zstd and zlib.
package compressed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// The ways to compress.
const (
	None = ""
	Gzip = "gzip"
	Zstd = "zstd"
	Zlib = "zlib"
)

// maxWindow is how much memory a zstd frame may ask for, in bytes: what the zstd tool asks for up to its level 20, without
// --long. A frame of a few bytes can ask for any amount.
const maxWindow = 32 << 20

// Errors about compressed data. Data that is cut off is io.ErrUnexpectedEOF, and what is corrupt otherwise is an error of the
// package that reads it.
var (
	// ErrSize is the cause of the error about more decompressed bytes than allowed.
	ErrSize = errors.New("too many decompressed bytes")

	// ErrTrailing is the cause of the error about what follows compressed data that has ended.
	ErrTrailing = errors.New("there is something else after the compressed data")
)

// Detect returns how an input is compressed that begins with prefix. It is for prefixes of some kilobytes, or less only if
// that is all of the input.
func Detect(prefix []byte) string {
	switch {
	case bytes.HasPrefix(prefix, []byte{0x1f, 0x8b, 8}):
		return Gzip
	case bytes.HasPrefix(prefix, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	case len(prefix) >= 4 && prefix[0]&0xf0 == 0x50 && bytes.Equal(prefix[1:4], []byte{0x2a, 0x4d, 0x18}):
		return Zstd // it begins with a frame that is to be passed over
	case isZlib(prefix):
		return Zlib
	}
	return None
}

// isZlib reports whether prefix is the beginning of zlib data. Its two bytes and their check bits are found in text, too,
// such as that beginning with x^, so it must really unpack.
func isZlib(prefix []byte) bool {
	if len(prefix) < 2 || prefix[0]&0xf != 8 || prefix[0]>>4 > 7 || (int(prefix[0])<<8|int(prefix[1]))%31 != 0 {
		return false
	}
	r, err := zlib.NewReader(bytes.NewReader(prefix))
	if err != nil {
		return false
	}
	var out [4 << 10]byte
	_, err = io.ReadFull(r, out[:])
	switch err {
	case nil, io.EOF: // all, or an empty input
		return true
	case io.ErrUnexpectedEOF, zlib.ErrChecksum:
		// A short input that ends, or was cut off, or is damaged. ReadFull has the same error for the first two. Compressed
		// data hardly ever looks like text.
		return !isText(prefix)
	}
	return false
}

// isText reports whether data has no control characters and nothing that isn't UTF-8, but for a character that is cut off at
// its end.
func isText(data []byte) bool {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			return !utf8.FullRune(data[i:])
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f:
			return false
		}
		i += size
	}
	return true
}

// NewReader returns a reader of what in holds, which is compressed in the given way. It starts no goroutine and needs no
// closing. Of its errors, those about the data say how it is compressed. More decompressed bytes than max are one, with the
// cause ErrSize.
func NewReader(in io.Reader, compression string, max int64) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, 32<<10)
	r := &reader{compression: compression, in: buffered, left: max, max: max}
	var err error
	switch compression {
	case Gzip:
		r.out, err = gzip.NewReader(buffered)
	case Zstd:
		r.out, err = zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	case Zlib:
		r.out, err = zlib.NewReader(buffered)
	default:
		return nil, fmt.Errorf("unknown compression %q", compression)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, r.explain(err)
	}
	return r, nil
}

type reader struct {
	compression string
	in          *bufio.Reader // the compressed data; it gives no byte to out that out doesn't ask for
	out         io.Reader
	left, max   int64
	err         error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	if int64(len(p)) > r.left {
		p = p[:r.left+1] // one more tells whether there is more
	}
	n, err := r.out.Read(p)
	if int64(n) > r.left {
		r.err = fmt.Errorf("%w: more than %d (Limits.MaxDecompressedBytes)", ErrSize, r.max)
		return int(r.left), r.err
	}
	r.left -= int64(n)
	if err == io.EOF && r.compression == Zlib { // the others look themselves
		if _, more := r.in.Peek(1); more == nil {
			err = ErrTrailing
		} else if more != io.EOF {
			err = more
		}
	}
	r.err = r.explain(err)
	return n, r.err
}

// explain words an error of the package that reads the data.
func (r *reader) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("the %s data is cut off: %w", r.compression, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd data needs a window of more than %d MiB: %w", maxWindow>>20, err)
	}
	return fmt.Errorf("%s: %w", r.compression, err)
}

// ByName returns how a file of that name is to be compressed: by .gz, .zst or .zz at its end.
func ByName(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return Gzip
	case ".zst":
		return Zstd
	case ".zz":
		return Zlib
	}
	return None
}

// NewWriter returns a writer that compresses to out. Close completes the data and doesn't close out.
func NewWriter(out io.Writer, compression string) (io.WriteCloser, error) {
	switch compression {
	case None:
		return nopCloser{out}, nil
	case Gzip:
		return gzip.NewWriter(out), nil
	case Zstd:
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case Zlib:
		return zlib.NewWriter(out), nil
	}
	return nil, fmt.Errorf("unknown compression %q", compression)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
