package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/traceid"
)

// A selection decides which measurements a command uses.
type selection struct {
	charset *traceid.Charset
	given   []*traceid.Query // of --match
	queries []*traceid.Query // the same in the charset: all must match
	terms   []traceid.Term   // of the queries
	matched bool             // a measurement matched
	seen    bool             // there was a measurement

	// For suggestions, while a query may be a mistake.
	absent []string                   // keys of the queries that no measurement had
	keys   map[string]bool            // of measurements
	values map[string]map[string]bool // that measurements have for the keys of the queries
}

// maxSuggestible is the number of keys, and of values of a key, that are kept for suggestions.
const maxSuggestible = 1000

// addMatchFlag adds --match to a command that selects measurements.
func (t *tool) addMatchFlag(cmd *cobra.Command) {
	cmd.Flags().Func("match",
		"only the measurements that match `QUERY`, e.g. 'arch=x86&test=~^draw_' (repeatable); see perfdata help id match",
		t.selection.parse)
	complete(cmd, "match")
}

// parse adds a value of --match.
func (s *selection) parse(text string) error {
	query, err := parseQuery(text)
	if err == nil {
		s.add(query)
	}
	return err
}

// setCharset sets the charset in which queries and params are compared, also of the queries that
// were added before.
func (s *selection) setCharset(charset *traceid.Charset) {
	if charset == s.charset {
		return
	}
	absent := s.absent
	s.charset, s.queries, s.terms, s.absent = charset, nil, nil, nil
	for _, query := range s.given {
		s.use(query)
	}
	if s.seen {
		s.absent = absent // of all measurements, whatever their charset
	}
}

func (s *selection) add(query *traceid.Query) {
	s.given = append(s.given, query)
	s.use(query)
}

// use adds a query that must match.
func (s *selection) use(query *traceid.Query) {
	query = s.charset.Query(query)
	s.queries = append(s.queries, query)
	s.terms = append(s.terms, query.Terms()...)
	for _, term := range query.Terms() {
		s.absent = append(s.absent, term.Key())
	}
	if s.keys == nil {
		s.keys, s.values = make(map[string]bool), make(map[string]map[string]bool)
	}
}

// parseQuery parses a query. A term that looks like another query
// language, and would be taken for a text that no trace ID has, is an error that says what was likely
// meant.
func parseQuery(text string) (*traceid.Query, error) {
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

// operators maps the operators of other languages, longest first, to ours. Numbers are not
// compared.
var operators = []struct{ theirs, ours string }{
	{"!=~", "=!~"}, {"!~", "=!~"}, {"!=", "=!"}, {"<>", "=!"}, {"==", "="}, {":=", "="}, {"~=", "=~"},
	{"<=", ""}, {">=", ""}, {"<", ""}, {">", ""}, {"~", "=~"}, {":", "="},
}

// explainTerm explains the mistake in a term, such as stat!=min, or the empty string.
func explainTerm(term string) string {
	bare := strings.TrimSpace(term)
	for _, op := range operators {
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
	not := ""
	if excluded {
		not = "!"
	}
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

// matches reports whether all queries select the measurement by its trace ID in the charset.
func (s *selection) matches(rec *format.Record) (bool, error) {
	if len(s.queries) == 0 {
		return true, nil
	}
	return s.matchesParams(s.charset.Canonical(rec.Params))
}

// matchesParams reports whether all queries select canonical params.
func (s *selection) matchesParams(params traceid.Params) (bool, error) {
	s.seen = true
	if len(s.absent) > 0 {
		s.lookForKeys(params)
	}
	for _, q := range s.queries {
		selected, err := q.Match(params)
		if err == nil && !selected && !s.matched {
			s.keepValues(params)
		}
		if err != nil || !selected {
			return false, err
		}
	}
	s.matched = true
	return true, nil
}

// lookForKeys forgets the absent keys that the params have. If any are left, it keeps the keys of
// the params, which may have been meant.
func (s *selection) lookForKeys(params traceid.Params) {
	s.absent = slices.DeleteFunc(s.absent, func(key string) bool {
		_, ok := params.Get(key)
		return ok
	})
	for _, p := range params {
		if len(s.absent) > 0 && len(s.keys) < maxSuggestible && !s.keys[p.Key] {
			s.keys[strings.Clone(p.Key)] = true
		}
	}
}

// keepValues keeps the values of params for the keys of the queries, which may have been meant.
func (s *selection) keepValues(params traceid.Params) {
	for i := range s.terms {
		key := s.terms[i].Key()
		known := s.values[key]
		value, ok := params.Get(key)
		if !ok || len(known) == maxSuggestible || len(value) > maxText || known[value] {
			continue
		}
		if known == nil {
			known = make(map[string]bool)
			s.values[key] = known
		}
		known[strings.Clone(value)] = true
	}
}

// selected returns a function that calls do with the measurements that match.
func (s *selection) selected(do func(*format.Record) error) func(*format.Record) error {
	return func(rec *format.Record) error {
		if selected, err := s.matches(rec); err != nil || !selected {
			return err
		}
		return do(rec)
	}
}

// reportUnmatched reports if there is a query and nothing matches it, with what was likely meant.
// It prints a note for each key of a query that nothing has. A noun is what does not match.
func (t *tool) reportUnmatched(noun string) {
	switch {
	case len(t.queries) == 0 || !t.seen && t.status != statusOK:
	case t.matched:
		for _, key := range t.absent {
			t.note("no %s has a param %s%s", noun, key, t.similarKey(key))
		}
	case !t.seen:
		t.report(fmt.Errorf("no %s matches the query: there is none", noun))
	default:
		t.report(fmt.Errorf("no %s matches the query: %s", noun, t.whyUnmatched(noun)))
	}
}

// whyUnmatched returns the rest of an error: a term that nothing matches.
func (s *selection) whyUnmatched(noun string) string {
	for i := range s.terms {
		term := &s.terms[i]
		key := term.Key()
		known := slices.Sorted(maps.Keys(s.values[key]))
		if term.Required() && slices.Contains(s.absent, key) {
			return fmt.Sprintf("no %s has a param %s%s", noun, key, s.similarKey(key))
		}
		notAll := len(known) == maxSuggestible && len(s.terms) > 1 // others may match the term
		if slices.ContainsFunc(known, isMatch(term)) || len(known) == 0 || notAll {
			continue
		}
		if values, ok := term.Values(); ok {
			return fmt.Sprintf("no %s has %s=%s%s", noun, key, values[0], didYouMeanOr(values[0], known, "values"))
		}
		return fmt.Sprintf("no %s has a matching %s%s", noun, key, didYouMeanOr("", known, "values"))
	}
	return "none matches all of its terms"
}

// suggest makes a key and its values known, as a measurement's.
func (s *selection) suggest(key string, values []string) {
	s.seen = true
	s.absent = slices.DeleteFunc(s.absent, func(absent string) bool { return absent == key })
	s.keys[key] = true
	s.values[key] = make(map[string]bool)
	for _, value := range values[:min(len(values), maxSuggestible)] {
		s.values[key][value] = true
	}
}

// isMatch returns a function that reports whether a value meets the conditions of a term.
func isMatch(term *traceid.Term) func(value string) bool {
	return func(value string) bool {
		ok, err := term.Match(value)
		return ok || err != nil
	}
}

// similarKey returns the end of a text about a key that nothing has.
func (s *selection) similarKey(key string) string {
	return didYouMeanOr(key, slices.Sorted(maps.Keys(s.keys)), "params")
}
