package main

import (
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/traceid"
)

// A selection decides which measurements a command uses.
type selection struct {
	query   *traceid.Query // of --match, canonical; nil without it
	matched bool           // a measurement matched
}

// addMatchFlag adds --match to a command that selects measurements.
func (t *tool) addMatchFlag(cmd *cobra.Command) {
	cmd.Flags().Var(matchFlag{&t.selection}, "match",
		"only the measurements that match `QUERY`, such as 'arch=x86&test=~^draw_'; see perfdata help id match")
	complete(cmd, "match")
}

// A matchFlag is the value of --match.
type matchFlag struct{ *selection }

func (f matchFlag) String() string { return "" }
func (f matchFlag) Type() string   { return "query" }

func (f matchFlag) Set(text string) error {
	query, err := traceid.ParseQuery(text)
	if err == nil {
		f.query = query.Canonical()
	}
	return err
}

// matches reports whether --match selects the measurement by its canonical trace ID.
func (s *selection) matches(rec *format.Record) bool {
	ok := s.query == nil || s.query.Match(rec.Params.Canonical())
	s.matched = s.matched || ok
	return ok
}

// selected returns a function that calls do with the measurements that match.
func (s *selection) selected(do func(*format.Record) error) func(*format.Record) error {
	return func(rec *format.Record) error {
		if !s.matches(rec) {
			return nil
		}
		return do(rec)
	}
}

// noteUnmatched prints a note if there is a query and no measurement matches it.
func (t *tool) noteUnmatched() {
	if t.query != nil && !t.matched {
		t.note("no measurement matches the query")
	}
}
