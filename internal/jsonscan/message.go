package jsonscan

import (
	"fmt"
	"unicode/utf8"

	"perfdata/internal/message"
)

// RepeatedMessage says that an object has two members of that name.
func RepeatedMessage(name []byte) string {
	return "member " + message.Quote(string(name)) + " is there twice"
}

// FailRepeated fails because the object has the member whose name was read just now twice. It
// returns false.
func (s *Scanner) FailRepeated(name []byte) bool {
	s.Fail(s.NameError(RepeatedMessage(name)))
	return false
}

// ChangedMessage says what EndAgain found.
const ChangedMessage = "the input changed while it was read"

// EndAgain fails unless a value that was passed over and is now read ends here, as it did the
// first time.
func (s *Scanner) EndAgain(end int64) {
	if s.err == nil && s.Offset() != end {
		s.Fail(s.Error(ChangedMessage))
	}
}

// Clip returns a string for a message, shortened if it is very long.
func Clip(s string) string { return ClipBytes([]byte(s)) }

// ClipBytes is Clip for bytes.
func ClipBytes(b []byte) string { return string(appendClipped(nil, b)) }

// maxShown is how many bytes of a string from the input are kept for a path or a message.
const maxShown = 500

// clip returns text, or the beginning of one that is longer than maxShown. It doesn't cut a rune
// or an escape sequence in two.
func clip(text []byte) []byte {
	if len(text) <= maxShown {
		return text
	}
	n := 0
	for n < maxShown {
		step := 1
		if text[n] == '\\' {
			if step = 2; text[n+1] == 'u' {
				step = 6
			}
		}
		if n+step > maxShown {
			break
		}
		n += step
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// describe names the byte or rune that b begins with, for a person.
func describe(b []byte) string {
	switch r, size := utf8.DecodeRune(b); {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("byte 0x%02x, which is no UTF-8", b[0])
	case r == '\ufeff':
		return "a byte order mark"
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf("control character 0x%02x", r)
	default:
		return fmt.Sprintf("%q", r)
	}
}
