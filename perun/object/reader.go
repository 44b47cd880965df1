package object

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/lines"
	"perfdata/internal/opening"
)

// ErrInvalid is the cause of errors about data that is not a stored object, is cut off, or is not
// what its header or its name says.
var ErrInvalid = errors.New("invalid stored object")

// A Reader reads the profile of a stored object, as JSON. [NewReader] and [Open] return one.
//
// At the end, Read checks the length, the checksum of an object that was opened by its name, and
// that nothing follows. Errors are [format.Error]s about the object as a whole: their position is
// its beginning. The causes of each error about the data are [ErrInvalid], and one of package format
// or io.ErrUnexpectedEOF.
type Reader struct {
	Type string // of the profile, according to the object's header

	name   string // for errors
	sum    string // the checksum that the object must have, or empty
	length int64  // in characters, as the reference counts
	read   int64  // characters

	in     *bufio.Reader // the uncompressed object
	hash   hash.Hash
	err    error
	closer io.Closer // of the file that Open opened
}

const (
	prefix    = "profile "
	maxHeader = 100 // bytes; a longer header is invalid
)

// Detect reports whether uncompressed data that begins with the given bytes is a stored object.
// It needs 100 bytes, or all if there are fewer.
func Detect(beginning []byte) bool {
	return bytes.HasPrefix(beginning, []byte(prefix)) &&
		bytes.IndexByte(beginning[:min(len(beginning), maxHeader)], 0) >= 0
}

// NewReader returns a Reader of the stored object in, whose header it reads. An object that
// begins with its header, not with zlib's, was decompressed before, and is read too. The name is
// for errors. The limits MaxDecompressedBytes and MaxCompressionRatio bound what a compressed
// object may hold.
func NewReader(in io.Reader, name string, limits format.Limits) (*Reader, error) {
	r := &Reader{name: name, hash: sha1.New(), in: bufio.NewReaderSize(opening.Missing(in), 32<<10)}
	beginning, err := r.in.Peek(len(prefix))
	if err != nil && err != io.EOF {
		return nil, r.readError(err)
	}
	if string(beginning) != prefix {
		unpacked, err := compressed.NewReader(r.in, compressed.Zlib, limits.WithDefaults(), nil)
		if err != nil {
			return nil, r.readError(err)
		}
		r.in = bufio.NewReaderSize(unpacked, 32<<10)
	}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) readHeader() error {
	header, err := r.in.Peek(maxHeader)
	end := bytes.IndexByte(header, 0)
	if err != nil && (end < 0 || err != io.EOF) {
		return r.readError(err)
	}
	if end < 0 {
		return r.invalid("missing header: want such as profile time 450")
	}
	header = header[:end+1]

	words := strings.Split(string(header[:end]), " ")
	if len(words) != 3 || words[0]+" " != prefix {
		return r.invalid(fmt.Sprintf("the header is %q, want such as %q", header, "profile time 450\x00"))
	}
	if r.Type = words[1]; !isType(r.Type) {
		return r.invalid(fmt.Sprintf("the type is %q, want time, memory or mixed", r.Type))
	}
	if r.length, err = strconv.ParseInt(words[2], 10, 64); err != nil || r.length < 0 {
		return r.invalid(fmt.Sprintf("the length is %q, want a number", words[2]))
	}

	r.hash.Write(header)
	r.in.Discard(len(header)) // they were peeked at, so this can't fail
	return nil
}

// isType reports whether a profile of the type can be stored.
func isType(t string) bool { return t == "time" || t == "memory" || t == "mixed" }

// CheckType returns an error unless the object's type matches the profile in it. A Reader of
// package perun calls it.
func (r *Reader) CheckType(ofProfile string) error {
	if r.Type == ofProfile {
		return nil
	}
	return r.invalid(fmt.Sprintf("the type is %q, but the profile's is %q", r.Type, ofProfile))
}

// Sum returns the SHA-1 of the bytes that were read, including the header, in hexadecimal. At the
// end, it is the object's name.
func (r *Reader) Sum() string { return hex.EncodeToString(r.hash.Sum(nil)) }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Read reads the profile. It returns nothing beyond the length and the limits.
func (r *Reader) Read(p []byte) (int, error) {
	if r.in == nil {
		r.err = opening.ErrMissing
	}
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	n, err := r.in.Read(p)
	count := characters(p[:n])
	if left := r.length - r.read; count > left {
		count = left
		for n = 0; left > 0 || p[n]&0xc0 == 0x80; n++ {
			if p[n]&0xc0 != 0x80 {
				left--
			}
		}
		err = r.invalid(fmt.Sprintf("the length is %d, but it has more", r.length))
	}
	r.hash.Write(p[:n])
	r.read += count

	switch {
	case err == io.EOF && r.read != r.length:
		err = r.invalid(fmt.Sprintf("the length is %d, but it has %d", r.length, r.read))
	case err == io.EOF && r.sum != "" && r.Sum() != r.sum:
		err = r.invalid(fmt.Sprintf("the checksum is %s, want %s", r.Sum(), r.sum))
	case err != nil && err != io.EOF && !errors.Is(err, ErrInvalid):
		err = r.readError(err)
	}
	r.err = err
	return n, err
}

// characters returns how many characters of UTF-8 begin in b.
func characters(b []byte) (n int64) {
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// invalid returns an error about the object's data.
func (r *Reader) invalid(message string) error {
	return r.fault(message, errors.Join(ErrInvalid, format.ErrSyntax))
}

func (r *Reader) fault(message string, cause error) error {
	return lines.FileError(r.name, "stored object: "+message, cause)
}

// readError returns the error for one that decompressing the data had.
func (r *Reader) readError(err error) error {
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return r.fault("unexpected end", errors.Join(ErrInvalid, io.ErrUnexpectedEOF))
	case errors.Is(err, compressed.ErrTrailing):
		return r.fault("data after its end", errors.Join(ErrInvalid, err))
	case errors.Is(err, compressed.ErrSize):
		return r.fault(err.Error(), errors.Join(ErrInvalid, err))
	case errors.Is(err, format.ErrSyntax):
		return r.fault("not compressed with zlib: "+err.Error(), errors.Join(ErrInvalid, err))
	}
	return r.fault("reading failed: "+err.Error(), err)
}
