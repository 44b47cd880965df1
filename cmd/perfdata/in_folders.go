package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/message"
	"perfdata/internal/opening"
)

// With -r, folders are read by their files. A file of another program must not make a run fail, and
// a file of results must not be left out silently. So a file whose name or content is of a known
// format is read, and every other file is named in a note.

// addFolderFlag adds -r to a command that reads files, and replaces folders among its arguments by
// the files in them.
func (t *tool) addFolderFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&t.recursive, "recursive", "r", false,
		"read the files in folders, except hidden files, and files whose names and contents are of no known format")

	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t.readsFolders = true
		if !t.recursive {
			return run(cmd, args)
		}

		// Detect names the format of each file, and validate lists skipped files among its
		// verdicts.
		t.walk.keepsUnknown = cmd.Name() == "detect"
		for _, name := range args {
			t.walkArgument(name)
		}
		if cmd.Name() != "validate" { // which reports the walk
			if t.reportWalk(); len(t.walk.files) == 0 {
				return nil // it was reported
			}
		}
		return run(cmd, t.walk.files)
	}
}

// A walk has the files that -r found in folders.
type walk struct {
	keepsUnknown bool // collect files of unknown formats too

	files    []string
	places   map[string]place // of the files that were found in a folder that was named
	failures []unreadFile     // files and folders that could not be listed
	skipped  []unreadFile     // other files
	hidden   []string         // files and folders
}

// A place is a file in a folder that was named. It is opened within the folder, because it may have
// been replaced, by a link or a FIFO, since it was looked at.
type place struct {
	folder *opening.Folder
	name   string
}

// An unreadFile is a file or a folder, and the reason why nothing in it is read.
type unreadFile struct {
	name string
	err  error
}

// isSeveral reports whether the results say which file they are from. With -r they do, however many
// files are in the folders.
func (t *tool) isSeveral(files []string) bool { return len(files) > 1 || t.recursive }

// walkArgument adds a file, or the files in a folder, that the user named.
func (t *tool) walkArgument(top string) {
	w := &t.walk
	// A file that does not exist is kept: the command reports it in the same way as without -r.
	if info, err := os.Stat(top); top == "-" || err != nil || !info.IsDir() {
		w.files = append(w.files, top)
		return
	}

	// WalkDir goes in the order of the names, so the results have the same order in every run.
	before, folder := len(w.files), opening.FolderOf(top)
	fs.WalkDir(folder, ".", func(within string, entry fs.DirEntry, err error) error {
		path := top
		if within != "." {
			path = filepath.Join(top, filepath.FromSlash(within))
		}
		fail := func(err error) {
			w.failures = append(w.failures, unreadFile{path, &fs.PathError{Op: "open", Path: path, Err: causeOf(err)}})
		}

		switch {
		case err != nil:
			fail(err)
			return nil // the entries that could be listed follow
		// Hidden files, such as .git, belong to other programs. There may be many, so there is
		// one note for all of them.
		case within != "." && strings.HasPrefix(entry.Name(), "."):
			w.hidden = append(w.hidden, path)
		case !entry.IsDir():
			t.walkFile(path, place{folder, within})
		// Files below the folder of a job are read together: alone, most of them are of no format.
		case slices.ContainsFunc(perfdata.Formats(), func(f format.Format) bool {
			is := false
			if f.DetectDir != nil {
				is, _ = f.DetectDir(opening.FolderOf(path), ".")
			}
			return is
		}):
			w.files = append(w.files, path)
		case strings.Count(within, "/") >= opening.MaxDepth:
			fail(opening.ErrDepth)
		default:
			return nil
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	// A folder without results is likely a typo, or a job that failed.
	if len(w.files) == before {
		w.failures = append(w.failures, unreadFile{top, fmt.Errorf("%s: no file has a known format", top)})
	}
}

// walkFile adds a file, unless its name does not say that it has results, and its content does not
// either.
func (t *tool) walkFile(path string, at place) {
	w := &t.walk
	w.places[path] = at
	var reason error
	switch info, err := os.Stat(path); {
	case err != nil: // the command reports it
	case info.IsDir():
		reason = errors.New("a link to a folder")
	case !info.Mode().IsRegular():
		reason = errors.New("not a regular file")
	default:
		// A link to a file is followed within the folder: a tree from elsewhere must not make the
		// tool read files of its user.
		if _, err := at.folder.Stat(at.name); err != nil {
			reason = errors.New("a link out of the folder")
		}
	}
	// A file with a name of a known format is read, so that the command reports if its content is
	// not. It also reports if a file cannot be read.
	if reason == nil && !w.keepsUnknown && !isResultName(path) {
		if err := t.tryFormat(path); errors.Is(err, format.ErrUnknown) {
			reason = err
		}
	}

	if reason != nil {
		w.skipped = append(w.skipped, unreadFile{path, reason})
	} else {
		w.files = append(w.files, path)
	}
}

// openNamed opens a file of the command line, or one that was found in a folder.
func (t *tool) openNamed(name string) (file, error) {
	at, ok := t.walk.places[name]
	if !ok {
		return t.open(name)
	}
	f, err := at.folder.Open(at.name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: causeOf(err)}
	}
	// A Folder opens files of the system, which have the methods of a file, such as Seek.
	return f.(file), nil
}

// isResultName reports whether the name of a file, which may be compressed, has the ending of
// some format.
func isResultName(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	// A name may have several, as in run.json.gz.zst.
	for compressed.ByName(name) != compressed.None || slices.Contains(otherCompressions, ext) {
		name = name[:len(name)-len(ext)]
		ext = strings.ToLower(filepath.Ext(name))
	}
	return slices.ContainsFunc(perfdata.Formats(), func(info format.Format) bool {
		return slices.Contains(info.Extensions, ext)
	})
}

// tryFormat returns the error of opening a regular file. With --from, a file of another format
// fails here too, so that it is skipped, and does not fail the command.
func (t *tool) tryFormat(path string) error {
	src, err := t.openNamed(path)
	if err != nil {
		return err
	}
	defer src.Close() // it was read only

	in := &input{name: path, file: src, opener: t.reading.opener}
	defer in.close()
	if err = t.checkFrom(in); err == nil {
		_, err = in.openFile()
	}
	return err
}

// reportWalk reports the files that could not be listed, and notes the files that were skipped.
func (t *tool) reportWalk() {
	for _, f := range t.walk.failures {
		t.report(f.err)
	}
	const most = 20 // notes: more would hide the errors
	for i, f := range t.walk.skipped {
		if i == most {
			t.note("%s more skipped; perfdata detect -r lists all", message.Plural(len(t.walk.skipped)-i, "file"))
			break
		}
		t.note("%s: skipped: %s", f.name, bareMessage(f.err))
	}
	t.noteHidden()
}

// noteHidden says that hidden files are not read.
func (t *tool) noteHidden() {
	switch hidden := t.walk.hidden; len(hidden) {
	case 0:
	case 1:
		t.note("%s: skipped: it is hidden", hidden[0])
	default:
		t.note("%d hidden files and folders skipped, such as %s", len(hidden), hidden[0])
	}
}
