package perfdata

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/source"
	"perfdata/internal/utf16text"
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

// Detect returns the format of an input that begins with prefix, in UTF-8 without a byte order
// mark. Some kilobytes are enough for most files, and 64 KiB for all files with a short header.
// Detect requires what only one format has, and does not guess.
func Detect(prefix []byte) (format.Format, bool) {
	// A log may mix keyvals and benchmark results. Its first line decides, because the first line
	// of a stream may arrive long before the others.
	if first := firstLine(prefix); len(first) > 0 && first[0] != '{' && first[0] != '[' {
		if f, ok := detect(first); ok {
			return f, true
		}
	}
	return detect(prefix)
}

func detect(text []byte) (format.Format, bool) {
	for i := range known {
		if f := &known[i]; f.Detect != nil && f.Detect(text).Yes {
			return *f, true
		}
	}
	return format.Format{}, false
}

// detectReader returns the format of an input with the given content, both as decompress returned
// them. It also returns a reader of the whole input: in itself, at its present offset, if in is
// seekable.
//
// Lines of benchmark results and keyvals are recognized as they arrive: of a stream, detectReader
// reads no further than the first such line. A line of up to 4 MiB does not hide the lines after
// it. The name is for the error, whose cause is [format.ErrUnknown] if no format is recognized. It
// says why.
func detectReader(in io.Reader, name string, c content) (format.Format, io.Reader, error) {
	var err error
	prefix, whole := c.prefix, in
	if prefix == nil {
		var lines lineSniffer
		prefix, whole, err = peek(in, lines.enough, nil)
	}

	info, ok := Detect(prefix)
	if !ok && err == nil && len(prefix) == sniffBytes {
		prefix, whole, err = peekLong(whole)
		info, ok = Detect(prefix)
	}
	if ok {
		return info, keepType(in, whole), nil
	}
	if err != nil {
		return format.Format{}, nil, readError(name, err)
	}
	return format.Format{}, nil, beginningError(name, whyUnknown(prefix), format.ErrUnknown)
}

// A lineSniffer looks for a line that decides the format of an input, whatever comes after it. It
// looks at each byte once, because a stream may arrive byte by byte.
type lineSniffer struct {
	searched int // bytes that were searched for a line end
	seen     int // bytes of the lines that do not decide
	began    bool
	document bool // the input is a JSON document of several lines, not events of go test -json
}

// enough reports whether the lines in prefix, which is longer with each call, decide.
func (s *lineSniffer) enough(prefix []byte) bool {
	i := bytes.LastIndexByte(prefix[s.searched:], '\n')
	end := s.searched + i + 1
	s.searched = len(prefix)
	if i < 0 || s.document {
		return false
	}

	lines := prefix[s.seen:end]
	s.seen = end
	if !s.began {
		first := firstLine(lines)
		if len(first) == 0 {
			return false
		}
		s.began = true
		if s.document = first[0] == '{' && first[len(first)-1] != '}'; s.document {
			return false
		}
		if _, ok := Detect(first); ok {
			return true
		}
	}
	for i := range known {
		if f := &known[i]; f.AnyLine && f.Detect(lines).Yes {
			return true
		}
	}
	return false
}

// firstLine returns the first line of text that is not blank, without white space around it.
func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return bytes.TrimRight(line, " \t\r")
}

// A typed input knows the type of the profile that it holds, as a stored object does. The Reader
// of the profile compares it with the type in the header.
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

// Decompress returns a reader of the contents of an input, and how they are compressed, outermost
// first: gzip, zstd or zlib, which are recognized by their first bytes, and at most two of them,
// one in the other. The reader of a stored object of Perun reads its profile. If the input is not
// compressed, the reader is in itself, at its present offset, if in is seekable.
//
// Decompress also decodes text that begins with a byte order mark: UTF-16 becomes UTF-8, and the
// mark of UTF-8 is skipped. Offsets in errors and records are offsets in the decompressed and
// decoded text.
//
// The reader returns an error for invalid compressed data, for invalid UTF-16, for more data than
// limits.MaxDecompressedBytes at any level, and for more than limits.MaxCompressionRatio times the
// compressed size of in. For truncated data, it returns [io.ErrUnexpectedEOF]. The format's Reader
// makes a [format.Error] of each. Decompress itself returns a [*format.Error] with the given name,
// for example about data that only other programs decompress; its cause is then
// [format.ErrUnknown].
func Decompress(in io.Reader, name string, limits format.Limits) (io.Reader, []string, error) {
	src, c, err := decompress(in, name, limits, nil)
	return src, c.compression, err
}

// A content is what decompress finds out about an input, except for its text.
type content struct {
	compression []string // such as "gzip", outermost first
	encoding    encoding
	prefix      []byte // of the text, for detectReader; nil if it must be read
}

// An encoding is how the text of an input is encoded, if it is not plain UTF-8.
type encoding int

const (
	plain encoding = iota
	markedUTF8
	markedUTF16
)

const utf8Mark = "\ufeff"

// decompress is Decompress, and also returns the rest of the content. It uses the memory of buf.
func decompress(in io.Reader, name string, limits format.Limits, buf []byte) (io.Reader, content, error) {
	limits = limits.WithDefaults()
	in = source.Missing(in)
	var c content
	var outermost *compressed.Reader
	for {
		prefix, whole, err := peek(in, isEnough, buf)
		if err != nil && len(prefix) == 0 {
			return nil, content{}, readError(name, err)
		}
		in = whole

		way := compressed.Detect(prefix)
		switch {
		case way == compressed.None && object.Detect(prefix):
			profile, err := object.NewReader(in, name, limits)
			if err != nil {
				return nil, content{}, err
			}
			return profile, c, nil

		case way == compressed.None:
			_, canSeek := in.(io.Seeker)
			canSeek = canSeek && err == nil // all of the prefix was read
			src, encoding, err := decode(in, prefix, name)
			c.encoding = encoding
			if canSeek && encoding == plain {
				c.prefix = prefix
			}
			return src, c, err
		case len(c.compression) == maxCompressions:
			nested := strings.Join(reversed(c.compression), " in ")
			message := fmt.Sprintf("compressed more than twice: %s in %s", way, nested)
			return nil, content{}, beginningError(name, message, format.ErrUnknown)
		}

		r, err := compressed.NewReader(in, way, limits, outermost)
		if err != nil {
			return nil, content{}, readError(name, err)
		}
		if outermost == nil {
			outermost = r
		}
		in = r
		c.compression = append(c.compression, way)
	}
}

// isEnough reports whether enough has arrived of an input to see how it is compressed and encoded.
func isEnough(prefix []byte) bool {
	const longestMagic = 10 // of otherFiles; none has a line end
	if len(prefix) < longestMagic && prefix[0] != '{' && bytes.IndexByte(prefix, '\n') < 0 {
		return false
	}
	mayBeObject := len(prefix) < 100 && bytes.HasPrefix(prefix, []byte("profile ")) // see object.Detect
	return !mayBeObject && !compressed.Undecided(prefix)
}

// decode returns a reader of the text of in, which begins with prefix, and how it is encoded.
func decode(in io.Reader, prefix []byte, name string) (io.Reader, encoding, error) {
	switch {
	case utf16text.Detect(prefix):
		return utf16text.NewReader(in), markedUTF16, nil
	case bytes.HasPrefix(prefix, []byte(utf8Mark)):
		var mark [len(utf8Mark)]byte
		if _, err := io.ReadFull(in, mark[:]); err != nil {
			return nil, plain, readError(name, err)
		}
		return in, markedUTF8, nil
	}
	if reason := otherFile(prefix); reason != "" {
		return nil, plain, beginningError(name, reason, format.ErrUnknown)
	}
	return in, plain, nil
}

func reversed(s []string) []string {
	r := make([]string, 0, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		r = append(r, s[i])
	}
	return r
}

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
	if seeker, start, ok := seekable(in); ok {
		never := func([]byte) bool { return false }
		prefix, err = readPrefix(in, never, buf)
		return seekBack(in, seeker, start, prefix, noEOF(err))
	}

	prefix, err = readPrefix(in, enough, nil)
	if err != nil {
		return prefix, again(prefix, err), noEOF(err)
	}
	return prefix, io.MultiReader(bytes.NewReader(prefix), in), nil
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

// peekLong is peek for an input in which the first sniffBytes may end within a line.
func peekLong(in io.Reader) (prefix []byte, whole io.Reader, err error) {
	seeker, start, canSeek := seekable(in)
	prefix, err = readLong(in)
	switch {
	case canSeek:
		return seekBack(in, seeker, start, prefix, noEOF(err))
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

// seekable returns the offset of a seekable input. A pipe has the method too, which fails.
func seekable(in io.Reader) (seeker io.Seeker, start int64, ok bool) {
	seeker, ok = in.(io.Seeker)
	if !ok {
		return nil, 0, false
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	return seeker, start, err == nil
}

// seekBack goes back in a seekable input after its prefix was read, and returns the results of
// peek. If it cannot go back, what it read is lost.
func seekBack(
	in io.Reader, seeker io.Seeker, start int64, prefix []byte, err error,
) ([]byte, io.Reader, error) {
	if _, err := seeker.Seek(start, io.SeekStart); err != nil {
		return nil, nil, err
	}
	return prefix, in, err
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
