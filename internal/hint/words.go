// Package hint suggests corrections of words and queries, in errors of the tool and of the
// service.
package hint

import (
	"fmt"
	"strings"
)

// DidYouMean returns the end of an error about an unknown word, such as "; did you mean test?". It
// is empty if no known word is similar.
func DidYouMean(word string, known []string) string {
	if best := Similar(word, known); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}

// DidYouMeanOr is DidYouMean that lists the known words, called by a plural, if none is similar.
func DidYouMeanOr(word string, known []string, plural string) string {
	const most = 10
	switch hint := DidYouMean(word, known); {
	case hint != "" || len(known) == 0:
		return hint
	case len(known) > most:
		return fmt.Sprintf("; the %s are %s and others", plural, strings.Join(known[:most], ", "))
	}
	return fmt.Sprintf("; the %s are %s", plural, strings.Join(known, ", "))
}

// Similar returns the known word that is most similar to a word, or else that begins with it.
func Similar(word string, known []string) string {
	best, fewest := "", maxEdits+1
	lower := strings.ToLower(word)
	for _, k := range known {
		if n := edits(lower, strings.ToLower(k)); n < fewest && n <= len(k)/3 {
			best, fewest = k, n
		}
	}
	for _, k := range known {
		if best == "" && len(word) > 1 && strings.HasPrefix(strings.ToLower(k), lower) {
			best = k
		}
	}
	return best
}

// maxEdits is the number of edits up to which words are similar, if at most a third of the word
// changes.
const maxEdits = 2

// edits returns how many insertions, deletions, replacements and swaps of neighbors make b of a, in
// bytes. It is more than maxEdits if the lengths differ by more.
func edits(a, b string) int {
	if len(a)-len(b) > maxEdits || len(b)-len(a) > maxEdits {
		return maxEdits + 1
	}
	previous, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], previous[j-1]+1)
			}
		}
		previous, row, next = row, next, previous
	}
	return row[len(b)]
}
