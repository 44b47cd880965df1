package perfdata

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/lines"
	"perfdata/internal/opening"
	"perfdata/internal/utf16text"
	"perfdata/perun/object"
)

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
	warning     string   // about how the text is encoded, if that is not plain UTF-8
	prefix      []byte   // of the text, for detectReader; nil if it must be read
}

const utf8Mark = "\ufeff"

// decompress is Decompress, and also returns the rest of the content. It uses the memory of buf.
func decompress(in io.Reader, name string, limits format.Limits, buf []byte) (io.Reader, content, error) {
	const maxCompressions = 2 // one inside the other
	limits = limits.WithDefaults()
	in = opening.Missing(in)
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
			src, warning, err := decode(in, prefix, name)
			c.warning = warning
			if canSeek && warning == "" {
				c.prefix = prefix
			}
			return src, c, err
		case len(c.compression) == maxCompressions:
			slices.Reverse(c.compression)
			message := fmt.Sprintf("compressed more than twice: %s in %s", way, strings.Join(c.compression, " in "))
			return nil, content{}, lines.FileError(name, message, format.ErrUnknown)
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

// decode returns a reader of the text of in, which begins with prefix, and a warning if it is not plain
// UTF-8: most programs require that.
func decode(in io.Reader, prefix []byte, name string) (text io.Reader, warning string, err error) {
	switch {
	case utf16text.Detect(prefix):
		return utf16text.NewReader(in), "the text is UTF-16: want UTF-8, for other programs", nil
	case bytes.HasPrefix(prefix, []byte(utf8Mark)):
		var mark [len(utf8Mark)]byte
		if _, err := io.ReadFull(in, mark[:]); err != nil {
			return nil, "", readError(name, err)
		}
		return in, "the text begins with a byte order mark: want UTF-8 without it, for other programs", nil
	}
	if reason := otherFile(prefix); reason != "" {
		return nil, "", lines.FileError(name, reason, format.ErrUnknown)
	}
	return in, "", nil
}
