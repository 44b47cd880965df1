package main

import (
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/traceid"
)

// A selection decides which measurements a command uses.
type selection struct {
	queries []*traceid.Query // of --match, canonical: all must match
	matched bool             // a measurement matched
}

// addMatchFlag adds --match to a command that selects measurements.
func (t *tool) addMatchFlag(cmd *cobra.Command) {
	cmd.Flags().Var(matchFlag{&t.selection}, "match",
		"only the measurements that match `QUERY`, e.g. 'arch=x86&test=~^draw_' (repeatable); see perfdata help id match")
	complete(cmd, "match")
}

// A matchFlag is the value of --match.
type matchFlag struct{ *selection }

func (f matchFlag) String() string { return "" }
func (f matchFlag) Type() string   { return "query" }

func (f matchFlag) Set(text string) error {
	query, err := traceid.ParseQuery(text)
	if err == nil {
		f.queries = append(f.queries, query.Canonical())
	}
	return err
}

// matches reports whether all queries select the measurement by its canonical trace ID.
func (s *selection) matches(rec *format.Record) (bool, error) {
	if len(s.queries) > 0 {
		params := rec.Params.Canonical()
		for _, q := range s.queries {
			if selected, err := q.Match(params); err != nil || !selected {
				return false, err
			}
		}
	}
	s.matched = true
	return true, nil
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

// noteUnmatched prints a note if there is a query and no measurement matches it.
func (t *tool) noteUnmatched() {
	if len(t.queries) > 0 && !t.matched {
		t.note("no measurement matches the query")
	}
}
