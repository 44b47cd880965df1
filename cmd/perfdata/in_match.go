package main

import (
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/hint"
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
		t.selection.parse)
}

// parse adds a value of --match.
func (s *selection) parse(text string) error {
	query, err := hint.ParseQuery(text)
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
	// The queries are made again from the flags: a term in one charset cannot be turned into a
	// term in another.
	absent := s.Absent
	s.charset, s.queries, s.terms, s.Absent = charset, nil, nil, nil
	for _, query := range s.given {
		s.use(query)
	}
	if s.seen {
		s.Absent = absent // of all measurements, whatever their charset
	}
}

// add adds a query, and keeps it as it was given: stores get it in their own charset.
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
		s.Absent = append(s.Absent, term.Key())
	}
	// Without a query, no measurement is looked at, and nothing is kept.
	if s.Keys == nil {
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
