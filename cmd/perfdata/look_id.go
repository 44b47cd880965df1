package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/internal/hint"
	"perfdata/traceid"
)

// idCommand returns the commands about trace IDs. They are for scripts that work with the IDs of
// Skia Perf, and to try queries without a file.
func (t *tool) idCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "id",
		Short:   "Create, parse, check and filter trace IDs",
		Example: "  perfdata id make test=draw_a_circle arch=x86",
	}

	verbatim := false
	makeID := &cobra.Command{
		Use:   "make KEY=VALUE...",
		Short: "Print the trace ID of params",
		Long: `Print the canonical trace ID of params: sorted by key, with _ for each character
outside A-Z a-z 0-9 . _ and -, or that --charset matches. The key ends at the first =.

With --verbatim, change no characters, and exit with 1 if the result is not a
valid trace ID: if a key or value contains one of , = ; or a value is empty.`,
		Example: "  perfdata id make test=draw_a_circle arch=x86",
		RunE:    func(_ *cobra.Command, args []string) error { return t.makeID(args, verbatim) },
	}

	t.addCharsetFlag(makeID)
	makeID.Flags().BoolVar(&verbatim, "verbatim", false, "change no characters")
	// Cobra would print the usage for a typo, and exit with 0.
	refuseUnknown(cmd)

	matchIDs := &cobra.Command{
		Use:   "match QUERY [ID...]",
		Short: "Print the trace IDs that match a query",
		Long: `Print the trace IDs that match QUERY. Without an ID, or with -, read them from
standard input, one per line.

A query is URL-encoded terms joined by &, such as

  arch=x86&arch=arm&config=!565&test=~^draw_

A term is key=value, key=* (any value), key=~regexp, key=!value or key=!~regexp
(not this). Terms with the same key are alternatives, except for exclusions;
all keys and exclusions must match. A query is compared with canonical trace IDs:
units=µs also matches ,units=_s,. --match of other commands takes the same queries.
All expressions of a query may have 4 KiB, and 10,000 instructions when compiled.

Exit status: 0 if a trace ID matches, 1 if none does or any is not valid.`,
		Example: "  perfdata id match 'arch=x86&stat=!max' < ids",
		RunE:    func(_ *cobra.Command, args []string) error { return t.matchIDs(args[0], args[1:]) },
	}
	t.addCharsetFlag(matchIDs)

	// These two take an ID as it is, so that they need no charset.
	cmd.AddCommand(makeID,
		&cobra.Command{
			Use:   "parse ID...",
			Short: "Print the params of trace IDs, one per line",
			Long: `Print the params of each trace ID as key=value, one per line, with an empty line
between trace IDs. - reads trace IDs from standard input, one per line.

Exit status: 0 if all trace IDs are valid, 1 if any is not.`,
			Example: "  perfdata id parse ,arch=x86,test=draw_a_circle,",
			// The lines are params, which make takes as arguments. An empty line between IDs keeps
			// their params apart.
			RunE: func(_ *cobra.Command, ids []string) error {
				// The empty line is printed before an ID and not after it, so that none follows the
				// last ID, and an invalid ID, which is reported, leaves none.
				separator := ""
				return t.eachID(ids, func(params traceid.Params, _ string) {
					fmt.Fprint(t.data, separator)
					separator = "\n"
					for key, value := range params.All() {
						fmt.Fprintf(t.data, "%s=%s\n", key, value)
					}
				})
			},
		},
		&cobra.Command{
			Use:   "check ID...",
			Short: "Check that trace IDs are valid",
			Long: `Check that trace IDs are valid: ,key=value,key=value, with keys sorted, and no
empty key or value. Errors are reported on standard error. - reads trace IDs from
standard input, one per line.

Exit status: 0 if all trace IDs are valid, 1 if any is not.`,
			Example: "  perfdata id check ,arch=x86,test=draw_a_circle,",
			RunE: func(_ *cobra.Command, args []string) error {
				// A valid ID prints nothing, because the exit status is the answer to a script.
				return t.eachID(args, func(traceid.Params, string) {})
			},
		},
		matchIDs,
	)
	return cmd
}

// makeID prints the trace ID of params. Two params with one key are always a mistake: a trace ID
// has a key once.
func (t *tool) makeID(args []string, verbatim bool) error {
	m := make(map[string]string, len(args))
	// The exit status is 2 for an argument that is not a param, which is a mistake in the command
	// line, and 1 for a param that no trace ID can have, which is a result.
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		switch _, repeated := m[key]; {
		case !ok:
			return fmt.Errorf("%q: want key=value", arg)
		case key == "":
			return fmt.Errorf("%q: empty key", arg)
		case repeated:
			return fmt.Errorf("duplicate key %q", key)
		}
		m[key] = value
	}

	params := traceid.FromMap(m)
	// The charset replaces every character that a trace ID cannot have, so only --verbatim can fail.
	id, err := t.charset.ID(params), error(nil)
	if verbatim {
		id, err = traceid.MakeStrict(params)
	}
	if err != nil {
		t.report(err)
	} else {
		fmt.Fprintln(t.data, id)
	}
	return nil
}

// matchIDs prints the trace IDs that a query selects, as grep does with lines.
func (t *tool) matchIDs(text string, ids []string) error {
	query, err := hint.ParseQuery(text)
	if err != nil {
		return err
	}
	// The selection collects the keys and values of the IDs that do not match, for a suggestion.
	t.add(query)

	// A filter in a pipeline needs no argument for its input.
	if len(ids) == 0 {
		ids = []string{"-"}
	}
	err = t.eachID(ids, func(params traceid.Params, id string) {
		// An ID may be of another program, with characters that this charset replaces. The ID is
		// printed as it was given, so that it can be found where it came from.
		selected, err := t.matchesParams(t.charset.Canonical(params))
		// A query does not search a very long value with a long expression. The next ID may be shorter.
		if err != nil {
			t.report(err)
		}
		if selected {
			fmt.Fprintln(t.data, id)
		}
	})
	switch {
	case t.matched:
	// A key that no ID has is likely a mistake. A value that no ID has may be the question of a
	// script, whose answer is the status.
	case t.seen && len(t.Absent) > 0:
		t.reportUnmatched("trace ID")
	default: // like grep
		t.status = max(t.status, statusInvalid)
	}
	return err
}

// eachID parses the trace IDs and calls do with each valid one; it reports the others. In place of
// - it reads the lines of standard input, of which empty ones are skipped. It goes on after an
// invalid ID, so that a user sees all faults of a file in one run. The callback also gets the ID as
// it was given, for the commands that print it.
func (t *tool) eachID(ids []string, do func(params traceid.Params, id string)) error {
	// An error has the ID, which is found on a command line. In a file, it is found by its line.
	one := func(id string, line int) { // of standard input; 0 for the command line
		params, err := traceid.Parse(id)
		if err == nil {
			do(params, id)
			return
		}
		if line > 0 {
			err = fmt.Errorf("<stdin>:%d: %w", line, err)
		}
		t.report(err)
	}

	for _, id := range ids {
		if id != "-" {
			one(id, 0)
			continue
		}

		// A scanner cannot skip a line that is too long, so such a line ends the command.
		const longest = 1 << 20 // the library allows IDs of any length, and a scanner holds a line
		// To a user who forgot the IDs, a command that waits looks like a command that hangs.
		t.noteTerminal()
		lines := bufio.NewScanner(&stream{t.stdin, t})
		lines.Buffer(nil, longest)

		// Empty lines are numbered as well, so that an editor finds the line of an error.
		n := 1
		for ; lines.Scan(); n++ {
			if id := lines.Text(); id != "" {
				one(id, n)
			}
		}
		// The error of the package says neither which line it is nor how long one may be.
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("<stdin>:%d: line longer than %d bytes", n, longest-1)
		case err != nil:
			return err
		}
	}
	return nil
}
