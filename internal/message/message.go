// Package message words what the formats' errors have in common, and finds what all of them refuse to write.
package message

import (
	"fmt"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/traceid"
)

// maxShown is how many bytes of a text from the input a message shows.
const maxShown = 500

// Quote quotes a text for a message, and shortens it if it is very long.
func Quote(s string) string {
	if len(s) <= maxShown {
		return fmt.Sprintf("%q", s)
	}
	n := maxShown
	for n > maxShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%q...", s[:n])
}

// Limit says that an input has too many of something.
func Limit(limit string, max int64, what string) string {
	return fmt.Sprintf("%s: more than %d (Limits.%s)", what, max, limit)
}

// A LimitError is the cause of an error about a limit. Its own cause is [format.ErrLimit].
type LimitError string

// Error returns the text.
func (e LimitError) Error() string { return string(e) }

// Unwrap returns format.ErrLimit.
func (e LimitError) Unwrap() error { return format.ErrLimit }

// CheckPairs returns what is wrong with params, links or attrs that are to be written, if anything is.
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
