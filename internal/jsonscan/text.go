package jsonscan

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
)

// Text reads the string ahead and returns its text, without escape sequences. The bytes are valid
// until the next call.
func (s *Scanner) Text() ([]byte, bool) {
	if !s.at('"') && s.next() != '"' {
		s.failAhead("a string")
		return nil, false
	}
	return s.scanText()
}

// scanText reads the string that begins at s.pos.
func (s *Scanner) scanText() ([]byte, bool) {
	// Plain text needs only a check of its end: it is ASCII without escape sequences.
	buf, start := s.buf, s.pos+1
	i := chars.PlainLen(buf, start)
	if i >= len(buf) || buf[i] != '"' || i-start > s.limits.MaxStringBytes {
		return s.scanAnyText(i - s.pos)
	}
	s.tokenStart = s.pos
	s.pos = i + 1
	return buf[start:i], true
}

// scanAnyText is the slow path of scanText. The first n bytes of the string, including its quote,
// are plain.
func (s *Scanner) scanAnyText(n int) ([]byte, bool) {
	escaped, ascii := false, true
	for {
		i, someEscaped, allASCII := chars.JSONText(s.buf, s.pos+n)
		escaped, ascii = escaped || someEscaped, ascii && allASCII
		n = i - s.pos
		expected := "the end of the string"
		switch {
		case i == len(s.buf):
		case s.buf[i] == '"':
			return s.finishText(n+1, escaped, ascii)
		case s.buf[i] != '\\':
			s.fail(i, fmt.Sprintf("a string holds control character 0x%02x, which JSON wants escaped", s.buf[i]),
				format.ErrSyntax)
			return nil, false

		default:
			m, _ := chars.EscapeLen(s.buf[i:])
			if i += m; i == len(s.buf) {
				expected = "the rest of an escape sequence"
				break
			}
			if expected = "a hexadecimal digit"; m == 1 {
				expected = `one of "\/bfnrtu after a backslash`
			}
			s.failAt(i, expected)
			return nil, false
		}

		if !s.fill() {
			s.failAt(len(s.buf), expected)
			return nil, false
		}
	}
}

// finishText returns the string whose n bytes, with its quotes, begin at s.pos.
func (s *Scanner) finishText(n int, escaped, ascii bool) ([]byte, bool) {
	// The string is in the window as a whole: fill keeps the bytes after pos. So it is checked,
	// and decoded, in one piece, and no rune or escape sequence is cut in two.
	text := s.buf[s.pos+1 : s.pos+n-1]
	if len(text) > s.limits.MaxStringBytes {
		s.failLimit("MaxStringBytes", int64(s.limits.MaxStringBytes), "bytes of one string")
		return nil, false
	}

	if !ascii && !utf8.Valid(text) {
		i := s.pos + 1 + chars.InvalidUTF8(text)
		s.fail(i, fmt.Sprintf("a string holds byte 0x%02x, which is not valid UTF-8", s.buf[i]), format.ErrSyntax)
		return nil, false
	}

	s.tokenStart = s.pos
	s.pos += n
	if escaped {
		s.text = AppendUnescaped(s.text[:0], text)
		return s.text, true
	}
	return text, true
}

// AppendUnescaped appends the text of a string. Raw is the text between its quotes, and is well
// formed.
func AppendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			return append(dst, raw[i:]...)
		}
		dst = append(dst, raw[i:i+n]...)
		i += n + 1

		switch c := raw[i]; c {
		case 'u':
			r := unhex(raw[i+1:])
			i += 4
			// A surrogate without its other half becomes U+FFFD, and the text after it is read as
			// usual.
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					pair = utf16.DecodeRune(r, unhex(raw[i+3:]))
				}
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)

		default:
			if k := strings.IndexByte("bfnrt", c); k >= 0 {
				c = "\b\f\n\r\t"[k]
			}
			dst = append(dst, c)
		}
	}
	return dst
}

// unhex returns the rune that the four hexadecimal digits at the start of b encode.
func unhex(b []byte) (r rune) {
	for _, c := range b[:4] {
		r = r<<4 | rune(c&0xf+c>>6*9) // '1' is 0x31, 'A' is 0x41, and 'a' is 0x61
	}
	return r
}
