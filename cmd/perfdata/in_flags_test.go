package main

import (
	"testing"

	"perfdata"
	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

func TestFormatNamed(t *testing.T) {
	formats := []format.Format{
		skiav1.Format(), nanolegacy.Format(), benchfmt.Format(), keyval.Format(), perun.Format(),
	}
	for _, test := range []struct{ name, want, err string }{
		{name: "benchfmt", want: "benchfmt"},
		{name: "BenchFmt", want: "benchfmt"},
		{name: "go", want: "benchfmt"},
		{name: "Skia", want: "skiav1"},
		{name: "benchmft", err: `want skiav1, nanolegacy, benchfmt, keyval or perun; did you mean benchfmt?`},
		{name: "keyvals", err: `want skiav1, nanolegacy, benchfmt, keyval or perun; did you mean keyval?`},
		{name: "xml", err: `want skiav1, nanolegacy, benchfmt, keyval or perun`},
		{name: "", err: `want skiav1, nanolegacy, benchfmt, keyval or perun`},
	} {
		got, err := formatNamed(test.name, formats)
		if got.Name != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%q: %q, %v", test.name, got.Name, err)
		}
	}
}

// No two formats have a name or another name in common.
func TestAliases(t *testing.T) {
	owner := make(map[string]string)
	for _, f := range perfdata.Formats() {
		for _, name := range append(f.Aliases, f.Name) {
			if other, ok := owner[name]; ok {
				t.Errorf("%s is a name of %s and of %s", name, other, f.Name)
			}
			owner[name] = f.Name
		}
	}
}
