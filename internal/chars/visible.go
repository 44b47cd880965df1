package chars

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns s with each control character (C0, DEL and C1), each character that controls the
// direction or the lines of text, and each invalid UTF-8 byte replaced by its Go escape: \n, \x1b,
// \u202e. All other text, including backslashes, stays the same. So the result may be ambiguous,
// but it is harmless.
func Visible(s string) string {
	i := strings.IndexFunc(s, IsHidden)
	if i < 0 {
		return s
	}
	dst := append(make([]byte, 0, len(s)+16), s[:i]...)
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size > 1, !IsHidden(r): // U+FFFD itself is harmless
			dst = append(dst, s[i:i+size]...)
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)

		case size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, s[i])
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		i += size
	}
	return string(dst)
}

// IsHidden reports whether Visible replaces the character. It returns true for utf8.RuneError,
// which may represent an invalid UTF-8 byte.
func IsHidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f, // C0, DEL, C1
		r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // direction
		r == 0x2028, r == 0x2029: // line and paragraph separators
		return true
	}
	return r == utf8.RuneError
}

// InvalidUTF8 returns the index of the first byte of a line that is not valid UTF-8, or the length
// of a valid line.
func InvalidUTF8(line []byte) int {
	for i, c := range string(line) {
		if c == utf8.RuneError && !bytes.HasPrefix(line[i:], []byte("\ufffd")) {
			return i
		}
	}
	return len(line)
}
