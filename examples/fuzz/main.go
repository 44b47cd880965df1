// Command fuzz shows how the author of another parser fuzzes it against this library. It prints
// where the first version of the parser and the library differ. See fuzz_test.go for the fuzzing.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
)

func main() {
	if err := compare(os.Stdout, os.DirFS("../../testdata/keyval")); err != nil {
		log.Fatal(err)
	}
}

// compare prints what the two parsers read in the files of a folder, and in the inputs that fuzzing
// found.
func compare(out io.Writer, files fs.FS) error {
	names, err := fs.Glob(files, "*.keyval")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := compareText(out, name, string(text), result.count); err != nil {
			return err
		}
	}

	for _, f := range found {
		title := fmt.Sprintf("%.20q: %s", f.text, f.fault)
		if err := compareText(out, title, f.text, result.line); err != nil {
			return err
		}
	}
	return nil
}

// compareText prints what the two parsers read in the text, in the given form.
func compareText(out io.Writer, title, text string, form func(result) string) error {
	library, err := parseLibrary(text)
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	first := parseFirst(text)
	if library.String() == first.String() {
		_, err := fmt.Fprintf(out, "%s\n    no difference\n", title)
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n    library:       %s\n    first version: %s\n", title, form(library), form(first))
	return err
}
