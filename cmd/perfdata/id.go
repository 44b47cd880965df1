package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/traceid"
)

func (t *tool) idCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "id",
		Short:   "Create, parse, check and filter trace IDs",
		Example: "  perfdata id make test=draw_a_circle arch=x86",
	}

	strict := false
	makeID := &cobra.Command{
		Use:   "make KEY=VALUE...",
		Short: "Print the trace ID of params",
		Long: `Print the canonical trace ID of params: sorted by key, with _ for each character
outside A-Z a-z 0-9 . _ and -. The key ends at the first =.`,
		Example: "  perfdata id make test=draw_a_circle arch=x86",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return t.makeID(args, strict) },
	}
	makeID.Flags().BoolVar(&strict, "strict", false, "reject params that cannot be in a trace ID, and change nothing")
	refuseUnknown(cmd)

	cmd.AddCommand(makeID,
		&cobra.Command{
			Use:     "parse ID",
			Short:   "Print the params of a trace ID, one per line",
			Example: "  perfdata id parse ,arch=x86,test=draw_a_circle,",
			Args:    cobra.ExactArgs(1),
			RunE:    func(_ *cobra.Command, args []string) error { return t.parseID(args[0]) },
		},
		&cobra.Command{
			Use:   "check ID...",
			Short: "Check that trace IDs are valid",
			Long: `Check that trace IDs are valid: ,key=value,key=value, with keys sorted, and no
empty key or value. Errors are reported on standard error.`,
			Example: "  perfdata id check ,arch=x86,test=draw_a_circle,",
			Args:    cobra.MinimumNArgs(1),
			RunE:    func(_ *cobra.Command, args []string) error { return t.checkIDs(args) },
		},

		&cobra.Command{
			Use:   "match QUERY",
			Short: "Print the trace IDs on standard input that match a query",
			Long: `Read trace IDs, one per line, from standard input, and print those that match
QUERY: URL-encoded terms joined by &, such as

  arch=x86&arch=arm&config=!565&test=~^draw_

A term is key=value, key=* (any value), key=~regexp, key=!value or key=!~regexp
(not this). Terms with the same key are alternatives, except for exclusions;
all keys and exclusions must match.`,
			Example: "  perfdata id match 'arch=x86&stat=!max' < ids",
			Args:    cobra.ExactArgs(1),
			RunE:    func(_ *cobra.Command, args []string) error { return t.matchIDs(args[0]) },
		},
	)
	return cmd
}

func (t *tool) makeID(args []string, strict bool) error {
	m := make(map[string]string, len(args))
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: want key=value", arg)
		}
		if _, ok := m[key]; ok {
			return fmt.Errorf("duplicate key %q", key)
		}
		m[key] = value
	}
	params := traceid.FromMap(m)
	id := params.ID()
	if strict {
		var err error
		if id, err = traceid.Make(params); err != nil {
			t.report(err)
			return nil
		}
	}
	fmt.Fprintln(t.data, id)
	return nil
}

func (t *tool) parseID(id string) error {
	params, err := traceid.Parse(id)
	if err != nil {
		t.report(err)
		return nil
	}
	for key, value := range params.All() {
		fmt.Fprintf(t.data, "%s=%s\n", key, value)
	}
	return nil
}

func (t *tool) checkIDs(ids []string) error {
	for _, id := range ids {
		if _, err := traceid.Parse(id); err != nil {
			t.report(err)
		}
	}
	return nil
}

func (t *tool) matchIDs(text string) error {
	query, err := traceid.ParseQuery(text)
	if err != nil {
		return err
	}

	lines := bufio.NewScanner(t.stdin)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		id := lines.Text()
		if id == "" {
			continue
		}
		ok, err := query.MatchID(id)
		if err != nil {
			t.report(fmt.Errorf("<stdin>:%d: %w", n, err))
		} else if ok {
			fmt.Fprintln(t.data, id)
		}
	}
	return lines.Err()
}
