// Package hint suggests corrections of words and queries, in errors of the tool and of the
// service.
package hint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"perfdata/traceid"
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
	isBegun := func(k string) bool { return len(word) > 1 && strings.HasPrefix(strings.ToLower(k), lower) }
	if i := slices.IndexFunc(known, isBegun); best == "" && i >= 0 {
		return known[i]
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

// ParseQuery parses a query. A term that looks like another query language, and would be taken for
// a text that no trace ID has, is an error that suggests the right syntax.
func ParseQuery(text string) (*traceid.Query, error) {
	if strings.Contains(text, ";") {
		return nil, fmt.Errorf("query %q: terms are joined by &, not by ;", text)
	}
	for _, term := range strings.Split(text, "&") {
		if reason := explainTerm(term); reason != "" {
			return nil, fmt.Errorf("query term %q: %s", term, reason)
		}
	}
	return traceid.ParseQuery(text)
}

// explainTerm explains the mistake in a term, such as stat!=min, or the empty string.
func explainTerm(term string) string {
	bare := strings.TrimSpace(term)
	// The operators of other languages, longest first, and ours. Numbers are not compared.
	for _, op := range []struct{ theirs, ours string }{
		{"!=~", "=!~"}, {"!~", "=!~"}, {"!=", "=!"}, {"<>", "=!"}, {"==", "="}, {":=", "="}, {"~=", "=~"},
		{"<=", ""}, {">=", ""}, {"<", ""}, {">", ""}, {"~", "=~"}, {":", "="},
	} {
		key, value, ok := strings.Cut(bare, op.theirs)
		if !ok || strings.Contains(key, "=") || op.theirs == ":" && strings.Contains(value, "=") {
			continue
		}
		if op.ours == "" {
			return "queries do not compare numbers: want key=value or key=~regexp"
		}
		return meant(strings.TrimSpace(key) + op.ours + strings.TrimSpace(value))
	}

	key, value, ok := strings.Cut(bare, "=")
	switch bareKey, bareValue := strings.TrimSpace(key), strings.TrimSpace(value); {
	case bare == "":
		return ""
	case !ok:
		return meant(bare + "=*")
	case strings.HasPrefix(bareKey, "!"):
		return meant(strings.TrimSpace(bareKey[1:]) + "=!" + bareValue)
	case term != bare || key != bareKey || value != bareValue:
		return "blanks around a key or value: " + meant(bareKey+"="+bareValue)
	}
	return explainValue(key, value)
}

// explainValue explains the mistake in the value of a term, such as draw_*, or the empty string.
func explainValue(key, value string) string {
	text, excluded := strings.CutPrefix(value, "!")
	not := value[:len(value)-len(text)]
	switch {
	case strings.HasPrefix(text, "~") || value == "*":
		return ""
	case text == "*":
		return meant(key + "=!~.")
	case strings.Contains(text, "*"):
		return meant(key + "=" + not + "~^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$")
	}

	for _, separator := range []string{",", " and ", " AND ", " "} {
		if first, rest, ok := strings.Cut(value, separator); ok && strings.Contains(rest, "=") {
			return meant(key + "=" + first + "&" + strings.TrimSpace(rest))
		}
	}
	if first, rest, ok := strings.Cut(value, "|"); ok && !excluded {
		return meant(key + "=" + first + "&" + key + "=" + strings.ReplaceAll(rest, "|", "&"+key+"="))
	}
	return ""
}

// meant returns the end of an error about a term that no trace ID matches.
func meant(likely string) string { return "did you mean " + likely + "?" }

// MaxWords is the number of keys, and of values of a key, that are kept to suggest one of them.
const MaxWords = 1000

// A Known has the keys and values of the measurements that a query did not select. The zero Known has
// none.
type Known struct {
	Absent []string                   // keys of the query that none has
	Keys   map[string]bool            // of all params
	Values map[string]map[string]bool // of the keys of the query: at most MaxWords of each
}

// Unmatched returns why a query selects nothing: "no series has a param tst; did you mean test?". A
// noun names what does not match.
func (k *Known) Unmatched(terms []traceid.Term, noun string) string {
	for i := range terms {
		term := &terms[i]
		key := term.Key()
		known := slices.Sorted(maps.Keys(k.Values[key]))
		if term.Required() && slices.Contains(k.Absent, key) {
			return fmt.Sprintf("no %s has a param %s%s", noun, key, k.SimilarKey(key))
		}
		notAll := len(known) == MaxWords && len(terms) > 1 // others may match the term
		isMatch := func(value string) bool {
			ok, err := term.Match(value)
			return ok || err != nil
		}
		if slices.ContainsFunc(known, isMatch) || len(known) == 0 || notAll {
			continue
		}
		if values, ok := term.Values(); ok {
			return fmt.Sprintf("no %s has %s=%s%s", noun, key, values[0], DidYouMeanOr(values[0], known, "values"))
		}
		return fmt.Sprintf("no %s has a matching %s%s", noun, key, DidYouMeanOr("", known, "values"))
	}
	return "none matches all of its terms"
}

// Look makes the keys of a measurement known. If no key is absent, nothing needs a suggestion, and it
// keeps none.
func (k *Known) Look(params traceid.Params) {
	if len(k.Absent) == 0 {
		return
	}
	k.Absent = slices.DeleteFunc(k.Absent, func(absent string) bool {
		_, ok := params.Get(absent)
		return ok
	})
	for i := 0; i < len(params) && len(k.Absent) > 0; i++ {
		k.Keys = keep(k.Keys, params[i].Key)
	}
}

// Add makes a param known.
func (k *Known) Add(p traceid.Param) {
	k.Absent = slices.DeleteFunc(k.Absent, func(absent string) bool { return absent == p.Key })
	k.Keys = keep(k.Keys, p.Key)
	if len(p.Value) > 200 {
		return // nobody types such a value
	}
	if k.Values == nil {
		k.Values = make(map[string]map[string]bool)
	}
	k.Values[p.Key] = keep(k.Values[p.Key], p.Value)
}

// keep adds a key or value that the user may have meant. Their number is bounded, because a file
// may have any number of them; a copy is kept, because the word of a record is a part of a large
// buffer.
func keep(words map[string]bool, word string) map[string]bool {
	if words == nil {
		words = make(map[string]bool)
	}
	if len(words) < MaxWords && !words[word] {
		words[strings.Clone(word)] = true
	}
	return words
}

// SimilarKey returns the end of a text about a key that nothing has.
func (k *Known) SimilarKey(key string) string {
	return DidYouMeanOr(key, slices.Sorted(maps.Keys(k.Keys)), "params")
}
