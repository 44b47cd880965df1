package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse compares the parser with the library. Its seeds are files of the format, and the
// inputs that it found.
func FuzzParse(f *testing.F) {
	files := os.DirFS("../../testdata/keyval")
	names, err := fs.Glob(files, "*.keyval")
	if err != nil || len(names) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, input := range found {
		if len(input.text) < 1000 { // a long seed makes each run slow
			f.Add(input.text)
		}
	}

	f.Fuzz(func(t *testing.T, text string) {
		library, err := parseLibrary(text)
		if err != nil {
			return // the library refuses the whole file: it is UTF-16, or exceeds a limit
		}
		if diff := cmp.Diff(library.String(), parse(text).String()); diff != "" {
			t.Errorf("%q (-library +parser):\n%s", text, diff)
		}
	})
}

// TestFound checks that the parser has none of the faults that were found.
func TestFound(t *testing.T) {
	for _, input := range found {
		t.Run(input.fault, func(t *testing.T) {
			library, err := parseLibrary(input.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(library.String(), parse(input.text).String()); diff != "" {
				t.Errorf("(-library +parser):\n%s", diff)
			}
		})
	}
}

// TestOutput compares the output of the program with the output that README shows.
func TestOutput(t *testing.T) {
	var out strings.Builder
	if err := compare(&out, os.DirFS("../../testdata/keyval")); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```text\n")
	shown, _, _ = strings.Cut(shown, "```")
	if diff := cmp.Diff(shown, out.String()); diff != "" {
		t.Errorf("(-README +got):\n%s", diff)
	}
}
