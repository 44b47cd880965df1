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

	"perfdata/format"
	"perfdata/internal/message"
)

// The ways to compress.
const (
	None = ""
	Gzip = "gzip"
	Zstd = "zstd"
	Zlib = "zlib"
)

// gzipMagic is what a member of gzip begins with.
const gzipMagic = "\x1f\x8b\x08"

// maxWindow is how much memory a zstd frame may ask for, in bytes: what the zstd tool asks for up to its level 20, without
// --long. A frame of a few bytes can ask for any amount.
const maxWindow = 32 << 20

// Errors about compressed data. Data that is cut off is io.ErrUnexpectedEOF, and what is corrupt otherwise is an error of the
// package that reads it.
var (
	// ErrSize is the cause of the errors about more decompressed bytes than allowed.
	ErrSize error = message.LimitError("too many decompressed bytes")

	// ErrTrailing is the cause of the error about what follows compressed data that has ended.
	ErrTrailing = errors.New("data after the end of the compressed data")
)

// Detect returns how an input is compressed that begins with prefix. It is for prefixes of some kilobytes, or less only if
// that is all of the input.
func Detect(prefix []byte) string {
	switch {
	case bytes.HasPrefix(prefix, []byte(gzipMagic)):
		return Gzip
	case len(prefix) >= len(zstdMagic) && (isZstdFrame(prefix) || isSkippable(prefix)):
		return Zstd
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

// A Reader reads what compressed data holds. It starts no goroutine and needs no closing. Of its errors, those about the data say
// how it is compressed.
type Reader struct {
	compression string
	limits      format.Limits
	outermost   *Reader // the compressed data that counts for the ratio

	source counter
	in     *bufio.Reader // of source; it gives no byte to out that out doesn't ask for
	out    io.Reader
	gzip   *gzip.Reader // out, for more than one member
	frames *zstdFrames  // what out reads
	size   int64        // what was decompressed
	err    error
}

// free is how large the contents may be, however few bytes they are compressed to.
const free = 64 << 20

// NewReader returns a Reader of what in holds, which is compressed in the given way. The limits have their defaults. Contents of
// more than MaxDecompressedBytes are an error, and so are, beyond 64 MiB, those of more than MaxCompressionRatio times the
// compressed bytes that they take; its cause is ErrSize. Where in reads from another Reader, outermost is that one, or the one
// that it reads from in turn: its compressed bytes count. Otherwise, outermost is nil.
func NewReader(in io.Reader, compression string, limits format.Limits, outermost *Reader) (*Reader, error) {
	r := &Reader{compression: compression, limits: limits, outermost: outermost, source: counter{in: in}}
	if outermost == nil {
		r.outermost = r
	}
	r.in = bufio.NewReaderSize(&r.source, 32<<10)
	var err error
	switch compression {
	case Gzip:
		r.gzip, err = gzip.NewReader(r.in)
		if err == nil {
			r.gzip.Multistream(false)
			r.out = r.gzip
		}
	case Zstd:
		r.frames = &zstdFrames{in: r.in}
		r.out, err = zstd.NewReader(r.frames, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	case Zlib:
		r.out, err = zlib.NewReader(r.in)
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

// A counter counts what is read.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

func (r *Reader) Read(p []byte) (n int, err error) {
	for n == 0 && r.err == nil && len(p) > 0 { // again after a member that is empty
		n, r.err = r.read(p)
	}
	return n, r.err
}

func (r *Reader) read(p []byte) (int, error) {
	max := r.limits.MaxDecompressedBytes
	if left := max - r.size; int64(len(p)) > left {
		p = p[:left+1] // one more tells whether there is more
	}
	n, err := r.out.Read(p)
	r.size += int64(n)
	if r.size > max {
		return r.within(n, max), fmt.Errorf("%w: more than %d (Limits.MaxDecompressedBytes)", ErrSize, max)
	}
	if r.size > free {
		ratio, packed := int64(r.limits.MaxCompressionRatio), r.outermost.consumed()
		if r.size/ratio > packed {
			return r.within(n, ratio*packed), fmt.Errorf("%w: more than %d times the %d compressed bytes (Limits.MaxCompressionRatio)", ErrSize, ratio, packed)
		}
	}
	if err == io.EOF {
		err = r.next()
	}
	return n, r.explain(err)
}

// within returns how many of the last n bytes are within the first max.
func (r *Reader) within(n int, max int64) int { return n - int(min(int64(n), r.size-max)) }

// consumed returns how many compressed bytes were needed.
func (r *Reader) consumed() int64 { return r.source.n - int64(r.in.Buffered()) }

// next looks at what follows compressed data that has ended. It returns io.EOF if nothing does, and nil for another member of
// gzip, which is read next. Frames of zstd follow each other in zstdFrames.
func (r *Reader) next() error {
	if r.frames != nil {
		if r.frames.trailing {
			return ErrTrailing
		}
		return io.EOF
	}
	ahead, err := r.in.Peek(len(gzipMagic))
	switch {
	case len(ahead) == 0:
		return err
	case r.gzip == nil || !bytes.HasPrefix([]byte(gzipMagic), ahead):
		return ErrTrailing
	}
	if err := r.gzip.Reset(r.in); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	r.gzip.Multistream(false)
	return nil
}

// explain words an error of the package that reads the data.
func (r *Reader) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("the %s data is cut off: %w", r.compression, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd data needs a window of more than %d MiB: %w", maxWindow>>20, err)
	}
	if strings.HasPrefix(err.Error(), r.compression+": ") {
		return err
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
