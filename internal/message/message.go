// Package message formats error text that several formats share, and checks pairs before they are
// written.
package message

import (
	"fmt"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// MaxShown is the number of bytes of input text that a message shows.
const MaxShown = 500

// Quote quotes text from the input, and shortens it if it is very long.
func Quote(s string) string {
	if n := shown(s); n < len(s) {
		return fmt.Sprintf("%q...", s[:n])
	}
	return fmt.Sprintf("%q", s)
}

// Shorten returns text from the input, or the beginning of a very long text.
func Shorten(s string) string {
	if n := shown(s); n < len(s) {
		return s[:n] + "..."
	}
	return s
}

// shown returns the number of bytes of a text that a message shows.
func shown(s string) int {
	if len(s) <= MaxShown {
		return len(s)
	}
	n := MaxShown
	for n > MaxShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// Limit returns the message about an input with more than max of something, which is plural, such
// as "bytes of one line".
func Limit(limit string, max int64, what string) string {
	return fmt.Sprintf("%s: more than %d (Limits.%s)", what, max, limit)
}

// A LimitError is the cause of an error about a limit. Its own cause is [format.ErrLimit].
type LimitError string

// Error returns the text.
func (e LimitError) Error() string { return string(e) }

// Unwrap returns format.ErrLimit.
func (e LimitError) Unwrap() error { return format.ErrLimit }

// A SyntaxError is the cause of an error about malformed data. Its own cause is [format.ErrSyntax].
type SyntaxError string

// Error returns the text.
func (e SyntaxError) Error() string { return string(e) }

// Unwrap returns format.ErrSyntax.
func (e SyntaxError) Unwrap() error { return format.ErrSyntax }

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
