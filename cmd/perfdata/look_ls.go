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
	order          string
	since, until   string
	after          string
	accept, reject string

	options            ingest.WalkOptions
	accepted, rejected *regexp.Regexp // of accept and reject

	count int // of the files that were printed
}

// lsOrders are the values of --order, by ingest.Order.
var lsOrders = []string{"hour", "path", "time"}

// lsCommand returns the command that lists trees. It opens no file.
func (t *tool) lsCommand() *cobra.Command {
	var l listing
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
	acceptFolderFlag(flags)
	flags.StringVar(&l.order, "order", "hour", "`ORDER` of the files: "+oneOf(lsOrders))
	complete(cmd, "order", lsOrders...)
	flags.StringVar(&l.since, "since", "", "only the hour of this `TIME` and later ones")
	flags.StringVar(&l.until, "until", "", "only hours that begin before this `TIME`")
	flags.StringVar(&l.after, "after", "", "only files after this `FILE`, in the order")
	flags.StringVar(&l.accept, "accept", "", "only files whose path in DIR matches this `REGEXP`")
	flags.StringVar(&l.reject, "reject", "", "only files whose path in DIR does not match this `REGEXP`")
	flags.BoolVar(&l.options.AnyName, "any-name", false, "also files of an hour whose names do not end in .json")

	return cmd
}

// check sets the options to the values of the flags.
func (l *listing) check() error {
	order := slices.Index(lsOrders, l.order)
	if order < 0 {
		return unknownChoice("order", l.order, lsOrders)
	}
	l.options.Order = ingest.Order(order)
	switch {
	case l.options.Order == ingest.ByPath && l.since+l.until != "":
		return errors.New("--since and --until need --order hour or --order time")
	case l.options.Order == ingest.ByModTime && l.after != "":
		return errors.New("--after needs --order hour or --order path")
	}

	// All flags are parsed before the first error is returned, in the order of the usage.
	var sinceErr, untilErr, acceptErr, rejectErr, afterErr error
	l.options.From, sinceErr = timeFlag("since", l.since)
	l.options.Until, untilErr = timeFlag("until", l.until)
	l.accepted, acceptErr = regexpFlag("accept", l.accept)
	l.rejected, rejectErr = regexpFlag("reject", l.reject)
	if l.after != "" {
		l.options.After, afterErr = fromTop(l.after)
		// A file without an hour has no place in that order, so nothing would be after it.
		if _, ok := ingest.HourOf(l.options.After); !ok && l.options.Order == ingest.ByHour && afterErr == nil {
			afterErr = fmt.Errorf("--after %q: want a file below YYYY/MM/DD/HH", l.after)
		}
	}
	return firstError(sinceErr, untilErr, acceptErr, rejectErr, afterErr)
}

// timeFlag parses the value of a flag. It is the zero time, which means no bound, without a value.
// One of the layouts is the part of a path that has the hour, so that it can be copied from there.
func timeFlag(flag, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006/01/02/15", time.RFC3339} {
		if at, err := time.Parse(layout, value); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--%s %q: want 2006-01-02, 2006-01-02T15:04, 2006/01/02/15 or RFC 3339", flag, value)
}

// regexpFlag compiles the value of a flag, and names the flag in the error.
func regexpFlag(flag, value string) (*regexp.Regexp, error) {
	expr, err := regexp.Compile(value)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return expr, nil
}

// ls prints the files of a folder.
func (t *tool) ls(dir string, l *listing) error {
	named, err := newNamed(dir)
	if err != nil {
		t.report(&fs.PathError{Op: "ls", Path: dir, Err: causeOf(err)})
		return nil
	}
	root := named.name
	for f, err := range ingest.Walk(named, root, l.options) {
		inDir := f.Path
		// The walk has the paths from the top folder. Users see paths that they can open, which
		// begin with the path that they typed.
		if root != "." {
			inDir = strings.TrimPrefix(strings.TrimPrefix(f.Path, root), "/")
		}
		path := filepath.Join(dir, filepath.FromSlash(inDir))

		switch {
		// A folder that cannot be read is reported even if its name would be rejected: it may hide
		// files whose names would not be.
		case err != nil && !errors.Is(err, ingest.ErrLayout):
			t.report(&fs.PathError{Op: "ls", Path: path, Err: causeOf(err)})
		case !l.wants(inDir):
		case err != nil:
			t.report(fmt.Errorf("%s: %w", path, causeOf(err)))
		default:
			l.count++
			if _, err := fmt.Fprintln(t.data, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// wants reports whether --accept and --reject let a path pass.
func (l *listing) wants(path string) bool {
	// Without --accept, the expression is empty, which matches every path. Without --reject, it
	// must match none.
	return l.accepted.MatchString(path) && (l.reject == "" || !l.rejected.MatchString(path))
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
