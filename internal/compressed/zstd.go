package compressed

import (
	"bufio"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// zstdFrames reads zstd frames and ends where other data follows, which the decoder cannot
// distinguish from a truncated frame. The structure is defined in RFC 8878, section 3.1.
type zstdFrames struct {
	in       *bufio.Reader
	left     int64 // bytes before the next header
	inFrame  bool  // the next header is a block's
	checksum bool  // the frame ends with a checksum
	trailing bool  // other data follows

	skipping bool  // the frame is skippable
	skipped  int64 // bytes of skippable frames that were read
}

const (
	zstdMagic      = "\x28\xb5\x2f\xfd"
	skippableMagic = "\x2a\x4d\x18" // after a byte from 0x50 to 0x5f
)

// isZstdFrame reports whether b, which may be shorter than the magic number, can begin a frame.
func isZstdFrame(b []byte) bool {
	return strings.HasPrefix(zstdMagic, string(b[:min(len(b), len(zstdMagic))]))
}

// isSkippable reports whether b, which may be shorter than the magic number, can begin a skippable
// frame.
func isSkippable(b []byte) bool {
	return len(b) > 0 && b[0]&0xf0 == 0x50 &&
		strings.HasPrefix(skippableMagic, string(b[1:min(len(b), 1+len(skippableMagic))]))
}

func (z *zstdFrames) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if z.left == 0 {
		if err := z.readHeader(); err != nil {
			return 0, err
		}
	}
	n, err := z.in.Read(p[:min(int64(len(p)), z.left)])
	z.left -= int64(n)
	if z.skipping {
		z.skipped += int64(n)
	}
	return n, err
}

// readHeader looks at the header of the next frame or block. A truncated or malformed header is left
// to the decoder.
func (z *zstdFrames) readHeader() error {
	if z.inFrame {
		return z.readBlockHeader()
	}
	b, err := z.in.Peek(zstd.HeaderMaxSize)
	z.skipping = isSkippable(b)
	var header zstd.Header
	switch {
	case len(b) == 0:
		return err
	case !isZstdFrame(b) && !z.skipping:
		z.trailing = true
		return io.EOF
	case header.Decode(b) != nil:
		z.left = int64(len(b))
	default:
		z.left = int64(header.HeaderSize) + int64(header.SkippableSize)
		z.inFrame, z.checksum = !z.skipping, header.HasCheckSum
	}
	return nil
}

func (z *zstdFrames) readBlockHeader() error {
	const (
		size   = 3
		ofRLE  = 1 // one repeated byte
		isLast = 1
	)
	b, err := z.in.Peek(size)
	if len(b) < size {
		z.left = int64(len(b))
		if len(b) == 0 {
			return err
		}
		return nil
	}

	header := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
	content := header >> 3
	if header>>1&3 == ofRLE {
		content = 1
	}
	z.left = size + content
	if header&isLast != 0 {
		z.inFrame = false
		if z.checksum {
			z.left += 4
		}
	}
	return nil
}
