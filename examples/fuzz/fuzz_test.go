package fuzz

import (
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/perfdatatest"
)

// FuzzParse compares the parser with the library. Its seeds are files of the format, generated
// documents, and the inputs that it found.
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
	for seed := range uint64(20) {
		nearlyValid, _ := perfdatatest.NearlyValid("keyval", seed, 200)
		f.Add(string(perfdatatest.Valid("keyval", seed, 200)))
		f.Add(string(nearlyValid))
	}
	for _, input := range found {
		if len(input.text) < 1000 { // a long seed makes each run slow
			f.Add(input.text)
		}
	}

	f.Fuzz(func(t *testing.T, text string) {
		if diff := difference(text); diff != "" {
			t.Errorf("%q (-library +parser):\n%s", text, diff)
		}
	})
}

// difference returns how the parser's result differs from the library's.
func difference(text string) string {
	library, err := parseLibrary(text)
	if err != nil {
		return "" // the library refuses the whole file: it is UTF-16, or exceeds a limit
	}
	return cmp.Diff(library.String(), parse(text).String())
}

// TestGenerated compares the parser with the library on valid documents, and on documents with a
// fault.
func TestGenerated(t *testing.T) {
	for seed := range uint64(5000) {
		valid := perfdatatest.Valid("keyval", seed, 300)
		if diff := difference(string(valid)); diff != "" {
			t.Fatalf("seed %d: %q (-library +parser):\n%s", seed, valid, diff)
		}
		document, fault := perfdatatest.NearlyValid("keyval", seed, 300)
		if diff := difference(string(document)); diff != "" {
			t.Fatalf("seed %d, %s: %q (-library +parser):\n%s", seed, fault, document, diff)
		}
	}
}

// TestFound checks that the parser has none of the faults that were found.
func TestFound(t *testing.T) {
	for _, input := range found {
		t.Run(input.fault, func(t *testing.T) {
			if diff := difference(input.text); diff != "" {
				t.Errorf("(-library +parser):\n%s", diff)
			}
		})
	}
}
