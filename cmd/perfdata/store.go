package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/columns"
	"perfdata/internal/hint"
	"perfdata/internal/message"
	"perfdata/store"
	"perfdata/traceid"
)

// storeCommand returns the commands about databases. Each opens the database for itself: it is used
// by others meanwhile, such as a service.
func (t *tool) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Keep measurements in a database, and query them",
		Long: `Keep the measurements of files of any format in a database, and query them.

A DATABASE is a file of SQLite, which ingest creates, or the URL of a PostgreSQL
database, such as postgres://user@host/database.

If several files have a measurement of a trace at a commit, the newest file is
used: the one with the latest hour in its path (YYYY/MM/DD/HH), or with the last
path in the same hour. A file without an hour may be stored again with other content:
then its path has the hour of arrival, so that it is newer. Values are in the order of
the commits: see perfdata help store commits.`,
		Example: `  perfdata store ingest perf.db results
  perfdata store query perf.db 'arch=x86&stat=min'`,
	}
	// Databases are compared by their dumps.
	dump := &cobra.Command{
		Use:   "dump DATABASE",
		Short: "Print all that a database holds, in an order that depends on the files only",
		Long: `Print all that a database holds as lines of text. Two databases with the same files
have the same dump, whatever the order in which the files were stored; so a hash
of the dump is a checksum. It is not a backup: nothing reads it.`,
		Example: "  perfdata store dump perf.db | sha256sum",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			return s.Dump(ctx, t.data)
		}),
	}

	refuseUnknown(cmd)
	cmd.AddCommand(t.storeIngestCommand(), t.storeVacuumCommand(), t.storeBackupCommand(), t.storeExportCommand(),
		t.storeCheckCommand())
	for _, prints := range []*cobra.Command{
		t.storeQueryCommand(), t.storeDiffCommand(), t.storeParamsCommand(), t.storeSourcesCommand(),
		t.storeCommitsCommand(), t.storeDeleteCommand(), dump,
	} {
		t.addOutputFlag(prints)
		cmd.AddCommand(prints)
	}
	return cmd
}

// storeQueryCommand returns the command that prints values. It prints the columns of records, so
// that a script can read either output.
func (t *tool) storeQueryCommand() *cobra.Command {
	var selected store.Range
	var flags *tableFlags
	cmd := &cobra.Command{
		Use:   "query DATABASE [QUERY]",
		Short: "Print the values of the traces that a query selects",
		Long: `Print each value of the traces that QUERY selects, or of all traces, in the order of
the traces and then of the commits; in Parquet, commits are in the order of their
names. The columns and forms are described by perfdata help records, except for --as
text, which prints the trace, the commit, the number of the repetition and the value,
separated by tabs. A note on standard error says how the commits are ordered, and
whether that is a guess.

With --commit, print only the values at a commit, and with --newest, only the values at
the newest commit of each trace. With --id in place of QUERY, print one trace.

perfdata help id match describes queries. Exit status: 0 if there is a value, 1 if
there is none.`,
		Example: `  perfdata store query perf.db 'arch=x86&stat=min'
  perfdata store query --newest perf.db 'arch=x86'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(t); err != nil {
				return err
			}

			// QUERY is parsed before the database is opened, so that no error of a connection hides a
			// mistake in it. Without the argument, the text is empty, and the query selects all traces.
			q, err := hint.ParseQuery(strings.Join(args[1:], ""))
			if err != nil {
				return err
			}
			// A trace ID names all params of its trace, so a query beside it could only agree or select
			// nothing.
			if selected.Trace != "" && len(args) > 1 {
				return errors.New("--id and QUERY: want one of them")
			}
			selected.Last = selected.First // a range of one commit: the empty name means no bound
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				// For an unknown trace or commit, report makes the exit status 1, as the help says. The status of
				// a returned error is 2, after which scripts repeat the command.
				err := t.queryStore(ctx, s, q, selected, flags)
				// These are results, as for a query that selects nothing.
				if errors.Is(err, store.ErrUnknownTrace) || errors.Is(err, store.ErrUnknownCommit) {
					t.report(err)
					return nil
				}
				return err
			})
		},
	}
	flags = addTableFlags(cmd, "tsv")
	addTrialFlag(cmd, &selected.Trial)
	cmd.Flags().StringVar(&selected.Trace, "id", "",
		"the `TRACE` whose values are printed: its ID, as in the column trace")
	cmd.Flags().StringVar(&selected.First, "commit", "", "only values at the `COMMIT`")
	cmd.Flags().BoolVar(&selected.Newest, "newest", false, "only values at the newest commit of each trace")
	t.addCharsetFlag(cmd)
	return cmd
}

// queryStore prints the values of a trace, or of the traces that a query selects, or that there are
// none.
func (t *tool) queryStore(
	ctx context.Context, s *store.Store, q *traceid.Query, selected store.Range, flags *tableFlags,
) error {
	found := false
	err := t.withTable(flags, func(to rowFunc) (err error) {
		found, err = t.printStored(ctx, s, q, selected, to, flags)
		return err
	})
	if err != nil {
		return err
	}
	// With --id, a trace without a value was an error above. So suggestions are needed only if the
	// query found nothing, or if no row has a key of --columns or --ignore.
	isKnown := found || selected.Trace != ""
	if isKnown && len(t.named.params.Absent) == 0 {
		return nil
	}

	// All params are looked up only now, as that takes a while in a large database.
	set, err := s.ParamSet(ctx, selected.Trial)
	if err != nil {
		return err
	}
	if isKnown { // other traces of the database may have the keys
		for key := range set.All() {
			t.named.params.Look(traceid.Of(key, ""))
		}
		t.reportKeys(&t.named)
		return nil
	}
	// The database compares queries in its own charset. The suggestions are in the same charset, so
	// that they have the keys and values that its trace IDs have.
	t.selection.setCharset(s.Charset())
	t.add(q)
	t.suggest(set)
	t.reportUnmatched("trace")
	return nil
}

// storeParamsCommand returns the command that prints what a query can ask for.
func (t *tool) storeParamsCommand() *cobra.Command {
	var trial store.Trial
	cmd := &cobra.Command{
		Use:   "params DATABASE",
		Short: "Print the keys of the traces with their values",
		Long: `Print a line for each key of the traces that have values: the key, a tab, and its
values, separated by spaces.`,
		Example: "  perfdata store params perf.db",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			set, err := s.ParamSet(ctx, trial)
			if err != nil {
				return err
			}
			for key, values := range set.All() {
				// The output is buffered, and keeps its first error, which is returned when the rest is
				// flushed. So the error is not checked here.
				fmt.Fprintf(t.data, "%s\t%s\n", key, strings.Join(values, " "))
			}
			return nil
		}),
	}

	addTrialFlag(cmd, &trial)
	return cmd
}

// storeSourcesCommand returns the command that prints what became of files. A missing measurement
// is looked for here first.
func (t *tool) storeSourcesCommand() *cobra.Command {
	failed := false
	cmd := &cobra.Command{
		Use:   "sources DATABASE",
		Short: "Print what became of each file",
		Long: `Print a line for each file: its path, format and number of measurements, and why it
failed, or how many faults were left out, and the first of them, or which file replaced
it. Tabs separate them.`,
		Example: "  perfdata store sources --failed perf.db",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			for src, err := range s.Sources(ctx) {
				if err != nil {
					return err
				}
				// A file with faults has the first of them as its Err, although the rest of it is stored. It is
				// among the failed files, because something of it is missing.
				if failed && src.Err == "" {
					continue
				}

				// A file that was replaced has not failed, so this reason comes last.
				reason := src.Err
				if src.Faults > 0 {
					reason = message.Plural(src.Faults, "fault") + ": " + reason
				}
				if reason == "" && src.ReplacedBy != "" {
					reason = "replaced by " + src.ReplacedBy
				}
				// A tab or a line break in a path or a reason would make other columns, so it is printed as an
				// escape.
				fmt.Fprintf(t.data, "%s\t%s\t%d\t%s\n", chars.Visible(src.Path), src.Format, src.Records,
					chars.Visible(reason))
			}
			return nil
		}),
	}

	cmd.Flags().BoolVar(&failed, "failed", false, "only files with an error")
	return cmd
}

// addTrialFlag adds the flag that selects a change under review in place of the mainline.
func addTrialFlag(cmd *cobra.Command, trial *store.Trial) {
	addFunc(cmd, "trial", "the change under review `ISSUE/PATCHSET`, in place of the mainline", setTrial(trial))
}

// setTrial returns a function that sets a trial to the value of --trial. The patchset may be empty,
// because a file may name an issue alone. The slash is required, so that a forgotten patchset is an
// error.
func setTrial(trial *store.Trial) func(string) error {
	return func(text string) error {
		issue, patchset, ok := strings.Cut(text, "/")
		if !ok || issue == "" {
			return errors.New("want ISSUE/PATCHSET, such as 12345/2")
		}
		*trial = store.Trial{Issue: issue, Patchset: patchset}
		return nil
	}
}

// inStore returns the function of a command whose first argument is a database that exists. It gets
// the other arguments. Their number is as in the usage line, which finish compares with the command
// line, so do need not count them.
func (t *tool) inStore(
	do func(ctx context.Context, s *store.Store, args []string) error,
) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
			return do(ctx, s, args[1:])
		})
	}
}

// withStore opens a database and calls do with it. A file that does not exist is created only if
// create is set. An error about damage says how to find out more.
func (t *tool) withStore(name string, create bool, do func(context.Context, *store.Store) error) error {
	err := t.useStore(name, create, do)
	// The command that was asked for cannot know what else is lost.
	if errors.Is(err, store.ErrDamaged) {
		return fmt.Errorf("%w (perfdata store check prints what is lost)", err)
	}
	return err
}

// useStore is withStore for store check itself, without the hint.
func (t *tool) useStore(name string, create bool, do func(context.Context, *store.Store) error) error {
	// A typo in the name would make an empty database, without measurements and without an error.
	if !create && !strings.Contains(name, "://") {
		// store.Open would create it.
		if _, err := os.Stat(name); err != nil {
			return err
		}
	}
	// The context is never canceled: a signal ends the process, and the database keeps whole
	// transactions only.
	ctx := context.Background()
	// A database keeps the charset that it was created with: another value of --charset is an error,
	// and without the flag, the recorded one is used.
	s, err := store.OpenWith(ctx, name, store.Options{Charset: t.reading.charset})
	if err == nil {
		err = do(ctx, s)
		err = firstError(err, s.Close())
	}
	return err
}

// isStore reports whether a name is the URL of a database, or names a file of SQLite.
func isStore(name string) bool {
	if name == "-" {
		return false
	}
	// Another URL is the name of a file that does not exist, and the error says so.
	if strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://") {
		return true
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false // do not read a pipe
	}
	f, _ := os.Open(name) // reading fails if this does
	defer f.Close()
	// The first bytes decide, and not the name: a database may have any name, and no format of results
	// begins so.
	const magic = "SQLite format 3\x00"
	var start [len(magic)]byte
	_, err = io.ReadFull(f, start[:])
	return err == nil && string(start[:]) == magic
}

// openStored calls do with a store that is an input. Queries of --match that were made in another
// charset are made again in the store's charset.
func (t *tool) openStored(name string, do func(*store.Store) error) error {
	// A flag without an effect would look as if it had one.
	if flag := t.reading.given; flag != "" {
		return fmt.Errorf("%s: --%s is about files, and not about a store, which has read them", name, flag)
	}
	return t.withStore(name, false, func(_ context.Context, s *store.Store) error {
		// The queries are compared with trace IDs, which are in the charset of the store. The next input
		// may be a file, or a store with another charset, so the charset of the command line is put back.
		before := t.charset
		t.setCharset(s.Charset())
		defer t.setCharset(before)
		return do(s)
	})
}

// A storeReader reads measurements of a store, as a Reader reads a file. It has no header: each
// record has its commit and links. So the commands that read records need not know stores. Close
// has nothing to do, because the end of an iteration gives the connection to the database back.
type storeReader struct {
	all iter.Seq2[*store.Measurement, error]
	at  *store.Measurement // that the current record belongs to: it has what only a store knows
}

// FileHeader returns an empty header.
func (r *storeReader) FileHeader() (format.Header, error) { return format.Header{}, nil }
func (r *storeReader) Close() error                       { return nil }

func (r *storeReader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		for m, err := range r.all {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.at = m; !yield(&m.Record, nil) {
				return
			}
		}
	}
}

// printStored writes the selected measurements to a table, or prints a line for each if there is no
// table. It reports whether there are any. Params that are not part of the identity change the
// number of a repetition: then those of a series are numbered in the order of the rows.
func (t *tool) printStored(
	ctx context.Context, s *store.Store, q *traceid.Query, selected store.Range, to rowFunc, flags *tableFlags,
) (found bool, err error) {
	// The columns position and commit_time come from the list of commits: a measurement has only the
	// name of its commit, or of its run. The list is read once, and not for each row.
	commits, _, err := s.Commits(ctx, selected.Trial)
	if err != nil {
		return false, err
	}
	places := make(map[[2]string]columns.Place, len(commits)) // by the commit, or the run of those without one
	for i := range commits {
		c := &commits[i]
		at := columns.Place{Listed: c.Position + 1}
		// Files may give a time to a run without a commit, but that is not the time of a commit.
		if c.Name != "" {
			at.Time = c.Time
		}
		places[[2]string{c.Name, c.Run}] = at
	}

	placer := flags.newPlacer(t)
	placer.Charset = s.Charset()
	r := &storeReader{all: s.Measurements(ctx, q, selected)}

	var row columns.Row
	var trace, line []byte
	numbered := true
	for rec, err := range t.matching(r.Records()) {
		if err != nil {
			return found, err
		}
		// Before the first row, because the order is what people look for first.
		m := r.at
		if !found {
			t.note("%v", m.Order)
		}
		found = true

		// The store knows the trace and the number of the repetition. Without the ignored params, the
		// measurement belongs to another series, so both are found here, as for a file.
		if len(flags.ignored) == 0 {
			trace = append(trace[:0], m.Trace...)
			row.FillPlaced(rec, placer.Charset, trace, m.Point.N)
		} else if err := row.Fill(placer, rec); err != nil && numbered {
			numbered = false
			t.reportNotNumbered(m.File, rec, err)
		}
		row.Place, row.File = places[[2]string{m.Point.Commit, m.Point.Run}], m.File

		// The line has only what people look for in a trace. Scripts take another form.
		if to != nil {
			err = to(&row)
		} else {
			shown := row.Trace
			if placer.Charset != nil { // IDs may have line ends then
				shown = []byte(chars.Visible(string(shown)))
			}
			line = fmt.Appendf(line[:0], "%s\t%s\t%d\t", shown, commitText(m.Point.Commit, m.Point.Run), row.N)
			line = append(appendValue(line, m.Point.Value), '\n')
			_, err = t.data.Write(line)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}
