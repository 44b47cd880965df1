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
		i := s.pos + n
		if i = chars.PlainLen(s.buf, i); i >= len(s.buf) {
			n = i - s.pos
			if !s.fill() {
				s.failAt(len(s.buf), "the end of the string")
				return nil, false
			}
			continue
		}

		c := s.buf[i]
		n = i - s.pos + 1
		switch {
		case c == '"':
			return s.finishText(n, escaped, ascii)
		case c == '\\':
			escaped = true
			m, ok := s.scanEscape(n)
			if !ok {
				return nil, false
			}
			n += m

		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ':
			s.fail(i, fmt.Sprintf("a string holds control character 0x%02x, which JSON wants escaped", c),
				format.ErrSyntax)
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
		i := s.pos + 1
		for {
			r, size := utf8.DecodeRune(s.buf[i:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			i += size
		}
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

// scanEscape checks the escape sequence that goes on at s.pos+n, after its backslash, and returns
// its length from there.
func (s *Scanner) scanEscape(n int) (int, bool) {
	for want := 1; ; {
		for len(s.buf)-s.pos < n+want {
			if !s.fill() {
				s.failAt(len(s.buf), "the rest of an escape sequence")
				return 0, false
			}
		}

		rest := s.buf[s.pos+n:]
		switch rest[0] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return 1, true
		case 'u':
			if want < 5 {
				// Digit by digit, so that a wrong one is reported where it is, and not a missing
				// one after it.
				if want > 1 && hexDigit(rest[want-1]) < 0 {
					s.failAt(s.pos+n+want-1, "a hexadecimal digit")
					return 0, false
				}
				want++
				continue
			}
			if hexDigit(rest[4]) < 0 {
				s.failAt(s.pos+n+4, "a hexadecimal digit")
				return 0, false
			}
			return 5, true

		default:
			s.failAt(s.pos+n, `one of "\/bfnrtu after a backslash`)
			return 0, false
		}
	}
}

func hexDigit(c byte) rune {
	if c >= 'A' {
		c |= 'a' - 'A'
	}
	return rune(strings.IndexByte("0123456789abcdef", c))
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
func unhex(b []byte) rune {
	return hexDigit(b[0])<<12 | hexDigit(b[1])<<8 | hexDigit(b[2])<<4 | hexDigit(b[3])
}
