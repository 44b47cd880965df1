package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/series"
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
	failed  bool             // a query could not decide about a measurement
	seen    bool             // there was a measurement

	hint.Known // while a query may be a mistake

	named namedKeys // of flags that name keys
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
}

// matches reports whether all queries select the measurement by its trace ID in the charset.
func (s *selection) matches(rec *format.Record) (bool, error) {
	// Making params canonical takes time for each measurement, and only queries need it.
	if len(s.queries) == 0 {
		return true, nil
	}
	return s.matchesParams(s.charset.Canonical(rec.Params))
}

// matchesParams reports whether all queries select canonical params.
func (s *selection) matchesParams(params traceid.Params) (bool, error) {
	s.seen = true
	s.Look(params)
	for _, q := range s.queries {
		selected, err := q.Match(params)
		// After one match, the query is not a mistake. Before, the values of its keys may have been
		// meant.
		for i := 0; i < len(s.terms) && err == nil && !selected && !s.matched; i++ {
			key := s.terms[i].Key()
			if value, ok := params.Get(key); ok {
				s.Add(traceid.Param{Key: key, Value: value})
			}
		}
		if err != nil || !selected {
			s.failed = s.failed || err != nil
			return false, err
		}
	}
	s.matched = true
	return true, nil
}

// matching iterates over the measurements that match, and looks for keys in all of them.
func (t *tool) matching(all iter.Seq2[*format.Record, error]) iter.Seq2[*format.Record, error] {
	if len(t.queries) == 0 && len(t.named.params.Absent) == 0 {
		return all // the usual case: no function of ours between the reader and the writer
	}
	return func(yield func(*format.Record, error) bool) {
		for rec, err := range all {
			selected, isRead := true, err == nil
			if isRead {
				// A key that only other measurements have is not a mistake, so it is looked for
				// before the query selects.
				t.named.look(rec)
				selected, err = t.matches(rec)
			}
			if (selected || err != nil) && !yield(rec, err) || isRead && err != nil {
				return // a query that fails would fail for the next measurement, too
			}
		}
	}
}

// reportUnmatched reports that nothing matches a query, with a similar key or value that exists. It
// prints a note for each key of a query that no measurement has. A noun names what does not match.
// Without a measurement, and after an error, the error has said why nothing matches. After a query
// that could not decide, whether one matches is not known.
func (t *tool) reportUnmatched(noun string) {
	switch {
	case len(t.queries) == 0 || t.failed || !t.seen && t.status != statusOK:
	case t.matched:
		// A measurement can match without this key only if the query excludes values of the key.
		// That may be meant, so it is not an error.
		for _, key := range t.Absent {
			t.note("no %s has a param %s%s", noun, key, t.SimilarKey(key))
		}
	case !t.seen:
		t.report(fmt.Errorf("no %s matches the query: there is none", noun))
	default:
		t.report(fmt.Errorf("no %s matches the query: %s", noun, t.Unmatched(t.terms, noun)))
	}
}

// suggest makes params known, as those of measurements. Stores know their keys and values without
// reading measurements.
func (s *selection) suggest(set *traceid.ParamSet) {
	for key, values := range set.All() {
		s.seen = true
		for _, value := range values {
			s.Add(traceid.Param{Key: key, Value: value})
		}
	}
}

// A key of a flag that no measurement has is likely a typo: a table would have an empty column, or
// series would not be put together, without a word.

// namedKeys are the keys of params that flags name, such as --columns.
type namedKeys struct {
	all  []struct{ flag, key string } // in the order of their reports
	seen bool                         // there was a measurement while a key was absent

	params hint.Known // until measurements have all keys
	attrs  hint.Known // suggestions for --promote
}

// The flag that names attrs. It is looked up among params, because the measurement has the param
// when it is looked at.
const promoteFlag = "promote"

// add adds the keys that a flag names.
func (n *namedKeys) add(flag string, keys []string) {
	for _, key := range keys {
		n.all = append(n.all, struct{ flag, key string }{flag, key})
		n.params.Absent = append(n.params.Absent, key)
		if flag == promoteFlag {
			n.attrs.Absent = append(n.attrs.Absent, key)
		}
	}
}

// look looks for the keys in a measurement.
func (n *namedKeys) look(rec *format.Record) {
	if len(n.params.Absent) > 0 { // usually, the first measurement has all keys
		n.seen = true
		n.params.Look(rec.Params)
		n.attrs.Look(rec.Attrs)
	}
}

// lookUnit looks for the key unit, which queries find at each measurement that has a unit.
func (n *namedKeys) lookUnit(unit string) {
	if unit != "" && len(n.params.Absent) > 0 {
		n.look(&format.Record{Params: traceid.Of("unit", unit)})
	}
}

// reportKeys reports each key that no measurement has, with a similar key that exists.
func (t *tool) reportKeys(n *namedKeys) {
	for _, named := range n.all {
		if !n.seen || !slices.Contains(n.params.Absent, named.key) {
			continue // if there is no measurement, that was reported
		}
		meant := n.params.SimilarKey(named.key)
		if named.flag == promoteFlag && n.attrs.Absent != nil {
			meant = hint.DidYouMeanOr(named.key, slices.Sorted(maps.Keys(n.attrs.Keys)), "attrs")
		}
		t.report(fmt.Errorf("--%s: no measurement has a param %s%s", named.flag, named.key, meant))
	}
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
