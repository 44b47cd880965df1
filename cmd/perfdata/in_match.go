package main

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/series"
	"perfdata/store"
	"perfdata/traceid"
)

// Queries are compared with trace IDs in the charset, as in Skia Perf, and not with the params of
// files: a user copies what a trace ID has. If nothing matches, the error suggests a similar key
// or value, so keys and values are kept while nothing has matched.

// A selection decides which measurements a command uses.
type selection struct {
	charset *traceid.Charset
	given   []*traceid.Query // of --match
	queries []*traceid.Query // the same in the charset: all must match
	terms   []traceid.Term   // of the queries
	matched bool             // a measurement matched
	seen    bool             // there was a measurement

	hint.Known // while a query may be a mistake
}

// addMatchFlag adds --match to a command that selects measurements.
func (t *tool) addMatchFlag(cmd *cobra.Command) {
	addFunc(cmd, "match",
		"only the measurements that match `QUERY`, e.g. 'arch=x86&test=~^draw_' (repeatable); "+
			"see perfdata help id match",
		func(text string) error {
			query, err := hint.ParseQuery(text)
			if err == nil {
				t.selection.add(query)
			}
			return err
		})
}

// add adds a query that must match, and keeps it as it was given: stores get it in their own
// charset.
func (s *selection) add(query *traceid.Query) {
	s.given = append(s.given, query)
	s.setCharset(s.charset)
}

// setCharset sets the charset in which queries and params are compared. All queries are made again
// from the flags, because a term in one charset cannot be turned into a term in another.
func (s *selection) setCharset(charset *traceid.Charset) {
	absent := s.Absent
	s.charset, s.queries, s.terms, s.Absent = charset, nil, nil, nil
	for _, query := range s.given {
		query = charset.Query(query)
		s.queries = append(s.queries, query)
		s.terms = append(s.terms, query.Terms()...)
		for _, term := range query.Terms() {
			s.Absent = append(s.Absent, term.Key())
		}
	}
	if s.seen {
		s.Absent = absent // of all measurements, whatever their charset
	}
	// Without a query, no measurement is looked at, and nothing is kept.
	if s.Keys == nil && len(s.given) > 0 {
		s.Keys, s.Values = make(map[string]bool), make(map[string]map[string]bool)
	}
}

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
	if len(s.Absent) > 0 {
		s.lookForKeys(params)
	}
	for _, q := range s.queries {
		selected, err := q.Match(params)
		// After one match, the query is not a mistake.
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
	s.Absent = slices.DeleteFunc(s.Absent, func(key string) bool {
		_, ok := params.Get(key)
		return ok
	})
	for _, p := range params {
		if len(s.Absent) > 0 {
			keep(s.Keys, p.Key)
		}
	}
}

// keepValues keeps the values of params for the keys of the queries, which may have been meant.
func (s *selection) keepValues(params traceid.Params) {
	for i := range s.terms {
		key := s.terms[i].Key()
		value, ok := params.Get(key)
		if !ok || len(value) > maxText { // nobody types long values, and they would take memory
			continue
		}
		if s.Values[key] == nil {
			s.Values[key] = make(map[string]bool)
		}
		keep(s.Values[key], value)
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

// matching iterates over the measurements that match, and looks for keys in all of them.
func (t *tool) matching(
	all iter.Seq2[*format.Record, error], named *namedKeys,
) iter.Seq2[*format.Record, error] {
	if len(t.queries) == 0 && !named.isMissing() {
		return all // the usual case: no function of ours between the reader and the writer
	}
	return func(yield func(*format.Record, error) bool) {
		for rec, err := range all {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			named.look(rec)
			selected, err := t.matches(rec)
			if (selected || err != nil) && !yield(rec, err) || err != nil {
				return // a query that fails would fail for the next measurement, too
			}
		}
	}
}

// reportUnmatched reports that nothing matches a query, with a similar key or value that exists. It
// prints a note for each key of a query that no measurement has. A noun names what does not match.
// Without a measurement, and after an error, the error has said why nothing matches.
func (t *tool) reportUnmatched(noun string) {
	switch {
	case len(t.queries) == 0 || !t.seen && t.status != statusOK:
	case t.matched:
		for _, key := range t.Absent {
			t.note("no %s has a param %s%s", noun, key, t.SimilarKey(key))
		}
	case !t.seen:
		t.report(fmt.Errorf("no %s matches the query: there is none", noun))
	default:
		t.report(fmt.Errorf("no %s matches the query: %s", noun, t.Unmatched(t.terms, noun)))
	}
}

// suggest makes a key and its values known, as a measurement's. Stores know their keys and values
// without reading measurements.
func (s *selection) suggest(key string, values []string) {
	s.seen = true
	for _, value := range values {
		s.Add(traceid.Param{Key: key, Value: value})
	}
}

// A key of a flag that no measurement has is likely a typo: a table would have an empty column, or
// series would not be put together, without a word.

// namedKeys are the keys of params that flags name, such as --columns, until a measurement has
// them.
type namedKeys struct {
	absent []namedKey
	seen   bool            // there was a measurement
	params map[string]bool // the keys of measurements, for suggestions
	attrs  map[string]bool // the same for attrs, which --promote names
}

// A namedKey is a key, and the name of the flag that names it.
type namedKey struct{ flag, key string }

// The flag that names attrs. It is looked up among params, because the measurement has the param
// when it is looked at.
const promoteFlag = "promote"

// add adds the keys that a flag names.
func (n *namedKeys) add(flag string, keys []string) {
	for _, key := range keys {
		n.absent = append(n.absent, namedKey{flag, key})
	}
	if n.params == nil {
		n.params, n.attrs = make(map[string]bool), make(map[string]bool)
	}
}

// isMissing reports whether no measurement yet has some key.
func (n *namedKeys) isMissing() bool { return len(n.absent) > 0 }

// look forgets the keys that a measurement has. While keys are left, it keeps its keys, which may
// have been meant.
func (n *namedKeys) look(rec *format.Record) {
	if !n.isMissing() {
		return
	}
	n.seen = true
	n.absent = slices.DeleteFunc(n.absent, func(named namedKey) bool {
		_, ok := rec.Params.Get(named.key)
		return ok
	})
	if !n.isMissing() {
		return
	}
	for _, p := range rec.Params {
		keep(n.params, p.Key)
	}
	for _, p := range rec.Attrs {
		keep(n.attrs, p.Key)
	}
}

// keep adds a key or value that the user may have meant. Their number is bounded, because a file
// may have any number of them; a copy is kept, because the word of a record is a part of a large
// buffer.
func keep(words map[string]bool, word string) {
	if len(words) < hint.MaxWords && !words[word] {
		words[strings.Clone(word)] = true
	}
}

// reportKeys reports each key that no measurement has, with a similar key that exists.
func (t *tool) reportKeys(n *namedKeys) {
	if !n.seen {
		return // and there is none
	}
	for _, named := range n.absent {
		// The keys of series are all params, so the commands that judge set attrs to nil.
		known, plural := n.params, "params"
		if named.flag == promoteFlag && n.attrs != nil {
			known, plural = n.attrs, "attrs"
		}
		meant := hint.DidYouMeanOr(named.key, slices.Sorted(maps.Keys(known)), plural)
		t.report(fmt.Errorf("--%s: no measurement has a param %s%s", named.flag, named.key, meant))
	}
}

// reportStoreKeys is reportKeys for a part of a store: others of its traces may have the keys.
func (t *tool) reportStoreKeys(ctx context.Context, s *store.Store, trial store.Trial, flags *tableFlags) error {
	n := &flags.named
	if !n.isMissing() {
		return nil
	}
	// This is slow for a large store, but is needed only if a key is missing.
	set, err := s.ParamSet(ctx, trial)
	if err != nil {
		return err
	}
	for key := range set.All() {
		keep(n.params, key)
		n.absent = slices.DeleteFunc(n.absent, func(named namedKey) bool { return named.key == key })
	}
	t.reportKeys(n)
	return nil
}

// addCharsetFlag adds --charset to a command that makes trace IDs, or opens a store, which has a
// charset. It also applies to queries of --match that were given before it, so the order of the
// flags does not matter.
func (t *tool) addCharsetFlag(cmd *cobra.Command) {
	addFunc(cmd, "charset", "the characters that trace IDs replace by _, as a `REGEXP` such as "+
		"invalid_param_char_regex of Skia Perf (default: [^a-zA-Z0-9._-]; of a database: the one that it has)",
		func(text string) error {
			charset, err := series.ParseCharset(text)
			if err != nil {
				return err
			}
			t.reading.charset = text
			t.selection.setCharset(charset)
			return nil
		})
}
