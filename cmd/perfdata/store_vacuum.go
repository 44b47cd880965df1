package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/store"
)

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
			// Both sizes are those of the file, and not of the rows: users look at the disk.
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

			fmt.Fprintf(t.stdout, "deleted %s, %s, %s and %s without measurements; %s -> %s\n",
				message.Plural(done.Traces, "trace"), message.Plural(done.Params, "param"),
				message.Plural(done.Spellings, "spelling"), message.Plural(done.Commits, "commit"),
				bytesText(before.Bytes), bytesText(after.Bytes))
			return nil
		}),
	}
}

// bytesText returns a size for people.
func bytesText(n int64) string {
	// Decimal units, as in the note about the sorting of rows.
	if n < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
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
			err := t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				found, err := s.Check(ctx)
				if err != nil {
					return err
				}

				t.reportDamage(args[0], found)
				return nil
			})
			if errors.Is(err, store.ErrDamaged) { // it cannot be opened
				t.report(err)
				t.noteNewDatabase()
				return nil
			}
			return err
		},
	}
}

// reportDamage prints what store check found.
func (t *tool) reportDamage(name string, found store.Damage) {
	for _, f := range found.Files {
		fmt.Fprintf(t.stdout, "%s\t%d of %s\n", chars.Visible(f.Path), f.Lost, message.Plural(f.Stored, "measurement"))
	}
	for _, fault := range found.Faults {
		t.report(fmt.Errorf("%s: damaged: %s", name, fault))
	}
	switch {
	case len(found.Faults) == 0:
		t.note("%s: sound", name)
	case len(found.Files) > 0 && !found.Fixed:
		t.note("to store the files again, delete them first: perfdata store delete %s PATH..., "+
			"and then perfdata store ingest %s FILE...", name, name)
	default:
		t.noteNewDatabase()
	}
}

// noteNewDatabase says how to go on with a database that cannot be repaired.
func (t *tool) noteNewDatabase() {
	t.note("what is damaged cannot be changed: put a backup in the place of the database, " +
		"or store all files in a new one: perfdata store ingest NEW.db FILE...")
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
