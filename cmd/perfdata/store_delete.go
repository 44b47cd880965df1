package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/internal/hint"
	"perfdata/internal/message"
	"perfdata/store"
)

// A storeDelete is the command store delete.
type storeDelete struct {
	*tool
	store.Selection
	given  []string // what selects, as the user gave it
	dryRun bool
}

// storeDeleteCommand returns the command that deletes. All flags together select, so
// that each flag that is added deletes less.
func (t *tool) storeDeleteCommand() *cobra.Command {
	c := &storeDelete{tool: t}
	cmd := &cobra.Command{
		Use:   "delete DATABASE [PATH...]",
		Short: "Delete files, or some of their measurements",
		Long: `Delete files: by their PATH in the database, as perfdata store sources prints it; files
of a run (--run); of hours before a time (--before); or of a change under review
(--trial). It is as if they had never been stored, so older values that they had
replaced are visible again, and perfdata store ingest stores them again.

With --commit or --match, delete measurements in place of files: measurements at a
commit, or of the traces that a query selects, in all files or in the files that the other
flags select, including changes under review. All of their versions are deleted. The
database still knows the files, and does not store them again.

A file or measurement is deleted only if all flags select it. Print a line for each file:
its path, a tab, and the number of measurements that were deleted. --dry-run deletes
nothing, and prints the same. It does not ask first: only a backup brings the data back.

Exit status 1 if the database does not have a PATH, or nothing is selected, unless by
--before alone. perfdata store vacuum then makes the database smaller.`,
		Example: "  perfdata store delete perf.db nano/2024/05/01/22/run.json\n" +
			"  perfdata store delete --dry-run --before 2024-05-01 perf.db\n" +
			"  perfdata store delete --commit 4f2a9c1 --match 'arch=x86' perf.db",
		RunE: t.inStore(c.run),
	}

	c.addSelecting(cmd, "run", "the files of the run `NAME`", setText(&c.Run))
	c.addSelecting(cmd, "before", "the files of earlier hours than `TIME`, as 2026-11-23 or 2026-11-23T15",
		setTime(&c.Before, time.Hour))
	c.addSelecting(cmd, "trial", "only what the change under review `ISSUE/PATCHSET` has", func(text string) error {
		c.Trial = new(store.Trial)
		return setTrial(c.Trial)(text)
	})
	c.addSelecting(cmd, "commit", "only measurements at the `COMMIT`", setText(&c.Commit))
	c.addSelecting(cmd, "match",
		"only the measurements that match `QUERY`, e.g. 'arch=x86&test=~^draw_'; see perfdata help id match",
		func(text string) (err error) {
			c.Query, err = hint.ParseQuery(text)
			return err
		})
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "delete nothing: print what would be deleted")
	return cmd
}

// addSelecting adds a flag that selects. Without a value, it would select all that the other flags
// do: that of a command that failed, such as $(git rev-parse x), is empty.
func (c *storeDelete) addSelecting(cmd *cobra.Command, name, usage string, set func(string) error) {
	addFunc(cmd, name, usage, func(text string) error {
		if text == "" {
			return errors.New("the value is empty")
		}
		c.given = append(c.given, "--"+name+" "+chars.Visible(text))
		return set(text)
	})
}

// setText returns a function that sets a text.
func setText(to *string) func(string) error {
	return func(text string) error {
		*to = text
		return nil
	}
}

// run deletes the selection, or prints what would be deleted.
func (c *storeDelete) run(ctx context.Context, s *store.Store, paths []string) error {
	// A job that deletes old files every night often finds none.
	onlyBefore := len(paths) == 0 && len(c.given) == 1 && !c.Before.IsZero()
	if len(paths) > 0 {
		c.Paths = paths
		c.given = append(c.given, chars.Visible(strings.Join(paths, ", ")))
	}
	// Without anything that selects, all files would be selected.
	if len(c.given) == 0 {
		return errors.New("want a PATH, or a flag that selects what to delete")
	}

	// Both print the same, so that what --dry-run prints can be believed.
	do, done := s.Delete, "deleted"
	if c.dryRun {
		do, done = s.Selected, "would be deleted"
	}
	found, err := do(ctx, c.Selection)
	for _, f := range found.Files {
		fmt.Fprintf(c.data, "%s\t%d\n", chars.Visible(f.Path), f.Measurements)
	}
	for _, path := range found.Missing {
		c.report(fmt.Errorf("%s: not in the database", path))
	}

	// In the note, the number of the requested kind comes first.
	what := message.Plural(len(found.Files), "file")
	if c.Commit != "" || c.Query != nil {
		what = message.Plural(found.Measurements, "measurement") + " of " + what
	} else if found.Measurements > 0 {
		what += " with " + message.Plural(found.Measurements, "measurement")
	}
	c.note("%s %s", what, done)
	if found.NoHour > 0 {
		c.note("%s without an hour: --before does not select them", message.Plural(found.NoHour, "file"))
	}
	if err == nil && len(found.Files) == 0 && len(found.Missing) == 0 && !onlyBefore {
		c.report(errors.New("nothing in the database is selected by " + strings.Join(c.given, " and ")))
	}
	return err
}
