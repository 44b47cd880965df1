package main

import (
	"os"
	"testing"
)

// The documents have all sections.
func TestSections(t *testing.T) {
	for _, s := range sections(1, 1, 1, true) {
		text, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fillIn(text, s.name, nil); err != nil {
			t.Errorf("%s: %v", s.file, err)
		}
	}
}

func TestFillIn(t *testing.T) {
	const text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
	got, err := fillIn([]byte(text), "x", []byte("\n| new |\n"))
	if want := "a\n<!-- begin x -->\n\n| new |\n\n<!-- end x -->\nb\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := fillIn([]byte(text), "y", nil); err == nil {
		t.Error("no error for an unknown section")
	}
}
