// Package message formats error text that several formats share, and checks pairs before they are
// written.
package message

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// MaxShown is the number of bytes of input text that a message shows.
const MaxShown = 500

// Quote quotes text from the input, and shortens it if it is very long.
func Quote(s string) string {
	text, more := clip(s, MaxShown)
	return strconv.Quote(text) + more
}

// Shorten returns text from the input, or the beginning of a very long text.
func Shorten(s string) string { return Clip(s, MaxShown) }

// Clip returns a text, or the beginning of one that is longer than most bytes.
func Clip(s string, most int) string {
	text, more := clip(s, most)
	return text + more
}

// AppendShort appends what Shorten returns of a text.
func AppendShort(dst, s []byte) []byte {
	text, more := clip(s, MaxShown)
	return append(append(dst, text...), more...)
}

// clip returns as much of a text as Clip does, and what says that there is more.
func clip[Text ~string | ~[]byte](s Text, most int) (text Text, more string) {
	if len(s) <= most {
		return s, ""
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], "..."
}

// Limit returns the message about an input with more than max of something, which is plural, such
// as "bytes of one line".
func Limit(limit string, max int64, what string) string {
	return fmt.Sprintf("%s: more than %d (Limits.%s)", what, max, limit)
}

// LimitError returns the cause of an error about a limit. Its own cause is [format.ErrLimit].
func LimitError(text string) error { return fault{text, format.ErrLimit} }

// SyntaxError returns the cause of an error about malformed data. Its own cause is [format.ErrSyntax].
func SyntaxError(text string) error { return fault{text, format.ErrSyntax} }

// A fault is an error with a text of its own.
type fault struct {
	text  string
	cause error
}

func (f fault) Error() string { return f.text }
func (f fault) Unwrap() error { return f.cause }

// CheckPairs returns an error if params, links or attrs cannot be written: if they are not sorted,
// repeat a key, or are not valid UTF-8.
func CheckPairs(pairs traceid.Params) error {
	if err := pairs.CheckSorted(); err != nil {
		return err
	}
	for _, p := range pairs {
		if !utf8.ValidString(p.Key) || !utf8.ValidString(p.Value) {
			return fmt.Errorf("%q: %q is not UTF-8", p.Key, p.Value)
		}
	}
	return nil
}

// Plural returns a number and a noun, such as "1 error" or "2 errors".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
