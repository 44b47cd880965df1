package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdata/ingest"
	"perfdata/internal/message"
	"perfdata/internal/opening"
)

// The order of ls is that in which Skia Perf, and store ingest, would take the files of a tree: a
// script that copies or checks a tree goes on where it stopped, with --after.

// A listing is the flags of ls.
type listing struct {
	options        ingest.WalkOptions
	order, after   string
	since, until   time.Time
	accept, reject regexp.Regexp // for paths in the folder, and not from the top as in a walk
	count          int           // of the files that were printed
}

// lsCommand returns the command that lists trees. It opens no file.
func (t *tool) lsCommand() *cobra.Command {
	l := listing{order: "hour"}
	cmd := &cobra.Command{
		Use:   "ls DIR...",
		Short: "Print the files of a tree in storage order",
		Long: `Print the files of each DIR, oldest hour first. The tree has the storage layout
of Skia Perf, DIR/.../YYYY/MM/DD/HH/.../NAME.json, in UTC. A path that does not
fit is reported on standard error, and makes the exit status 1. The last line on
standard error is the number of files.

With --order path or --order time, DIR is any folder, sorted by path or by the
time of the last modification.

A TIME is 2006-01-02, 2006-01-02T15:04, 2006/01/02/15 (UTC) or RFC 3339.`,
		Example: "  perfdata ls --since 2024-05-01 --reject /tryjob/ results",

		RunE: func(_ *cobra.Command, dirs []string) error {
			if err := l.check(); err != nil {
				return err
			}
			// t.ls reports a folder that does not exist, and the others are still listed. An error
			// that it returns is about the output, so nothing more can be printed.
			for _, dir := range dirs {
				if err := t.ls(dir, &l); err != nil {
					return err
				}
			}
			t.note("%s", message.Plural(l.count, "file"))
			return nil
		},
	}

	// The times, and the times that they are compared with, are in UTC: a tree has the same files
	// everywhere.
	flags := cmd.Flags()
	// Users type -r as for other commands.
	flags.BoolP("recursive", "r", true, "read the files in folders, which this command always does")
	addChoice(cmd, "order", "`ORDER` of the files: ", &l.order, []string{"hour", "path", "time"})
	flags.Func("since", "only the hour of this `TIME` and later ones", setTime(&l.since, 0))
	flags.Func("until", "only hours that begin before this `TIME`", setTime(&l.until, 0))
	flags.StringVar(&l.after, "after", "", "only files after this `FILE`, in the order")
	flags.TextVar(&l.accept, "accept", new(regexp.Regexp), "only files whose path in DIR matches this `REGEXP`")
	flags.TextVar(&l.reject, "reject", new(regexp.Regexp), "only files whose path in DIR does not match this `REGEXP`")
	flags.BoolVar(&l.options.AnyName, "any-name", false, "also files of an hour whose names do not end in .json")

	return cmd
}

// check sets the options that depend on several flags.
func (l *listing) check() (err error) {
	// The walk gets the hours, because it does not even read the folders of other hours. It knows
	// the time of a file only when it lists the file, so ls compares that time itself.
	l.options.Order = ingest.ByPath
	if l.order == "hour" {
		l.options.Order, l.options.From, l.options.Until = ingest.ByHour, l.since, l.until
	}
	switch {
	case l.order == "path" && !(l.since.IsZero() && l.until.IsZero()):
		return errors.New("--since and --until need --order hour or --order time")
	// The walk resumes after a path, which has no place in the order of times.
	case l.order == "time" && l.after != "":
		return errors.New("--after needs --order hour or --order path")
	case l.after == "":
		return nil
	}

	if l.options.After, err = fromTop(l.after); err != nil {
		return err
	}
	// A file without an hour has no place in that order, so nothing would be after it.
	if _, ok := ingest.HourOf(l.options.After); !ok && l.options.Order == ingest.ByHour {
		return fmt.Errorf("--after %q: want a file below YYYY/MM/DD/HH", l.after)
	}
	return nil
}

// setTime returns a function that sets a time in UTC, rounded down to the unit, to the value of a
// flag. Some of the layouts are the part of a path that has the hour, so that they can be copied
// from there.
func setTime(to *time.Time, unit time.Duration) func(string) error {
	return func(text string) error {
		for _, layout := range []string{
			time.DateOnly, "2006-01-02T15", "2006-01-02T15:04", "2006/01/02", "2006/01/02/15", time.RFC3339,
		} {
			if at, err := time.Parse(layout, text); err == nil {
				*to = at.UTC().Truncate(unit)
				return nil
			}
		}
		return errors.New("want a time in UTC, as 2006-01-02, 2006-01-02T15, 2006-01-02T15:04 or 2006/01/02/15, " +
			"or RFC 3339")
	}
}

// ls prints the files of a folder.
func (t *tool) ls(dir string, l *listing) error {
	named, err := newNamed(dir)
	if err != nil {
		t.report(&fs.PathError{Op: "ls", Path: dir, Err: causeOf(err)})
		return nil
	}
	root := named.name
	show := func(f ingest.File, err error) error {
		inDir := f.Path
		// The walk has the paths from the top folder. Users see paths that they can open, which
		// begin with the path that they typed.
		if root != "." {
			inDir = strings.TrimPrefix(strings.TrimPrefix(f.Path, root), "/")
		}
		path := filepath.Join(dir, filepath.FromSlash(inDir))
		// Without its flag, an expression is empty, which would match every path.
		isLeftOut := l.accept.String() != "" && !l.accept.MatchString(inDir) ||
			l.reject.String() != "" && l.reject.MatchString(inDir)

		switch {
		// A folder that cannot be read is reported even if its name would be rejected: it may hide
		// files whose names would not be.
		case err != nil && !errors.Is(err, ingest.ErrLayout):
			t.report(&fs.PathError{Op: "ls", Path: path, Err: causeOf(err)})
		case isLeftOut:
		case err != nil:
			t.report(fmt.Errorf("%s: %w", path, causeOf(err)))
		default:
			l.count++
			_, err = fmt.Fprintln(t.data, path)
			return err
		}
		return nil
	}

	// Only the order by time holds the files in memory: the walk yields them in the other orders.
	var found []ingest.File // to be sorted by the time of the last modification, after all errors
	for f, err := range ingest.Walk(named, root, l.options) {
		if l.order == "time" && err == nil {
			if !f.ModTime.Before(l.since) && (l.until.IsZero() || f.ModTime.Before(l.until)) {
				found = append(found, f)
			}
			continue
		}
		if err := show(f, err); err != nil {
			return err
		}
	}
	// Files of one time keep the order of the walk, which is that of their paths.
	slices.SortStableFunc(found, func(a, b ingest.File) int { return a.ModTime.Compare(b.ModTime) })
	for _, f := range found {
		if err := show(f, nil); err != nil {
			return err
		}
	}
	return nil
}

// causeOf returns an error about a path without the path.
func causeOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// A namedFS has a file or folder of the command line, under the name that it has in the file system
// of the top folder, so that it may itself be a part of an hour, such as results/2024/05. Nothing
// outside of it can be opened. The named file or folder itself may be a link.
type namedFS struct {
	name   string
	folder *opening.Folder
	base   string // of the file or folder
}

// newNamed finds what the command line names. A file that does not exist is an error now, and not
// an empty tree.
func newNamed(name string) (*namedFS, error) {
	top, err := fromTop(name)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(real); err != nil || info.IsDir() {
		return &namedFS{top, opening.FolderOf(real), "."}, err
	}
	// A single file is opened within its folder, like the files of a tree: a FIFO does not block there.
	return &namedFS{top, opening.FolderOf(filepath.Dir(real)), filepath.Base(real)}, nil
}

// Open implements [fs.FS].
func (n *namedFS) Open(name string) (fs.File, error) {
	// The walk opens the named file or folder itself, or files below it. Other names do not exist
	// here.
	within := n.base
	if name != n.name {
		rest, ok := strings.CutPrefix(name, n.name+"/")
		if !ok && n.name != "." || n.base != "." {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		within = rest
	}
	return n.folder.Open(within)
}

// fromTop returns the name of a file in the file system of the top folder: / or the top folder of
// a volume.
func fromTop(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	name := strings.Trim(filepath.ToSlash(abs[len(filepath.VolumeName(abs)):]), "/")
	return cmp.Or(name, "."), nil
}
