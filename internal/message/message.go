// Package message words what the formats' errors have in common.
package message

import (
	"fmt"
	"unicode/utf8"
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
