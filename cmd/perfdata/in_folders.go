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
	"github.com/spf13/pflag"

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
		if cmd.Name() == "validate" { // it reports the walk
			return run(cmd, t.walk.files)
		}
		t.reportWalk()
		if len(t.walk.files) == 0 {
			return nil // it was reported
		}
		return run(cmd, t.walk.files)
	}
}

// acceptFolderFlag adds -r to a command that always reads the files in folders, for users who type
// it as for other commands.
func acceptFolderFlag(flags *pflag.FlagSet) {
	flags.BoolP("recursive", "r", true, "read the files in folders, which this command always does")
}

// A walk has the files that -r found in folders.
type walk struct {
	keepsUnknown bool // collect files of unknown formats too

	top      string // the folder that was named
	files    []string
	within   map[string]string // the folder that was named, of the regular files in it
	failures []unreadFile      // files and folders that could not be listed
	skipped  []unreadFile      // other files
	hidden   []string          // files and folders
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
func (t *tool) walkArgument(name string) {
	w := &t.walk
	if info, err := os.Stat(name); name == "-" || err != nil || !info.IsDir() {
		w.files = append(w.files, name)
		return
	}
	// A folder without results is likely a typo, or a job that failed.
	before := len(w.files)
	w.top = name
	t.walkFolder(name)
	if len(w.files) == before {
		w.failures = append(w.failures, unreadFile{name, fmt.Errorf("%s: no file has a known format", name)})
	}
}

// walkFolder adds the files in a folder, sorted by name. A folder of some format, such as an
// Autotest job, is one file.
func (t *tool) walkFolder(name string) {
	w := &t.walk
	// Files below the folder of a job are read together: alone, most of them are of no format.
	if hasFormat(name) {
		w.files = append(w.files, name)
		return
	}
	within, err := filepath.Rel(w.top, name)
	// The walk is recursive, so the depth of a tree is bounded.
	if err == nil && strings.Count(within, string(filepath.Separator)) >= opening.MaxDepth {
		err = &fs.PathError{Op: "open", Path: name, Err: opening.ErrDepth}
	}
	var entries []os.DirEntry
	if err == nil {
		entries, err = os.ReadDir(name)
	}
	if err != nil {
		w.failures = append(w.failures, unreadFile{name, err})
	}
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		switch {
		// Hidden files, such as .git, belong to other programs. There may be many, so there is
		// one note for all of them.
		case strings.HasPrefix(entry.Name(), "."):
			w.hidden = append(w.hidden, path)
		case entry.IsDir():
			t.walkFolder(path)
		default:
			t.walkFile(path)
		}
	}
}

// hasFormat reports whether a folder is of some format.
func hasFormat(name string) bool {
	return slices.ContainsFunc(perfdata.Formats(), func(f format.Format) bool {
		if f.DetectDir == nil {
			return false
		}
		is, _ := f.DetectDir(opening.FolderOf(name), ".")
		return is
	})
}

// walkFile adds a file, unless its name does not say that it has results, and its content does not
// either. If the file cannot be read, the command reports that.
func (t *tool) walkFile(path string) {
	w := &t.walk
	if reason := w.refuses(path); reason != "" {
		w.skipped = append(w.skipped, unreadFile{path, errors.New(reason)})
		return
	}
	// From here on, the file is opened in its folder: see openNamed.
	if w.within == nil {
		w.within = make(map[string]string)
	}
	w.within[path] = w.top
	// A file with a name of a known format is read, so that the command reports if its content is
	// not.
	if !w.keepsUnknown && !isResultName(path) {
		if err := t.tryFormat(path); errors.Is(err, format.ErrUnknown) {
			w.skipped = append(w.skipped, unreadFile{path, err})
			return
		}
	}
	w.files = append(w.files, path)
}

// refuses returns why a file is not read. A file that does not exist is not refused.
func (w *walk) refuses(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	switch within, err := filepath.Rel(w.top, path); {
	case info.IsDir():
		return "a link to a folder"
	case !info.Mode().IsRegular():
		return "not a regular file"
	// A link to a file is followed within the folder: a tree from elsewhere must not make the tool
	// read files of its user.
	case err == nil:
		if _, err = opening.FolderOf(w.top).Stat(filepath.ToSlash(within)); err != nil {
			return "a link out of the folder"
		}
	}
	return ""
}

// openNamed opens a file of the command line, or one that was found in a folder, which is opened
// within the folder: it may have been replaced, by a link or a FIFO, since it was looked at.
func (t *tool) openNamed(name string) (file, error) {
	top, ok := t.walk.within[name]
	if !ok {
		return t.open(name)
	}
	within, err := filepath.Rel(top, name)
	if err != nil {
		return nil, err
	}
	f, err := opening.FolderOf(top).Open(filepath.ToSlash(within))
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = name
	}
	if err != nil {
		return nil, err
	}
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

// tryFormat returns the error of opening a regular file.
func (t *tool) tryFormat(path string) error {
	src, err := t.openNamed(path)
	if err != nil {
		return err
	}
	defer src.Close() // it was read only

	in := &input{name: path, file: src, opener: t.opener()}
	defer in.close()
	if err := t.checkFrom(in); err != nil {
		return err
	}
	_, err = in.openFile()
	return err
}

// maxSkippedNotes is the number of skipped files that get a note each.
const maxSkippedNotes = 20

// reportWalk reports the files that could not be listed, and notes the files that were skipped.
func (t *tool) reportWalk() {
	for _, f := range t.walk.failures {
		t.report(f.err)
	}
	for i, f := range t.walk.skipped {
		// More notes would hide the errors.
		if i == maxSkippedNotes {
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
