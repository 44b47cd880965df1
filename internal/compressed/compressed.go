// Package compressed detects, reads and writes compressed data: gzip, zstd and zlib.
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
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/internal/message"
)

// The compressions.
const (
	None = ""
	Gzip = "gzip"
	Zstd = "zstd"
	Zlib = "zlib"
)

// gzipMagic begins every gzip member.
const gzipMagic = "\x1f\x8b\x08"

// maxWindow is the largest window of a zstd frame, in bytes. It is enough for the zstd tool's
// levels up to 20 without --long. A frame of a few bytes can ask for any amount.
const maxWindow = 32 << 20

// Errors about compressed data. Truncated data is io.ErrUnexpectedEOF. Data that is corrupt in
// another way has two causes: the error of the package that decompresses it, and format.ErrSyntax.
var (
	// ErrSize is the cause of errors about more decompressed bytes than allowed.
	ErrSize error = message.LimitError("too many decompressed bytes")

	// ErrTrailing is the cause of the error about data after the end of compressed data.
	ErrTrailing error = message.SyntaxError("data after the end of the compressed data")
)

// A dataError is an error of the package that decompresses the data, about the data.
type dataError struct {
	error
	cause error // of package format
}

// Unwrap returns both causes.
func (e dataError) Unwrap() []error { return []error{e.error, e.cause} }

// Detect returns the compression of an input that begins with prefix. The prefix must be a few
// kilobytes, or the whole input.
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

// Undecided reports whether Detect may return something else for a longer prefix of the input.
func Undecided(prefix []byte) bool {
	switch {
	case len(prefix) < len(gzipMagic) && strings.HasPrefix(gzipMagic, string(prefix)),
		len(prefix) < len(zstdMagic) && (isZstdFrame(prefix) || isSkippable(prefix)):
		return true
	case len(prefix) == 1:
		return isZlibMethod(prefix[0])
	}
	const enough = 4 << 10 // bytes to see whether they decompress
	return isZlibHeader(prefix) && len(prefix) < enough
}

// isZlibMethod reports whether a zlib header may begin with c.
func isZlibMethod(c byte) bool { return c&0xf == 8 && c>>4 <= 7 }

// isZlibHeader reports whether prefix begins with a zlib header.
func isZlibHeader(prefix []byte) bool {
	return len(prefix) >= 2 && isZlibMethod(prefix[0]) && (int(prefix[0])<<8|int(prefix[1]))%31 == 0
}

// isZlib reports whether prefix begins zlib data. Text may begin with the two bytes of a zlib
// header, such as x^, so the data must really decompress.
func isZlib(prefix []byte) bool {
	if !isZlibHeader(prefix) {
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
		// A short input that is complete, truncated or corrupt; ReadFull returns the same error
		// for the first two. Compressed data hardly ever looks like text.
		// Text is valid UTF-8 without control characters, but its last character may be truncated.
		i := chars.InvalidUTF8(prefix)
		return utf8.FullRune(prefix[i:]) || bytes.ContainsFunc(prefix, func(c rune) bool {
			return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f
		})
	}
	return false
}

// A Reader decompresses data. It starts no goroutine and need not be closed. Errors about the data
// name its compression.
type Reader struct {
	compression string
	limits      format.Limits
	outermost   *Reader // its compressed bytes are used for the ratio

	source counter
	in     *bufio.Reader // of source; out reads no further than the compressed data
	out    io.Reader
	gzip   *gzip.Reader // out, to read more than one member
	frames *zstdFrames  // read by out
	size   int64        // bytes decompressed so far
	header int64        // compressed bytes in the headers of gzip members
	err    error
}

// NewReader returns a Reader of in, which has the given compression. The limits must have their
// defaults. Reading more than MaxDecompressedBytes, or beyond 64 MiB more than MaxCompressionRatio
// times the compressed bytes, is an error with the cause ErrSize. What an input can have any amount
// of without contents, the headers of gzip members and skippable zstd frames, is not among these
// bytes. If in is itself decompressed, outermost must be the first Reader of that chain, whose
// compressed bytes are used for the ratio; otherwise it must be nil.
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
			r.out, r.header = r.gzip, r.position()
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

// A counter counts the bytes read. After an error, it returns that error again: a look ahead,
// which ignores the error, must not lose it.
type counter struct {
	in  io.Reader
	n   int64
	err error
}

func (c *counter) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.in.Read(p)
	c.n += int64(n)
	c.err = err
	return n, err
}

func (r *Reader) Read(p []byte) (n int, err error) {
	for n == 0 && r.err == nil && len(p) > 0 { // once more after an empty member
		n, r.err = r.read(p)
	}
	return n, r.err
}

func (r *Reader) read(p []byte) (int, error) {
	max := r.limits.MaxDecompressedBytes
	if left := max - r.size; int64(len(p)) > left {
		p = p[:left+1] // one more byte shows whether the limit is exceeded
	}

	n, err := r.out.Read(p)
	r.size += int64(n)
	if r.size > max {
		return r.within(n, max), fmt.Errorf("%w: more than %d (Limits.MaxDecompressedBytes)", ErrSize, max)
	}
	const free = 64 << 20 // the decompressed size up to which any ratio is allowed
	if r.size > free {
		// The compressed bytes that were needed for contents.
		first, ratio := r.outermost, int64(r.limits.MaxCompressionRatio)
		packed := first.position() - first.header
		if first.frames != nil {
			packed -= first.frames.skipped
		}
		if r.size/ratio > packed {
			return r.within(n, ratio*packed), fmt.Errorf(
				"%w: more than %d times the %d compressed bytes (Limits.MaxCompressionRatio)", ErrSize, ratio, packed)
		}
	}
	if err == io.EOF {
		err = r.next()
	}
	return n, r.explain(err)
}

// within returns how many of the last n bytes are among the first max.
func (r *Reader) within(n int, max int64) int { return n - int(min(int64(n), r.size-max)) }

// position returns the number of bytes of the source that were needed.
func (r *Reader) position() int64 { return r.source.n - int64(r.in.Buffered()) }

// next looks for data after the end of compressed data. It returns io.EOF if there is none, and
// nil for another gzip member, which is read next. Consecutive zstd frames are handled by
// zstdFrames.
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

	begin := r.position()
	if err := r.gzip.Reset(r.in); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	r.gzip.Multistream(false)
	r.header += r.position() - begin
	return nil
}

// explain makes an error of the package that decompresses the data name the compression, and gives
// it a cause. An error of the source keeps its own.
func (r *Reader) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("the %s data is truncated: %w", r.compression, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = dataError{err, format.ErrLimit}
		return fmt.Errorf("the zstd data needs a window of more than %d MiB: %w", maxWindow>>20, err)
	case !errors.Is(err, ErrSize) && (r.source.err == nil || !errors.Is(err, r.source.err)):
		err = dataError{err, format.ErrSyntax}
	}
	if strings.HasPrefix(err.Error(), r.compression+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", r.compression, err)
}

// ByName returns the compression of a file by the extension of its name: .gz, .zst or .zz.
func ByName(name string) string {
	return map[string]string{".gz": Gzip, ".zst": Zstd, ".zz": Zlib}[strings.ToLower(filepath.Ext(name))]
}

// NewWriter returns a writer that compresses to out. Close completes the data and does not close
// out.
func NewWriter(out io.Writer, compression string) (io.WriteCloser, error) {
	out = buffer.Whole(out)
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
