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

// sniffBytes is how much of an input Detect is shown at first. Where that ends within a line, and
// no format is recognized, Detect is shown that line to its end, or up to maxSniffedLine, and
// sniffBytes more.
const (
	sniffBytes     = 64 << 10
	maxSniffedLine = 4 << 20
)

// maxCompressions is how often an input may be compressed.
const maxCompressions = 2

// Detect returns the format of an input that begins with prefix. Some kilobytes are enough for
// most files, and 64 KiB for all whose header is short. It goes by what only one format has, and
// doesn't guess.
func Detect(prefix []byte) (format.Info, bool) {
	for _, info := range Formats() {
		if info.Sniff(prefix) {
			return info, true
		}
	}
	return format.Info{}, false
}

// DetectReader returns the format of an input that isn't compressed, and a reader of all of it:
// in itself, back at where it was, if it can seek. A line of up to 4 MiB doesn't hide what
// follows it. The name is for the error, whose cause is [format.ErrUnknown] if the format isn't
// recognized; it says why.
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

// A typed input knows the type of the profile that it holds, as a stored object does. Who reads
// the profile's header has it compared.
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

// Decompress returns a reader of what an input holds, and how that is compressed, outermost
// first: gzip, zstd or zlib, which are recognised by their first bytes, and at most two of them,
// one in the other. If what they hold is a stored object of Perun, the reader is one of its
// profile. If the input isn't compressed, the reader is in itself, back at where it was, if it
// can seek.
//
// A fault of compressed data is an error of the reader, and so is more data than
// limits.MaxDecompressedBytes at any level, or than limits.MaxCompressionRatio times the
// compressed bytes of in itself; data that is cut off is an [io.ErrUnexpectedEOF]. The format's
// Reader makes a [format.Error] of each. The name is for the errors of Decompress, which are of
// that type too.
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

// peek returns the beginning of an input, and a reader of all of it. An error of the input is
// returned, and the reader has it again where it belongs.
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

// seekable returns where an input is that can seek. A pipe has the method too, and fails.
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
