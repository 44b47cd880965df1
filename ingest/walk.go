package ingest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"perfdata/internal/opening"
)

// A File is a file to be ingested. [Walk] yields the files of a tree. A program may make others,
// for an upload for example: a File needs a Path and Open.
type File struct {
	// Path names the file in reports and in the store. It has slashes on every system.
	Path string

	// Hour is when the file was written: a full hour, in UTC. It is zero if the Path has no hour.
	Hour time.Time

	Size    int64     // in bytes, when the file was listed
	ModTime time.Time // when the file was listed; may be zero

	// Open opens the file for reading its bytes, once, from the beginning. Another attempt opens it
	// again (RunOptions.Retries). If a Read can block for long, it must fail when the context is
	// canceled. Run opens several Files at the same time.
	//
	// If the result has the method Stat of an [fs.File], a file that changes while it is read
	// fails.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// WalkOptions are the options of [Walk]. The zero value has the defaults.
type WalkOptions struct {
	Order Order

	// From and Until are a range of time, with From and without Until. A file is left out if its
	// hour ends at or before From, or begins at or after Until. Either may be zero. They need ByHour.
	From, Until time.Time

	// After is the Path of a file, after which the walk resumes: files up to it in the order are
	// left out. The file need not exist. A file that has been added to an earlier hour since, or
	// to the same hour with an earlier path, is not seen; to see it, walk the hours again, with
	// From.
	After string

	// Accept leaves out the files whose Path it does not match, and Reject the files whose Path
	// it matches. Either may be nil.
	Accept, Reject *regexp.Regexp

	// AnyName takes all files in hour directories. Without it, the name of a file must end in
	// .json, as the storage layout requires. ByPath takes all files anyway.
	AnyName bool
}

// An Order is the order in which [Walk] yields files. Paths are compared byte by byte.
type Order int

const (
	// ByHour is the order of the storage layout: by hour, oldest first, and then by path.
	ByHour Order = iota

	// ByPath is the order of any folder. Its files need not have an hour.
	ByPath
)

// ErrLayout is the cause of an error of [Walk] about a path that does not fit the storage layout.
var ErrLayout = errors.New("path is not in the storage layout")

// Walk iterates over the files of a tree in the storage layout,
// root/.../YYYY/MM/DD/HH/.../name.json, or with ByPath, of any tree.
//
// Paths are names in fsys, as in [fs.WalkDir]: they begin with the root. So a file has the same
// Path, and hour, whether the root is the whole tree or the directory of one day.
//
// The second value of a step is an error about the path of the first, a [*fs.PathError]; all other
// fields of the File are then zero. The cause is [ErrLayout] if a file, or a directory with
// everything in it, does not fit; otherwise a directory or file could not be read. The walk
// continues after each of them, unless the caller ends it.
//
// Walk needs only Open, ReadDir and Stat of fsys, and reads a directory when its turn comes. Before
// the first file, it reads the directories above the years, the years, and one month and day of the
// trees of hours. Directories of hours, days and months out of range are not read. Its memory
// depends on the largest directory and on the number of months. The months of several trees are
// merged.
//
// Symbolic links to files are followed, and those to directories are errors. So are files that are
// not regular. A directory of four digits is a year if a month is in it. In a month or a day,
// every directory must be a day or an hour.
func Walk(fsys fs.FS, root string, options WalkOptions) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		w := &walker{fsys: fsys, WalkOptions: options}
		w.yield = func(f File, err error) bool {
			w.stopped = w.stopped || !yield(f, err)
			return !w.stopped
		}
		if err := w.check(root); err != nil {
			w.yield(File{Path: root}, &fs.PathError{Op: "walk", Path: root, Err: err})
			return
		}

		w.depth = strings.Count(root, "/")
		info, err := fs.Stat(fsys, root)
		switch {
		case err != nil:
			w.fail(root, err)
		case !info.IsDir():
			w.file(root, info)
		case w.Order == ByHour:
			w.byHour(root)
		default:
			w.dir(root)
		}
	}
}

// A walker is the state of a Walk. Its methods return at once when it has stopped.
type walker struct {
	WalkOptions
	fsys      fs.FS
	yield     func(File, error) bool // sets stopped
	stopped   bool
	depth     int       // of the root
	afterHour time.Time // of After, in ByHour
	periods   []period  // in ByHour: that are not read yet, the first one last
}

// check returns an error if the root or the options are invalid.
func (w *walker) check(root string) error {
	switch {
	case !fs.ValidPath(root):
		return fs.ErrInvalid
	case w.Order < ByHour || w.Order > ByPath:
		return errors.New("unknown Order")
	case w.Order == ByPath && !(w.From.IsZero() && w.Until.IsZero()):
		return errors.New("the options From and Until need the order by hour")
	case w.After == "":
		return nil
	case w.Order == ByHour:
		var ok bool
		if w.afterHour, ok = HourOf(w.After); !ok {
			return errors.New("the option After must be the path of a file in the storage layout: " +
				"want .../YYYY/MM/DD/HH/.../name")
		}
	}
	return nil
}

// fail yields an error about a path.
func (w *walker) fail(name string, err error) {
	if w.stopped {
		return
	}
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		err = &fs.PathError{Op: "walk", Path: name, Err: err}
	}
	w.yield(File{Path: name}, err)
}

// A layoutError says why a path does not fit the storage layout.
type layoutError string

const noHour layoutError = "no directories YYYY/MM/DD/HH before the name"

func (e layoutError) Error() string   { return string(e) }
func (e layoutError) Is(t error) bool { return t == ErrLayout }

// misfit yields an error about a path that does not fit, unless the caller left it out.
func (w *walker) misfit(name string, why layoutError) {
	if w.accepts(name) {
		w.fail(name, why)
	}
}

func (w *walker) accepts(name string) bool {
	return (w.Accept == nil || w.Accept.MatchString(name)) && (w.Reject == nil || !w.Reject.MatchString(name))
}

// An entry of a directory. Its path is that in the file system. Its order is that of the paths of
// the files in it, if it is a directory: a-b before a/b.
type entry struct {
	fs.DirEntry
	path, order string
}

// readDir returns the entries of a directory in their order.
func (w *walker) readDir(dir string) []entry {
	if w.stopped {
		return nil
	}
	if strings.Count(dir, "/") > w.depth+opening.MaxDepth {
		w.fail(dir, opening.ErrDepth)
		return nil
	}
	list, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		w.fail(dir, err) // some entries may have been read
	}

	entries := make([]entry, 0, len(list))
	for _, e := range list {
		name := e.Name()
		if name == "." || !fs.ValidPath(name) || strings.Contains(name, "/") {
			w.fail(dir, errors.New("the directory has an entry with an invalid name"))
			continue
		}
		full := path.Join(dir, name)
		at := entry{e, full, full}
		if e.IsDir() {
			at.order += "/"
		}
		entries = append(entries, at)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.order, b.order) })
	return entries
}

// dir yields the files in a directory by path.
func (w *walker) dir(name string) {
	if w.isBefore(name, true) {
		return
	}
	for _, e := range w.readDir(name) {
		switch {
		case w.stopped:
			return
		case e.IsDir():
			w.dir(e.path)
			continue
		case w.isBefore(e.path, false) || !w.accepts(e.path):
			continue
		}

		info, err := e.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, err = fs.Stat(w.fsys, e.path)
			if err == nil && info.IsDir() {
				err = errors.New("symbolic link to a directory is not followed")
			}
		}
		if err != nil {
			w.fail(e.path, err)
		} else {
			w.file(e.path, info)
		}
	}
}

// isBefore reports whether After leaves out a file, or every file in a directory.
func (w *walker) isBefore(name string, isDir bool) bool {
	if w.After == "" {
		return false
	}
	if w.Order == ByHour {
		if hour, ok := HourOf(name + "/x"); ok && !hour.Equal(w.afterHour) {
			return hour.Before(w.afterHour)
		}
	}
	switch {
	case !isDir:
		return name <= w.After
	case name == ".":
		return false
	}
	name += "/"
	return name < w.After && !strings.HasPrefix(w.After, name)
}

// file yields a file, if it fits and is in the range.
func (w *walker) file(name string, info fs.FileInfo) {
	hour, hasHour := HourOf(name)
	mode := info.Mode()
	switch {
	case !w.accepts(name), w.Order == ByHour && hasHour && !w.inRange(hour, hour.Add(time.Hour)):
	case w.Order == ByHour && !hasHour:
		w.misfit(name, noHour)
	case w.Order == ByHour && !w.AnyName && (!strings.HasSuffix(name, ".json") || path.Base(name) == ".json"):
		w.misfit(name, "the name does not end in .json")
	case !mode.IsRegular() && mode.Type() != fs.ModeIrregular: // in gocloud.dev/blob, objects of buckets are irregular
		w.fail(name, errors.New("not a regular file"))
	default:
		w.yield(File{
			Path: name, Hour: hour, Size: info.Size(), ModTime: info.ModTime(),
			Open: func(context.Context) (io.ReadCloser, error) {
				file, _, err := opening.File(w.fsys, name)
				return file, err
			},
		}, nil)
	}
}

// inRange reports whether a part of the time from start, before end, is in the range.
func (w *walker) inRange(start, end time.Time) bool {
	return (w.Until.IsZero() || start.Before(w.Until)) && (w.From.IsZero() || end.After(w.From))
}
