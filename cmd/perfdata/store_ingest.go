package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"perfdata/ingest"
	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/internal/opening"
	"perfdata/store"
)

// A storeIngest is the command store ingest.
type storeIngest struct {
	*tool
	options      store.IngestOptions
	since, until time.Time // zero for none
	dryRun       bool
	commits      string // the file of a list; empty if none is given
	repository   string // of the list
	stored       int    // files that the database has
	isAway       bool   // it could not take a file

	folders map[string]string // that had a path, if several are given
}

// storeIngestCommand returns the command that stores files. It finds the files, and package ingest
// does the rest, as in a service.
func (t *tool) storeIngestCommand() *cobra.Command {
	c := &storeIngest{tool: t}
	cmd := &cobra.Command{
		Use:   "ingest DATABASE FILE...",
		Short: "Store files, all or nothing of each",
		Long: `Store files, and all files in folders; - is standard input. Paths in the database begin
below the folder, so a tree in the storage layout keeps its hours. If two of the
folders have a file of the same path, the path of the second begins with its folder. A
file is stored completely or not at all. A file that is stored already, with the same size
and time, is not read again, unless --verify is given; nothing changes if its content is
the same. Parquet files that records or store query has written are also read.

A file without an hour in its path (YYYY/MM/DD/HH) may have other content each time,
like the bench.txt that a job writes at each commit. Other content, or the same content
with another --commit, is stored as a newer file, under a path with the time of arrival,
as for uploads. A history that grew, such as data.js, replaces the earlier one. The
content of a path with an hour does not change: other content is an error.

--commits gives the database the list of commits that decides their order, before it
stores the files: see perfdata help store commits. Without a list, the order of arrival
decides in most cases, which is a guess.

A file with a measurement that names no commit fails, unless --commit names one or
--allow-no-commit is given. Files of a run (--run) add up, such as the shards of a job.
Without --run, each file is a run, and replaces the values of older ones.

A faulty measurement is left out, and the rest of its file is stored; with
--strict, it makes the file fail. Measurements that are left out, and files that fail,
are reported on standard error, and make the exit status 1. perfdata store sources
lists them later, with the reason.

--since and --until choose files by the hour in their path (YYYY/MM/DD/HH), in UTC.
Then a folder must be in the storage layout, and files without an hour are
reported. --dry-run stores nothing, and prints the paths of the files that would
be read. With --retries, a file is read again if its failure may be temporary, such as a
failure of a network drive or of the database's server.

A new database records the characters that its trace IDs replace by _: --charset,
such as the invalid_param_char_regex of an instance of Skia Perf, or the default. After
that, --charset is not needed, and another one is refused.`,
		Example: "  perfdata store ingest perf.db results\n" +
			"  perfdata store ingest postgres://localhost/perf results\n" +
			"  git rev-list --reverse HEAD | perfdata store ingest --commits - --commit abc123 perf.db bench.txt\n" +
			"  perfdata store ingest --since 2026-11-01 --dry-run perf.db results",
		RunE: func(cmd *cobra.Command, args []string) error {
			// Less than 1 means the default to package ingest, so it would be accepted without a word.
			switch {
			case cmd.Flags().Changed("workers") && c.options.Workers < 1:
				return errors.New("--workers: want at least 1")
			case c.options.Retries < 0:
				return errors.New("--retries: want at least 0")
			}
			return c.run(args[0], args[1:])
		},
	}

	flags := cmd.Flags()
	// Users type -r as for other commands.
	flags.BoolP("recursive", "r", true, "read the files in folders, which this command always does")
	flags.BoolVar(&c.options.Strict, "strict", false, "store nothing of a file with a faulty measurement")
	t.addOpenerFlags(cmd)
	t.addCharsetFlag(cmd)
	flags.BoolVar(&c.options.Verify, "verify", false, "read files that are stored already, and compare their content")
	flags.BoolVar(&c.options.AllowNoCommit, "allow-no-commit", false, "store measurements that name no commit")
	flags.StringVar(&c.commits, "commits", "",
		"give the database the order of the commits in `FILE`, as git rev-list --reverse HEAD prints it, or -")

	flags.StringVar(&c.repository, "repository", "", "the `NAME` of the repository of --commits, if there are several")
	flags.StringVar(&c.options.Run, "run", "", "the `NAME` of the run that the files belong to: they add up")
	flags.Func("since", "leave out files of earlier hours than `TIME`, as 2026-11-23 or 2026-11-23T15",
		setTime(&c.since, time.Hour))
	flags.Func("until", "leave out files of the hour of `TIME`, and of later ones", setTime(&c.until, time.Hour))
	flags.IntVar(&c.options.Workers, "workers", 0,
		"read at most `N` files at the same time (default: one for each CPU)")
	flags.IntVar(&c.options.Retries, "retries", 0, "read a file up to `N` times again if its failure may pass")
	flags.BoolVar(&c.dryRun, "dry-run", false, "store nothing: print the paths of the files that would be read")
	return cmd
}

func (c *storeIngest) run(database string, names []string) error {
	// Standard input, the names and the list are checked before a database is created: a mistake in
	// the command line would leave an empty one.
	if i := slices.Index(names, stdinName); i >= 0 && slices.Contains(names[i+1:], stdinName) {
		return errors.New("- is given twice: standard input can be read once") // then, a file would be empty
	}
	for _, name := range names {
		if _, err := os.Stat(name); err != nil && name != stdinName {
			return err
		}
	}
	list, err := c.readList(c.commits)
	if err != nil {
		c.report(err)
		return nil // nothing is stored without the order that was asked for
	}

	// With a single folder, no path can be that of another one.
	if len(names) > 1 {
		c.folders = make(map[string]string)
	}
	each := func(ctx context.Context, s *store.Store) error {
		// The list comes before the files. So nothing is stored if the store refuses it, and the values
		// are in its order for everyone who reads meanwhile.
		if len(list) > 0 && !c.dryRun {
			summary, err := s.SetCommits(ctx, c.repository, list)
			if err != nil {
				return err
			}
			printList(c.stdout, c.commits, summary)
		}

		// A folder is stored to its end before the next one, so that a summary is of one of them.
		for _, name := range names {
			files, err := c.files(name)
			if err != nil {
				return err
			}
			if c.dryRun {
				err = c.list(ctx, s, name, files)
			} else {
				err = c.store(ctx, s, name, files)
			}
			if err != nil {
				return err
			}
		}

		// Only now does the database have the commits of the new files, which the list may lack.
		if len(list) > 0 && !c.dryRun {
			return c.noteUnlisted(ctx, s)
		}
		return nil
	}

	_, err = os.Stat(database)
	// A dry run must not create anything. A file is created by opening it; a server already has the
	// database of a URL, or opening it fails.
	isNew := errors.Is(err, fs.ErrNotExist) && !strings.Contains(database, "://")
	if c.dryRun && isNew {
		return each(context.Background(), nil) // it would be created
	}
	err = c.withStore(database, !c.dryRun, each)
	// A full disk may leave a database without a measurement, which looks like one that is used.
	if _, missing := os.Stat(database); c.isAway && isNew && missing == nil && c.stored == 0 {
		c.note("%s: the new database is empty", database) // others may use it already, so it stays
	}
	return err
}

// store stores files, and prints how many.
func (c *storeIngest) store(
	ctx context.Context, s *store.Store, name string, files iter.Seq2[ingest.File, error],
) error {
	records := 0
	if !c.quiet && c.isTerminal(c.errs) {
		c.showBar(-1, chars.Visible(filepath.Base(name)), // how many files there are is not known
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("files"), progressbar.OptionShowIts(),
			progressbar.OptionSetSpinnerChangeInterval(0)) // no goroutine that draws when the line was removed
	}
	options := c.optionsFor(name)
	// Workers read files at the same time, but reports come one after the other. So the counts need no
	// lock.
	options.Report = func(r ingest.Report) {
		if c.bar != nil {
			c.bar.Add(1)
		}
		// The measurements of a skipped file were stored by an earlier command.
		if !r.Skipped {
			records += r.Content.Records
		}
		if r.Err != nil {
			c.isAway = c.isAway || errors.Is(r.Err, store.ErrUnavailable)
			c.report(r.Err)
		}
		for _, fault := range r.FirstFaults {
			c.report(fault)
		}

		// The database keeps the first faults of a file, and the number of all. The first are at most 20,
		// so that a log with a fault in each line does not hide other errors.
		if more := r.Faults - len(r.FirstFaults); more > 0 {
			c.report(fmt.Errorf("%s: %s more", r.File.Path, message.Plural(more, "fault")))
		}
	}

	// After an error, the summary has what was stored before it: files that are stored stay.
	summary, err := s.Ingest(ctx, mapFiles(files, parquetAsRows), options)
	c.removeBar() // the summary takes its line
	c.stored += summary.Files
	line := fmt.Sprintf("%s: stored %s of %s", chars.Visible(inputName(name)),
		message.Plural(records, "measurement"), message.Plural(summary.Files-summary.Skipped, "file"))
	if summary.Faults > 0 {
		line += ", " + message.Plural(summary.Faults, "fault") + " left out"
	}
	if summary.Skipped > 0 {
		line += ", " + message.Plural(summary.Skipped, "file") + " stored already"
	}
	fmt.Fprintf(c.stdout, "%s, %s failed\n", line, message.Plural(summary.Failed, "file"))
	return err
}

// optionsFor returns the options for the files of a name on the command line.
func (c *storeIngest) optionsFor(name string) store.IngestOptions {
	// The Opener is made now and not with the flags, because --limit may follow them. The folder tells
	// files without an hour apart that have the same path in two folders. With --retries, the waits
	// are 1, 2, 4 seconds and so on, at most a minute. With NewVersions, other content of the same
	// path is stored as a newer file, and is not an error. The folder is cleaned, so that results and
	// results/ are the same.
	options := c.options
	options.Opener, options.Backoff = c.reading.opener, time.Second
	options.NewVersions, options.Folder = true, filepath.ToSlash(filepath.Clean(name))
	if info, err := os.Stat(name); name == stdinName || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		options.Retries = 0 // it cannot be read twice: a FIFO would wait for another writer
	}
	return options
}

// list prints the files that store would read, and how many it would not. The store is nil if
// there is none yet.
func (c *storeIngest) list(
	ctx context.Context, s *store.Store, name string, files iter.Seq2[ingest.File, error],
) error {
	read, stored := 0, 0
	options := c.optionsFor(name)
	for f, err := range files {
		// A path that the walk cannot list is an error of the ingestion, too, so that both have the same
		// exit status.
		if err != nil {
			c.report(err)
			continue
		}

		// The database compares sizes and times, so no file is opened.
		if s != nil {
			switch has, err := s.LookupFor(ctx, f, options); {
			case err != nil:
				return err
			case has != nil:
				stored++
				continue
			}
		}
		read++
		fmt.Fprintln(c.stdout, chars.Visible(f.Path))
	}

	c.note("%s: %s to be read, %s stored already", inputName(name), message.Plural(read, "file"),
		message.Plural(stored, "file"))
	return nil
}

// files returns the files in a folder, whose paths begin below the folder, or a single file. The
// path of a single file is its path on the command line, or if that leaves the current folder,
// the absolute path without the first slash.
func (c *storeIngest) files(name string) (iter.Seq2[ingest.File, error], error) {
	// Files of any format are stored, so their names need not end in .json. The storage layout is
	// required only where hours are: any folder of results can be stored.
	walk := ingest.WalkOptions{Order: ingest.ByPath, From: c.since, Until: c.until, AnyName: true}
	if !walk.From.IsZero() || !walk.Until.IsZero() {
		walk.Order = ingest.ByHour
	}
	if name == stdinName {
		return c.pipe(stdinPath, walk.Order, func() (io.ReadCloser, error) {
			c.noteTerminal()
			return io.NopCloser(struct{ io.Reader }{c.stdin}), nil
		}), nil
	}

	// Stat follows a link, because the user has named it. The walk reports links to folders, and does
	// not follow them.
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		// No link leads out of the Folder: in a tree from elsewhere, it could name any file of the user.
		files := ingest.Walk(opening.FolderOf(name), ".", walk)
		if c.folders == nil {
			return files, nil
		}
		folder := filepath.Clean(name)
		return mapFiles(files, func(f *ingest.File, err error) {
			// If another folder also has the path, the path begins with the folder, like the path of a
			// single file.
			if first, ok := c.folders[f.Path]; ok && first != folder && err == nil {
				f.Path = strings.TrimPrefix(path.Join(filepath.ToSlash(folder), f.Path), "/")
			} else {
				c.folders[f.Path] = folder
			}
		}), nil
	}

	named, err := newNamed(name)
	if err != nil {
		return nil, err
	}
	inStore := named.name
	if filepath.IsLocal(name) {
		inStore = filepath.ToSlash(filepath.Clean(name))
	}
	// The walk refuses files that are not regular. A pipe that the user has named is read without it.
	if !info.Mode().IsRegular() {
		if strings.HasPrefix(name, "/dev/fd/") {
			inStore = stdinPath // the number of a process substitution is not a name
		}
		return c.pipe(inStore, walk.Order, func() (io.ReadCloser, error) { return os.Open(name) }), nil
	}

	// The path of the walk begins at the top of the file system. Folders above the current one may
	// look like an hour there, so the hour is that of the path in the database.
	return mapFiles(ingest.Walk(named, named.name, walk), func(f *ingest.File, _ error) {
		f.Path = inStore
		f.Hour, _ = ingest.HourOf(inStore)
	}), nil
}

// mapFiles returns files after a function has changed each.
func mapFiles(
	files iter.Seq2[ingest.File, error], change func(f *ingest.File, err error),
) iter.Seq2[ingest.File, error] {
	return func(yield func(ingest.File, error) bool) {
		for f, err := range files {
			if change(&f, err); !yield(f, err) {
				return
			}
		}
	}
}

// The names of standard input on the command line, and its path in a database.
const (
	stdinName = "-"
	stdinPath = "stdin"
)

// pipe returns a file that is read once, such as standard input. Without a size and a time, the
// database cannot know it before it is read; then equal content changes nothing.
func (c *storeIngest) pipe(
	name string, order ingest.Order, open func() (io.ReadCloser, error),
) iter.Seq2[ingest.File, error] {
	f := ingest.File{Path: name, Open: func(context.Context) (io.ReadCloser, error) { return open() }}
	// As in a folder, a file without an hour is an error about that file: the others are stored.
	var err error
	if order == ingest.ByHour {
		err = &fs.PathError{Op: "walk", Path: name, Err: errors.New("--since and --until need an hour in the path")}
	}
	return func(yield func(ingest.File, error) bool) { yield(f, err) }
}

// noteUnlisted says which order the commits have if the lists lack some, or the list has none of
// them.
func (c *storeIngest) noteUnlisted(ctx context.Context, s *store.Store) error {
	// A list is about the mainline: changes under review may have commits that no list has. A list
	// that has one of the commits decides their order, so under any other order it has none of them.
	commits, order, err := s.Commits(ctx, store.Trial{})
	switch {
	case err != nil:
		return err
	case order.Unlisted > 0:
		c.note("%v", order)
	case order.By != "list" && len(commits) > 0 && commits[0].Name != "":
		c.note("--commits %s: it has none of the commits of the database, such as %s: want their hashes, or names",
			c.commits, commits[0].Name)
	}
	return nil
}
