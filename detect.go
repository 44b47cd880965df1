package perfdata

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/perun/object"
)

// sniffBytes is the length of the prefix that Detect gets first. If Detect recognizes no format and
// the prefix ends within a line, it gets a longer prefix: with the rest of the line, up to
// maxSniffedLine, and sniffBytes more.
const (
	sniffBytes     = 64 << 10
	maxSniffedLine = 4 << 20
)

// maxCompressions is the largest number of compressions, one inside the other.
const maxCompressions = 2

// Detect returns the format of an input that begins with prefix. A few kilobytes are enough for
// most files, and 64 KiB for all files with a short header. Detect does not guess: it looks for
// features that only one format has.
func Detect(prefix []byte) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Sniff(prefix) {
			return info, true
		}
	}
	return format.Info{}, false
}

// DetectReader returns the format of an uncompressed input, and a reader of the whole input. If
// in can seek, that reader is in itself, at the position that it had. DetectReader looks beyond a
// first line of up to 4 MiB. If it does not recognize the format, it returns an error with the
// cause [format.ErrUnknown], which gives the reason. The name is for errors.
func DetectReader(in io.Reader, name string) (format.Info, io.Reader, error) {
	prefix, whole, err := peek(in)
	info, ok := Detect(prefix)
	if !ok && err == nil && len(prefix) == sniffBytes {
		prefix, whole, err = peekLong(whole)
		info, ok = Detect(prefix)
	}
	if ok {
		return info, keepType(in, whole), nil
	}
	if err != nil {
		return format.Info{}, nil, readError(name, err)
	}
	return format.Info{}, nil, errorOf(name, "unknown format: "+whyUnknown(prefix), format.ErrUnknown)
}

// A typed input knows the type of the profile that it holds, as a stored object does. The reader of
// the profile calls CheckType with the type in its header.
type typed interface{ CheckType(ofProfile string) error }

// keepType returns whole, which reads all of in, as a typed input if in is one.
func keepType(in, whole io.Reader) io.Reader {
	if t, ok := in.(typed); ok {
		return struct {
			io.Reader
			typed
		}{whole, t}
	}
	return whole
}

// Decompress returns a reader of the decompressed input, and the names of its compressions, the
// outermost first: gzip, zstd or zlib, at most two of them. It recognizes them by their first
// bytes. For a stored object of Perun, the reader yields the profile in it. If the input is not
// compressed and can seek, the reader is in itself, at the position that it had.
//
// The reader returns an error for invalid compressed data, for more data than
// limits.MaxDecompressedBytes at any level, and for more than limits.MaxCompressionRatio times the
// compressed size of in. For truncated data, it returns [io.ErrUnexpectedEOF]. The format's Reader
// makes a [format.Error] of each. The errors of Decompress have that type too. The name is for
// errors.
func Decompress(in io.Reader, name string, limits format.Limits) (io.Reader, []string, error) {
	limits = limits.WithDefaults()
	var ways []string
	var outermost *compressed.Reader
	for {
		prefix, whole, err := peek(in)
		if err != nil && len(prefix) == 0 {
			return nil, nil, readError(name, err)
		}
		in = whole

		way := compressed.Detect(prefix)
		switch {
		case way == compressed.None && object.Detect(prefix):
			profile, err := object.NewReader(in, name, limits)
			if err != nil {
				return nil, nil, err
			}
			return profile, ways, nil
		case way == compressed.None:
			return in, ways, nil
		case len(ways) == maxCompressions:
			chain := fmt.Sprintf("%s in %s", way, strings.Join(reversed(ways), " in "))
			return nil, nil, errorOf(name, "it is compressed more than twice: "+chain, nil)
		}

		r, err := compressed.NewReader(in, way, limits, outermost)
		if err != nil {
			return nil, nil, readError(name, err)
		}
		if outermost == nil {
			outermost = r
		}
		in = r
		ways = append(ways, way)
	}
}

func reversed(s []string) []string {
	r := make([]string, 0, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		r = append(r, s[i])
	}
	return r
}

func readError(name string, err error) error {
	return errorOf(name, "reading failed: "+err.Error(), err)
}

// errorOf returns an error about an input as a whole.
func errorOf(name, message string, cause error) error {
	return &format.Error{
		Name:     name,
		Position: format.Position{Line: 1, Column: 1},
		Message:  message,
		Err:      cause,
	}
}

// peek returns the beginning of an input, and a reader of the whole input. It returns an error of
// the input, which the reader also returns, after the data before it.
func peek(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	if seeker, start, ok := seekable(in); ok {
		prefix, err = io.ReadAll(io.LimitReader(in, sniffBytes))
		return prefix, in, cmp.Or(err, seekBack(seeker, start))
	}
	buffered := bufio.NewReaderSize(in, sniffBytes)
	prefix, err = buffered.Peek(sniffBytes)
	if err == nil {
		return prefix, buffered, nil
	}
	return prefix, again(prefix, err), noEOF(err)
}

// peekLong is peek for an input in which the first sniffBytes may end within a line.
func peekLong(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	seeker, start, canSeek := seekable(in)
	prefix, err = readLong(in)
	switch {
	case canSeek:
		return prefix, in, cmp.Or(noEOF(err), seekBack(seeker, start))
	case err == nil:
		return prefix, io.MultiReader(bytes.NewReader(prefix), in), nil
	}
	return prefix, again(prefix, err), noEOF(err)
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

// seekable returns the position of an input, if it can seek. The Seek method of a pipe fails.
func seekable(in io.Reader) (seeker io.Seeker, start int64, ok bool) {
	seeker, ok = in.(io.Seeker)
	if !ok {
		return nil, 0, false
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	return seeker, start, err == nil
}

func seekBack(seeker io.Seeker, start int64) error {
	_, err := seeker.Seek(start, io.SeekStart)
	return err
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
