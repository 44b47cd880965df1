package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	trial  store.Trial
	match  string
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd, args[1:]); err != nil {
				return err
			}
			return t.withStore(args[0], false, c.run)
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&c.Run, "run", "", "the files of the run `NAME`")
	flags.Func("before", "the files of earlier hours than `TIME`, as 2026-11-23 or 2026-11-23T15", setTime(&c.Before, time.Hour))
	flags.Func("trial", "only what the change under review `ISSUE/PATCHSET` has", setTrial(&c.trial))
	flags.StringVar(&c.Commit, "commit", "", "only measurements at the `COMMIT`")
	flags.StringVar(&c.match, "match", "",
		"only the measurements that match `QUERY`, e.g. 'arch=x86&test=~^draw_'; see perfdata help id match")
	flags.BoolVar(&c.dryRun, "dry-run", false, "delete nothing: print what would be deleted")
	return cmd
}

// check sets the Selection, or returns an error of the command line.
func (c *storeDelete) check(cmd *cobra.Command, paths []string) error {
	for _, name := range []string{"run", "commit", "match"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name) // as from a command that failed, such as $(git rev-parse x)
		}
	}

	if len(paths) > 0 {
		c.Paths = paths
	}
	if c.trial != (store.Trial{}) {
		c.Trial = &c.trial
	}
	if c.match != "" {
		query, err := hint.ParseQuery(c.match)
		if err != nil {
			return err
		}
		c.Query = query
	}

	// Without anything that selects, all files would be selected.
	selecting := []string{"run", "before", "trial", "commit", "match"}
	if len(paths) == 0 && !slices.ContainsFunc(selecting, cmd.Flags().Changed) {
		return errors.New("want a PATH, or a flag that selects what to delete")
	}
	return nil
}

// run deletes the selection, or prints what would be deleted.
func (c *storeDelete) run(ctx context.Context, s *store.Store) error {
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
	// A job that deletes old files every night often finds none.
	onlyBefore := c.Paths == nil && c.Run == "" && c.Trial == nil && c.Commit == "" && c.Query == nil
	if err == nil && len(found.Files) == 0 && len(found.Missing) == 0 && !onlyBefore {
		c.report(errors.New("nothing in the database is selected by " + strings.Join(c.given(), " and ")))
	}
	return err
}

// given returns what selects, as the user gave it.
func (c *storeDelete) given() []string {
	var given []string
	for _, one := range []struct{ flag, value string }{
		{"", strings.Join(c.Paths, ", ")}, {"--run ", c.Run}, {"--commit ", c.Commit}, {"--match ", c.match},
	} {
		if one.value != "" {
			given = append(given, one.flag+chars.Visible(one.value))
		}
	}
	if c.Trial != nil {
		given = append(given, "--trial "+chars.Visible(c.trial.Issue+"/"+c.trial.Patchset))
	}
	if !c.Before.IsZero() {
		given = append(given, "--before "+c.Before.Format("2006-01-02T15"))
	}
	return given
}
