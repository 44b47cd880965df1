package perfdata

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/lines"
	"perfdata/internal/utf16text"
)

// otherFiles are common files that are not results, by their magic bytes.
var otherFiles = [...]struct{ magic, reason string }{
	{"\xfd7zXZ\x00", "xz data: want it decompressed, with xz -d"},
	{"\x04\x22\x4d\x18", "lz4 data: want it decompressed, with lz4 -d"},
	{"PK\x03\x04", "a ZIP archive: want the files in it"},
	{"PAR1", "a Parquet file: only the commands of perfdata read it, and only as a file"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: want the files in it"},
	{"\xff\xfe\x00\x00", "the input is UTF-32: want UTF-8"},
	{"\x00\x00\xfe\xff", "the input is UTF-32: want UTF-8"},
}

// otherFile returns why an input that begins with prefix cannot be read, or the empty string.
func otherFile(prefix []byte) string {
	for _, other := range otherFiles {
		if bytes.HasPrefix(prefix, []byte(other.magic)) {
			return other.reason
		}
	}
	// Between the two parts is a digit: the size of the blocks.
	if len(prefix) >= 10 && string(prefix[:3]) == "BZh" && string(prefix[4:10]) == "1AY&SY" {
		return "bzip2 data: want it decompressed, with bzip2 -d"
	}
	// The magic of a tar archive follows the name, mode, owner, size and checksum of its first file.
	if len(prefix) >= tarMagicAt+5 && string(prefix[tarMagicAt:tarMagicAt+5]) == "ustar" {
		return "a tar archive: want the files in it"
	}
	return ""
}

// tarMagicAt is the offset of "ustar" in a tar archive.
const tarMagicAt = 257

// whyUnknown returns the reason why no format is recognized in an input that begins with prefix.
// The reason begins with "unknown format: " if the input may nevertheless have a known one.
func whyUnknown(prefix []byte) string {
	if reason := otherFile(prefix); reason != "" {
		return reason
	}

	text := bytes.TrimSpace(prefix)
	switch {
	case len(prefix) == 0:
		return "the input is empty"
	case len(text) == 0:
		return "the input is blank"
	case utf16text.Detect(prefix):
		return lines.ErrUTF16.Error()
	case isUnmarkedUTF16(prefix):
		return "the input is UTF-16 without a byte order mark: want UTF-8"
	case !isText(text):
		return "the input is not text"
	case isHTML(text):
		return "an HTML page: want a file of results"
	case text[0] != '{' && text[0] != '[' && len(prefix)-bytes.LastIndexByte(prefix, '\n') > maxSniffedLine:
		return fmt.Sprintf("unknown format: line %d is longer than %d MiB, and the lines after it are not looked at",
			bytes.Count(prefix, []byte("\n"))+1, maxSniffedLine>>20)
	}

	if reason := unread(text, text[0]); reason != "" {
		return reason
	}
	return "unknown format: " + likeliest(prefix, text[0])
}

// likeliest returns why the format that an input is most like does not recognize it. The text begins
// with the byte first.
func likeliest(prefix []byte, first byte) string {
	var best format.Match
	for _, f := range known {
		if f.Detect != nil {
			if m := f.Detect(prefix); m.Likely > best.Likely {
				best = m
			}
		}
	}
	switch {
	case best.Reason != "":
		return best.Reason
	case first == '{':
		if fault := syntaxError(prefix); fault != nil {
			return fmt.Sprintf("invalid JSON in line %d, column %d: %s", fault.Line, fault.Column, fault.Message)
		}
		return "a JSON object without any known member, such as version, gitHash or resources"
	case first == '[':
		return "a JSON array whose elements are of no known format"
	}
	return "no line is a benchmark result or a keyval"
}

// syntaxError returns the first error in the JSON object that a prefix of a document begins with.
func syntaxError(prefix []byte) *format.Error {
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	for range s.Glance() {
		// The error, if there is one, ends the loop.
	}
	return jsondoc.SyntaxError(s)
}

// isUnmarkedUTF16 reports whether every other byte is zero, and no other is: text in UTF-16 whose
// characters are all of ASCII.
func isUnmarkedUTF16(prefix []byte) bool {
	var zeros [2]int
	for i, c := range prefix {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(prefix) / 2
	return half > 1 && (zeros == [2]int{0, half} || zeros == [2]int{(len(prefix) + 1) / 2, 0})
}

// isHTML reports whether a text begins like a page of HTML. Servers send one in place of a file.
func isHTML(text []byte) bool {
	start := bytes.ToLower(text[:min(len(text), len("<!doctype html"))])
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// escape begins a color code of a terminal. Logs may have color codes.
const escape = 0x1b

// isText reports whether a text has no control characters except usual ones. Its last character
// may be incomplete.
func isText(text []byte) bool {
	if i := lines.InvalidUTF8(text); utf8.FullRune(text[i:]) {
		return false
	}
	return !bytes.ContainsFunc(text, func(c rune) bool { return c < '\b' || '\r' < c && c < ' ' && c != escape })
}
