package perun

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zlib"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/message"
)

// ErrObject is the cause of errors about stored objects: of one that is none, is cut off, or isn't what its header or its
// name say.
var ErrObject = errors.New("invalid stored object")

// An Object is a stored object that is read: a profile without its origin, behind a header with its type and length, all of
// it packed with zlib. It reads the profile's JSON, for a Reader:
//
//	obj, err := perun.OpenObject(fsys, sum)
//	...
//	r := perun.NewReader(obj)
//
// At the end, Read checks the length, that nothing follows, and where the name is known, the checksum. What is wrong is
// a [format.Error] with [ErrObject] as its cause, about the object as a whole: its place is the beginning. A Reader also
// checks that the type is the profile's.
type Object struct {
	Type string // of the profile

	// Limits bounds, by MaxDecompressedBytes and MaxCompressionRatio, what the object may hold. It may be set before the
	// first Read; if it isn't, the Limits of the Reader that reads the object hold.
	Limits format.Limits

	name   string // for errors
	sum    string // that it must have, if not empty
	length int64  // in characters, as the reference counts
	read   int64
	offset int64 // unpacked bytes that were read

	source *countingReader // of the packed bytes; nil if the object is not packed
	packed *bufio.Reader
	in     io.Reader
	hash   hash.Hash
	err    error
	closer io.Closer
}

const maxObjectHeader = 100 // bytes; longer ones are none

// NewObject returns a reader of the stored object in, having read its header. The name is for errors; the sum is its
// name in the store, the SHA-1 in hexadecimal, or empty if that isn't known.
func NewObject(in io.Reader, name, sum string) (*Object, error) {
	source := &countingReader{in: in}
	o := &Object{name: name, sum: sum, hash: sha1.New(), source: source, packed: bufio.NewReader(source)}
	unpacked, err := zlib.NewReader(o.packed)
	if err != nil {
		return nil, o.unpackError(err)
	}
	o.in = unpacked
	return o.readHeader()
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	in io.Reader
	n  int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// readHeader reads the header.
func (o *Object) readHeader() (*Object, error) {
	var header []byte
	for len(header) == 0 || header[len(header)-1] != 0 {
		var b [1]byte
		if _, err := io.ReadFull(o.in, b[:]); err != nil {
			return nil, o.unpackError(err)
		}
		header = append(header, b[0])
		if len(header) > maxObjectHeader {
			return nil, o.fault("there is no header, such as profile time 450")
		}
	}
	o.hash.Write(header)
	o.offset = int64(len(header))
	words := strings.Split(string(header[:len(header)-1]), " ")
	if len(words) != 3 || words[0] != "profile" {
		return nil, o.fault(fmt.Sprintf("the header is %q, expected such as %q", header, "profile time 450\x00"))
	}
	o.Type = words[1]
	if !isType(o.Type) {
		return nil, o.fault(fmt.Sprintf("the type is %q, expected time, memory or mixed", o.Type))
	}
	var err error
	if o.length, err = strconv.ParseInt(words[2], 10, 64); err != nil || o.length < 0 {
		return nil, o.fault(fmt.Sprintf("the length is %q, expected a number", words[2]))
	}
	return o, nil
}

func isType(t string) bool { return t == TypeTime || t == TypeMemory || t == TypeMixed }

func (o *Object) fault(message string) error { return o.faultOf(message, ErrObject) }

func (o *Object) faultOf(message string, cause error) error {
	return &format.Error{Name: o.name, Position: format.Position{Line: 1, Column: 1}, Message: "stored object: " + message, Err: cause}
}

func (o *Object) unpackError(err error) error {
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return o.faultOf("it ends too early", errors.Join(ErrObject, io.ErrUnexpectedEOF))
	case errors.Is(err, zlib.ErrHeader) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zlib.ErrDictionary) || strings.HasPrefix(err.Error(), "flate: "):
		return o.faultOf("it isn't packed with zlib as it must be: "+err.Error(), errors.Join(ErrObject, err))
	}
	return o.faultOf("reading failed: "+err.Error(), err)
}

// Read reads the profile. What is beyond its length or the limits is not returned.
func (o *Object) Read(p []byte) (int, error) {
	if o.err != nil || len(p) == 0 {
		return 0, o.err
	}
	n, err := o.in.Read(p)
	count := characters(p[:n])
	fits, tooMuch := o.checkSize(p[:n], count)
	if fits < n {
		count = characters(p[:fits])
	}
	o.hash.Write(p[:fits])
	o.offset += int64(fits)
	o.read += count
	switch {
	case tooMuch != nil:
		o.err = tooMuch
	case err == io.EOF:
		o.err = o.atEnd()
	case err != nil:
		o.err = o.unpackError(err)
	}
	return fits, o.err
}

// ratioFrom is from how many unpacked bytes on MaxCompressionRatio holds.
const ratioFrom = 64 << 20

// checkSize returns how many of the bytes that come next, which are so many characters, are within the length and the
// limits, and an error if not all are.
func (o *Object) checkSize(next []byte, count int64) (fits int, err error) {
	fits = len(next)
	if left := o.length - o.read; count > left {
		for fits = 0; left > 0 || next[fits]&0xc0 == 0x80; fits++ {
			left -= characters(next[fits : fits+1])
		}
		err = o.fault(fmt.Sprintf("the length is %d, but it has more", o.length))
	}
	if o.source == nil {
		return fits, err
	}
	limits := o.Limits.WithDefaults()
	size := o.offset + int64(fits)
	switch {
	case size > limits.MaxDecompressedBytes:
		fits = int(max(limits.MaxDecompressedBytes-o.offset, 0))
		err = o.tooLarge(message.Limit("MaxDecompressedBytes", limits.MaxDecompressedBytes, compressed.ErrSize.Error()))
	case size > ratioFrom && size/int64(limits.MaxCompressionRatio) > o.source.n:
		err = o.tooLarge(message.Limit("MaxCompressionRatio", int64(limits.MaxCompressionRatio), "decompressed bytes for each compressed one"))
	}
	return fits, err
}

func (o *Object) tooLarge(message string) error {
	return o.faultOf(message, errors.Join(ErrObject, compressed.ErrSize))
}

// characters returns how many of UTF-8 begin in b: the reference counts those.
func characters(b []byte) (n int64) {
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

func (o *Object) atEnd() error {
	if o.read != o.length {
		return o.fault(fmt.Sprintf("the length is %d, but it has %d", o.length, o.read))
	}
	if _, err := o.packed.ReadByte(); err != io.EOF {
		return o.fault("there is data after its end")
	}
	if sum := o.Sum(); o.sum != "" && sum != o.sum {
		return o.fault(fmt.Sprintf("the checksum is %s, expected %s", sum, o.sum))
	}
	return io.EOF
}

// Sum returns the SHA-1 of what was read, with the header, in hexadecimal: at the end, the object's name.
func (o *Object) Sum() string { return hex.EncodeToString(o.hash.Sum(nil)) }

// Close closes the file that OpenObject opened.
func (o *Object) Close() error {
	if o.closer == nil {
		return nil
	}
	return o.closer.Close()
}

// WriteObject writes the profile to out as a stored object, and returns its name. The profile, which is read from its
// beginning on, more than once, must be valid as far as a Reader looks, have a known type, and no origin.
func WriteObject(out io.Writer, profile io.ReadSeeker) (sum string, err error) {
	header, err := objectHeader(profile)
	if err != nil {
		return "", err
	}
	return writeObject(out, header, profile)
}

func objectHeader(profile io.ReadSeeker) (string, error) {
	if _, err := profile.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	r := NewReader(profile)
	h, err := r.Header()
	switch {
	case err != nil:
		return "", err
	case h.Origin != "":
		return "", fmt.Errorf("the profile has an origin, %q, which stored ones don't have", h.Origin)
	case !isType(h.Type):
		return "", fmt.Errorf("the profile's type is %q, and only time, memory and mixed can be stored", h.Type)
	}
	for _, err := range r.Resources() {
		if e, ok := err.(*format.Error); ok && !e.Recoverable {
			return "", err
		}
	}
	if _, err := profile.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	var length int64
	buf := make([]byte, 32<<10)
	for {
		n, err := profile.Read(buf)
		length += characters(buf[:n])
		if err == io.EOF {
			return fmt.Sprintf("profile %s %d\x00", h.Type, length), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func writeObject(out io.Writer, header string, profile io.ReadSeeker) (sum string, err error) {
	if _, err := profile.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	hash := sha1.New()
	packed := zlib.NewWriter(out)
	both := io.MultiWriter(hash, packed)
	if _, err := io.WriteString(both, header); err != nil {
		return "", err
	}
	if _, err := io.Copy(both, profile); err != nil {
		return "", err
	}
	if err := packed.Close(); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// ObjectPath returns where in a folder of objects, such as .perun/objects, the one of that name is: ab/cdef... It is an
// error if the name is no SHA-1.
func ObjectPath(sum string) (string, error) {
	if b, err := hex.DecodeString(sum); err != nil || len(b) != sha1.Size || strings.ToLower(sum) != sum {
		return "", fmt.Errorf("%q is no name of a stored object: that has 40 hexadecimal digits", sum)
	}
	return sum[:2] + "/" + sum[2:], nil
}

// OpenObject opens the object of that name in a folder of objects. Whoever calls it has to call Close.
func OpenObject(objects fs.FS, sum string) (*Object, error) {
	name, err := ObjectPath(sum)
	if err != nil {
		return nil, err
	}
	f, err := objects.Open(name)
	if err != nil {
		return nil, err
	}
	o, err := NewObject(f, name, sum)
	if err != nil {
		f.Close()
		return nil, err
	}
	o.closer = f
	return o, nil
}

// Objects iterates over the names of the objects in a folder of objects, sorted. Other files, of which Perun keeps some
// there, are passed over.
func Objects(objects fs.FS) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(objects, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				if !yield("", err) {
					return fs.SkipAll
				}
				return nil
			}
			sum := strings.ReplaceAll(name, "/", "")
			if want, err := ObjectPath(sum); err == nil && want == name && !d.IsDir() && !yield(sum, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}

// StoreObject writes the profile into the folder of objects and returns its name. The object is written beside and then
// renamed, so that there is never half of one. See [WriteObject] for the profile.
func StoreObject(dir string, profile io.ReadSeeker) (sum string, err error) {
	header, err := objectHeader(profile)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "tmp-object-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) // nothing is there any more if all went well
	sum, err = writeObject(f, header, profile)
	if err = errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	name := filepath.Join(dir, sum[:2], sum[2:])
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	return sum, os.Rename(f.Name(), name)
}

// Of an input of any kind, these bytes tell what it is.
const objectPrefix = "profile "

// unpack returns a reader of the JSON of an input that may be a stored object, packed or unpacked.
func unpack(in io.Reader, name string, limits format.Limits) (io.Reader, error) {
	prefix := make([]byte, len(objectPrefix))
	var n int
	var err error
	if seeker, ok := in.(io.Seeker); ok && canSeek(seeker) {
		if n, err = io.ReadFull(in, prefix); n > 0 {
			if _, err := seeker.Seek(-int64(n), io.SeekCurrent); err != nil {
				return nil, err
			}
		}
		prefix = prefix[:n]
	} else {
		buffered := bufio.NewReader(in)
		in = buffered
		prefix, err = buffered.Peek(len(objectPrefix))
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return in, nil // who reads it will say so
	}
	switch {
	case string(prefix) == objectPrefix:
		o := &Object{name: name, hash: sha1.New(), packed: bufio.NewReader(in)}
		o.in = o.packed
		return o.readHeader()
	case isPacked(prefix):
		o, err := NewObject(in, name, "")
		if err != nil {
			return nil, err
		}
		o.Limits = limits
		return o, nil
	}
	return in, nil
}

func canSeek(s io.Seeker) bool {
	_, err := s.Seek(0, io.SeekCurrent) // a pipe has the method too, and fails
	return err == nil
}

// isPacked reports whether prefix begins as zlib does.
func isPacked(prefix []byte) bool {
	return len(prefix) >= 2 && prefix[0]&0x0f == 8 && (int(prefix[0])<<8|int(prefix[1]))%31 == 0
}

// isObject reports whether prefix begins as a stored object does, packed or unpacked.
func isObject(prefix []byte) bool {
	if isPacked(prefix) {
		unpacked, err := zlib.NewReader(bytes.NewReader(prefix))
		if err != nil {
			return false
		}
		prefix = make([]byte, len(objectPrefix))
		n, _ := io.ReadFull(unpacked, prefix)
		prefix = prefix[:n]
	}
	return strings.HasPrefix(string(prefix), objectPrefix)
}

// A failing input is one that can't be unpacked.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
