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
	// The Trial is a pointer, because the zero Trial means the mainline. Without the flag, it is nil,
	// and files of the mainline and of all trials are selected.
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

// addSelecting adds a flag that selects. Without a value, a flag would leave the selection of the
// other flags as it is, so that more is deleted than the user wants. The output of a command that
// failed, such as $(git rev-parse x), is empty.
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
	// After an error, these are the files from which something was deleted before it: the store takes
	// a transaction for each 64 files, or 100,000 measurements. The same command then deletes the
	// rest.
	for _, f := range found.Files {
		fmt.Fprintf(c.data, "%s\t%d\n", chars.Visible(f.Path), f.Measurements)
	}
	// A PATH that is missing does not keep the others from being deleted. It makes the exit status 1,
	// because it may be a typo.
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
	// Files without an hour may be older than the time, too. Without the note, a user could believe
	// that nothing older is left.
	if found.NoHour > 0 {
		c.note("%s without an hour: --before does not select them", message.Plural(found.NoHour, "file"))
	}
	// Each flag makes the selection smaller, and any of them may be the wrong one, so the error names
	// them all.
	if err == nil && len(found.Files) == 0 && len(found.Missing) == 0 && !onlyBefore {
		c.report(errors.New("nothing in the database is selected by " + strings.Join(c.given, " and ")))
	}
	return err
}

// storeVacuumCommand returns the command that gives space back. Deleting does not do that itself,
// because it takes long, and needs as much space again.
func (t *tool) storeVacuumCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vacuum DATABASE",
		Short: "Make a database smaller after deletions",
		Long: `Delete the traces, params and commits that have no measurements, as after perfdata store
delete, and give the space back: a file of SQLite becomes smaller, for which it is written
again, beside the old one, while others cannot write. The tables of PostgreSQL use the space
for new rows.`,
		Example: "  perfdata store vacuum perf.db",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			// Both sizes are those of the file, and not of the rows: users look at the disk. With
			// PostgreSQL, they are those of the tables and their indexes.
			before, err := s.Size(ctx)
			if err != nil {
				return err
			}

			done, err := s.Vacuum(ctx)
			if err != nil {
				return err
			}
			after, err := s.Size(ctx)
			if err != nil {
				return err
			}

			size := func(n int64) string { // in decimal units, as in the note about the sorting of rows
				if n < 1e6 {
					return fmt.Sprintf("%.1f kB", float64(n)/1e3)
				}
				return fmt.Sprintf("%.1f MB", float64(n)/1e6)
			}
			// A spelling is how files write the params, the unit and the direction of a trace.
			fmt.Fprintf(t.stdout, "deleted %s, %s, %s and %s without measurements; %s -> %s\n",
				message.Plural(done.Traces, "trace"), message.Plural(done.Params, "param"),
				message.Plural(done.Spellings, "spelling"), message.Plural(done.Commits, "commit"),
				size(before.Bytes), size(after.Bytes))
			return nil
		}),
	}
}

// storeCheckCommand returns the command that looks for damage. A backup that is made of a damaged
// database is damaged, so it is run before.
func (t *tool) storeCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check DATABASE",
		Short: "Look for damage, and print which files have lost measurements",
		Long: `Read all of a database, and compare it with its checksums. Others may use it meanwhile.
For each file that has lost measurements, print a line: its path in the database, a tab,
and the number of its lost measurements. Standard error lists the damage, and says how to
store the files again.

Other commands also notice damage, and print an error in place of an answer, but only in
the parts of the database that they read.

Exit status: 0 if the database is sound, 1 if it is damaged.`,
		Example: "  perfdata store check perf.db",
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			var found store.Damage
			// The command does not use inStore: that a database is too damaged to be opened is its result,
			// with the status 1, and not a failure.
			err := t.useStore(name, false, func(ctx context.Context, s *store.Store) (err error) {
				found, err = s.Check(ctx)
				return err
			})
			switch {
			case errors.Is(err, store.ErrDamaged): // it cannot be opened
				t.report(err)
			case err != nil:
				return err
			}

			// The files are on standard output, so that a script can delete them and store them again.
			for _, f := range found.Files {
				fmt.Fprintf(t.stdout, "%s\t%d of %s\n", chars.Visible(f.Path), f.Lost,
					message.Plural(f.Stored, "measurement"))
			}
			// These reports make the exit status 1, so the command itself returns no error.
			for _, fault := range found.Faults {
				t.report(fmt.Errorf("%s: damaged: %s", name, fault))
			}
			switch {
			case err == nil && len(found.Faults) == 0:
				t.note("%s: sound", name)
			// The database still has the names, sizes and times of these files. If they were not deleted,
			// ingesting them would skip them as files that are stored.
			case len(found.Files) > 0 && !found.Fixed:
				t.note("to store the files again, delete them first: perfdata store delete %s PATH..., "+
					"and then perfdata store ingest %s FILE...", name, name)
			// Either the database cannot be opened, or SQLite cannot read one of its pages, and then cannot
			// change it either, or the damage belongs to no file whose name is known.
			default: // nothing repairs it
				t.note("what is damaged cannot be changed: put a backup in the place of the database, " +
					"or store all files in a new one: perfdata store ingest NEW.db FILE...")
			}
			return nil
		},
	}
}

// storeBackupCommand returns the command that copies a database. Copying the file with other
// programs, while it is used, would miss the changes in its log.
func (t *tool) storeBackupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DATABASE FILE",
		Short: "Copy a database of SQLite to a file, while it is used",
		Long: `Copy a database of SQLite to FILE, while others read and write it. FILE is written beside
and renamed, so that it is a whole backup at any time. To restore it, stop the
programs that use the database, delete the files of its log (DATABASE-wal and -shm),
and copy FILE to DATABASE.

For PostgreSQL, use pg_dump and pg_restore.`,
		Example: "  perfdata store backup perf.db /backups/perf.db",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			err := s.Backup(ctx, args[0])
			if errors.Is(err, errors.ErrUnsupported) {
				return errors.New("backup is for SQLite: use pg_dump for PostgreSQL")
			}
			return err
		}),
	}
}
