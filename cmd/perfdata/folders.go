package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/keyval"
)

// addFolderFlag adds -r to a command that reads files, and replaces folders among its arguments by
// the files in them.
func (t *tool) addFolderFlag(cmd *cobra.Command) {
	recursive := false
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false,
		"read the files in folders, except hidden files and files of unknown formats")

	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t.readsFolders = true
		if !recursive {
			return run(cmd, args)
		}
		if err := t.reading.check(); err != nil {
			return err
		}

		w := walk{tool: t, keepsUnknown: cmd.Name() == "detect"}
		for _, name := range args {
			w.argument(name)
		}
		w.note()
		if len(w.files) == 0 {
			return nil // it was reported
		}
		return run(cmd, w.files)
	}
}

// A walk collects the files in folders.
type walk struct {
	*tool
	keepsUnknown bool // collect files of unknown formats too

	files   []string
	skipped int    // files of unknown formats
	example string // one of them
}

// argument adds a file, or the files in a folder, that the user named.
func (w *walk) argument(name string) {
	if info, err := os.Stat(name); name == "-" || err != nil || !info.IsDir() {
		w.files = append(w.files, name)
		return
	}
	before := len(w.files)
	w.folder(name)
	if len(w.files) == before {
		w.report(fmt.Errorf("%s: no file has a known format", name))
	}
}

// folder adds the files in a folder, sorted by name. A job folder is one file.
func (w *walk) folder(name string) {
	if keyval.IsJob(os.DirFS(name), ".") {
		w.files = append(w.files, name)
		return
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		w.report(err)
	}
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.IsDir():
			w.folder(path)
		case isRegular(path, entry):
			w.file(path)
		}
	}
}

// isRegular reports whether an entry of a folder is a regular file, or a link to one.
func isRegular(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// file adds a file, unless its format is unknown. If the file cannot be read, the command reports
// that.
func (w *walk) file(path string) {
	if !w.keepsUnknown {
		f, err := w.reading.opener(w.limits).Open(path)
		if errors.Is(err, format.ErrUnknown) {
			w.skipped++
			w.example = path
			return
		}
		if err == nil {
			f.Close()
		}
	}
	w.files = append(w.files, path)
}

// note says how many files were skipped.
func (w *walk) note() {
	switch {
	case w.skipped == 1:
		w.tool.note("1 file of an unknown format skipped: %s", w.example)
	case w.skipped > 1:
		w.tool.note("%d files of unknown formats skipped, such as %s", w.skipped, w.example)
	}
}
