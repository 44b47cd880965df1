package main

import (
	"testing"

	"perfdata"
)

func TestFormatNamed(t *testing.T) {
	for _, test := range []struct{ name, want, err string }{
		{name: "benchfmt", want: "benchfmt"},
		{name: "BenchFmt", want: "benchfmt"},
		{name: "go", want: "benchfmt"},
		{name: "Skia", want: "skiav1"},
		{name: "benchmft", err: `unknown format "benchmft": want skiav1, nanolegacy, benchfmt, keyval or perun; did you mean benchfmt?`},
		{name: "keyvals", err: `unknown format "keyvals": want skiav1, nanolegacy, benchfmt, keyval or perun; did you mean keyval?`},
		{name: "xml", err: `unknown format "xml": want skiav1, nanolegacy, benchfmt, keyval or perun`},
		{name: "", err: `unknown format "": want skiav1, nanolegacy, benchfmt, keyval or perun`},
	} {
		got, err := formatNamed(test.name)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%q: %q, %v", test.name, got, err)
		}
	}
}

// The list of formats says what each format holds, and every other name means a format.
func TestFormats(t *testing.T) {
	for _, info := range perfdata.Formats() {
		if holds[info.Name] == "" {
			t.Errorf("%s: the list of formats does not say what it holds", info.Name)
		}
	}
	for alias, name := range formatAliases {
		if _, ok := perfdata.FormatNamed(name); !ok {
			t.Errorf("%s means the unknown format %s", alias, name)
		}
	}
}
