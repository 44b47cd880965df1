package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/ingest"
	"perfdata/internal/visible"
	"perfdata/store"
	"perfdata/traceid"
)

func (t *tool) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Keep measurements in a database, and query them",
		Long: `Keep the measurements of files of any format in a database, and query them.

A DATABASE is a file of SQLite, which ingest creates, or the URL of a PostgreSQL
database, such as postgres://user@host/database.

If several files have a measurement of a trace at a commit, the newest file is
used: the one with the latest hour in its path (YYYY/MM/DD/HH), or with the last
path in the same hour. Values are in the order of the commits: see perfdata help
store commits.`,
		Example: `  perfdata store ingest perf.db results
  perfdata store query perf.db 'arch=x86&stat=min'`,
	}
	refuseUnknown(cmd)
	cmd.AddCommand(t.storeIngestCommand(), t.storeQueryCommand(), t.storeDiffCommand(), t.storeParamsCommand(),
		t.storeSourcesCommand(), t.storeCommitsCommand(), t.storeDeleteCommand(), t.storeDumpCommand())
	return cmd
}

func (t *tool) storeIngestCommand() *cobra.Command {
	var options store.IngestOptions
	cmd := &cobra.Command{
		Use:   "ingest DATABASE FILE...",
		Short: "Store files, all or nothing of each",
		Long: `Store files, and all files in folders. Paths in the database begin below the folder,
so a tree in the storage layout keeps its hours. All of a file is stored, or
nothing. A file that is stored already, with the same size and time, is not read
again, unless --verify is given; nothing changes if its content is the same.

A file with a measurement that names no commit fails, unless --commit names one or
--allow-no-commit is given. Files of a run (--run) add up, such as the shards of a job.
Without --run, each file is a run, and replaces the values of older ones.

A faulty measurement is left out, and the rest of its file is stored; with
--strict, it makes the file fail. What is left out, and files that fail, are
reported on standard error, and make the exit status 1. perfdata store sources
lists them later, with the reason.

A new database records the characters that its trace IDs replace by _: --charset,
as the invalid_param_char_regex of an instance of Skia Perf, or the default. After
that, --charset is not needed, and another one is refused.`,
		Example: "  perfdata store ingest perf.db results\n  perfdata store ingest postgres://localhost/perf results",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := t.reading.check(); err != nil {
				return err
			}
			return t.withStore(args[0], true, func(ctx context.Context, s *store.Store) error {
				for _, name := range args[1:] {
					if err := t.ingest(ctx, s, name, options); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&options.Strict, "strict", false, "store nothing of a file with a faulty measurement")
	t.addOpenerFlags(cmd)
	t.addCharsetFlag(cmd)
	cmd.Flags().BoolVar(&options.Verify, "verify", false, "read files that are stored already, and compare their content")
	cmd.Flags().BoolVar(&options.AllowNoCommit, "allow-no-commit", false, "store measurements that name no commit")
	cmd.Flags().StringVar(&options.Run, "run", "", "the `NAME` of the run that the files belong to: they add up")
	return cmd
}

func (t *tool) storeQueryCommand() *cobra.Command {
	var selected store.Range
	var flags *tableFlags
	id, commit := "", ""
	cmd := &cobra.Command{
		Use:   "query DATABASE [QUERY]",
		Short: "Print the values of the traces that a query selects",
		Long: `Print each value of the traces that QUERY selects, or of all traces, in the order of
the traces and then of the commits. The columns and forms are those of perfdata help
records, except for --as text, which is the trace, the commit, the number of the
repetition and the value, separated by tabs. A note on standard error says how the
commits are ordered, and whether that is a guess.

With --commit, print only the values at a commit, and with --newest, only those at the
newest commit of each trace. With --id in place of QUERY, print one trace.

perfdata help id match describes queries. Exit status: 0 if there is a value, 1 if
there is none.`,
		Example: `  perfdata store query perf.db 'arch=x86&stat=min'
  perfdata store query --newest perf.db 'arch=x86'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			q, err := parseQuery(strings.Join(args[1:], ""))
			if err != nil {
				return err
			}
			if id != "" && len(args) > 1 {
				return errors.New("--id and QUERY: want one of them")
			}
			selected.First, selected.Last = commit, commit
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				if id == "" {
					return t.queryStore(ctx, s, q, selected, flags)
				}
				_, err := t.printMeasurements(s, s.TraceMeasurements(ctx, id, selected), flags)
				if errors.Is(err, store.ErrUnknownTrace) {
					t.report(err)
					return nil
				}
				return err
			})
		},
	}
	flags = addTableFlags(cmd, "tsv")
	addTrialFlag(cmd, &selected.Trial)
	cmd.Flags().StringVar(&id, "id", "", "the `TRACE` whose values are printed: its ID, as in the column trace")
	cmd.Flags().StringVar(&commit, "commit", "", "only values at the `COMMIT`")
	cmd.Flags().BoolVar(&selected.Newest, "newest", false, "only values at the newest commit of each trace")
	complete(cmd, "id")
	complete(cmd, "commit")
	t.addCharsetFlag(cmd)
	t.addOutputFlag(cmd)
	return cmd
}

// queryStore prints the values of the traces that a query selects, or that there are none.
func (t *tool) queryStore(
	ctx context.Context, s *store.Store, q *traceid.Query, selected store.Range, flags *tableFlags,
) error {
	found, err := t.printMeasurements(s, s.Measurements(ctx, q, selected), flags)
	if err != nil || found {
		return err
	}
	set, err := s.ParamSet(ctx, selected.Trial)
	if err != nil {
		return err
	}
	t.selection.setCharset(s.Charset())
	t.add(q)
	for key, values := range set.All() {
		t.suggest(key, values)
	}
	t.reportUnmatched("trace")
	return nil
}

func (t *tool) storeParamsCommand() *cobra.Command {
	var trial store.Trial
	cmd := &cobra.Command{
		Use:   "params DATABASE",
		Short: "Print the keys of the traces with their values",
		Long: `Print a line for each key of the traces that have values: the key, a tab, and its
values, separated by spaces.`,
		Example: "  perfdata store params perf.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				set, err := s.ParamSet(ctx, trial)
				if err != nil {
					return err
				}
				for key, values := range set.All() {
					fmt.Fprintf(t.data, "%s\t%s\n", key, strings.Join(values, " "))
				}
				return nil
			})
		},
	}

	addTrialFlag(cmd, &trial)
	t.addOutputFlag(cmd)
	return cmd
}

func (t *tool) storeSourcesCommand() *cobra.Command {
	failed := false
	cmd := &cobra.Command{
		Use:   "sources DATABASE",
		Short: "Print what became of each file",
		Long: `Print a line for each file: its path, format and number of measurements, and why it
failed, or how many faults were left out, and the first of them. Tabs separate
them.`,
		Example: "  perfdata store sources --failed perf.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				for src, err := range s.Sources(ctx) {
					if err != nil {
						return err
					}
					if failed && src.Err == "" {
						continue
					}

					reason := src.Err
					if src.Faults > 0 {
						reason = plural(src.Faults, "fault") + ": " + reason
					}
					fmt.Fprintf(t.data, "%s\t%s\t%d\t%s\n", visible.String(src.Path), src.Format, src.Records,
						visible.String(reason))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "only files with an error")
	t.addOutputFlag(cmd)
	return cmd
}

func (t *tool) storeDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete DATABASE PATH...",
		Short: "Delete what is stored of files",
		Long: `Delete what is stored of each file. PATH is its path in the database, as perfdata store
sources prints it. Older values that the file had replaced are visible again. Exit
status 1 if the database does not have a PATH.`,
		Example: "  perfdata store delete perf.db nano/2024/05/01/22/run.json",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				for _, name := range args[1:] {
					err := s.Delete(ctx, name)
					if errors.Is(err, fs.ErrNotExist) {
						t.report(fmt.Errorf("%s: not in the database", name))
					} else if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func (t *tool) storeDumpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dump DATABASE",
		Short: "Print all that a database holds, in an order that depends on the files only",
		Long: `Print all that a database holds as lines of text. Two databases with the same files
have the same dump, whatever the order in which the files were stored; so a hash
of the dump is a checksum. It is not a backup: nothing reads it.`,
		Example: "  perfdata store dump perf.db | sha256sum",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return t.withStore(args[0], false, func(ctx context.Context, s *store.Store) error {
				return s.Dump(ctx, t.data)
			})
		},
	}
	t.addOutputFlag(cmd)
	return cmd
}

// addTrialFlag adds the flag that selects a change under review in place of the mainline.
func addTrialFlag(cmd *cobra.Command, trial *store.Trial) {
	cmd.Flags().Var(trialFlag{trial}, "trial", "the change under review `ISSUE/PATCHSET`, in place of the mainline")
	complete(cmd, "trial")
}

// A trialFlag is the value of --trial.
type trialFlag struct{ *store.Trial }

func (f trialFlag) String() string { return "" }
func (f trialFlag) Type() string   { return "trial" }

func (f trialFlag) Set(text string) error {
	issue, patchset, ok := strings.Cut(text, "/")
	if !ok || issue == "" {
		return errors.New("want ISSUE/PATCHSET, such as 12345/2")
	}
	f.Issue, f.Patchset = issue, patchset
	return nil
}

// withStore opens a database and calls do with it. A file that does not exist is created only if
// create is set.
func (t *tool) withStore(name string, create bool, do func(context.Context, *store.Store) error) error {
	if !create && !strings.Contains(name, "://") {
		// store.Open would create it.
		if _, err := os.Stat(name); err != nil {
			return err
		}
	}
	ctx := context.Background()
	s, err := store.OpenWith(ctx, name, store.Options{Charset: t.reading.charset})
	if err != nil {
		return err
	}
	err = do(ctx, s)
	return firstError(err, s.Close())
}

// ingest stores a file, or the files in a folder, and prints how many.
func (t *tool) ingest(ctx context.Context, s *store.Store, name string, options store.IngestOptions) error {
	files, err := storeFiles(name)
	if err != nil {
		return err
	}
	options.RunOptions = ingest.RunOptions{
		Opener: t.reading.opener(t.limits),
		Strict: options.Strict,
		Report: func(r ingest.Report) {
			if r.Err != nil {
				t.report(r.Err)
			}
			for _, fault := range r.FirstFaults {
				t.report(fault)
			}
			if more := r.Faults - len(r.FirstFaults); more > 0 {
				t.report(fmt.Errorf("%s: %s more", r.File.Path, plural(more, "fault")))
			}
		},
	}

	summary, err := s.Ingest(ctx, files, options)
	leftOut := ""
	if summary.Faults > 0 {
		leftOut = ", " + plural(summary.Faults, "fault") + " left out"
	}
	fmt.Fprintf(t.stdout, "%s: stored %s of %s%s, %s failed\n", visible.String(name),
		plural(summary.Records, "measurement"), plural(summary.Files, "file"), leftOut, plural(summary.Failed, "file"))
	return err
}

// storeFiles returns the files in a folder, whose paths begin below the folder, or a single file.
// The path of a single file is that of the command line, or if that leaves the current folder, the
// absolute one without the first slash.
func storeFiles(name string) (iter.Seq2[ingest.File, error], error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return ingest.Walk(os.DirFS(name), ".", ingest.WalkOptions{Order: ingest.ByPath}), nil
	}

	root, top, err := fromTop(name)
	if err != nil {
		return nil, err
	}
	inStore := root
	if filepath.IsLocal(name) {
		inStore = filepath.ToSlash(filepath.Clean(name))
	}
	return func(yield func(ingest.File, error) bool) {
		for f, err := range ingest.Walk(os.DirFS(top), root, ingest.WalkOptions{Order: ingest.ByPath}) {
			f.Path = inStore
			f.Hour, _ = ingest.HourOf(inStore)
			if !yield(f, err) {
				return
			}
		}
	}, nil
}
