package main

import (
	"fmt"
	"iter"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/traceid"
)

// describe prints the contents of a file in the Skia Perf format, as its specification does.
func (t *tool) describe(header format.Header, records iter.Seq2[*format.Record, error]) {
	fmt.Fprintf(t.stdout, "%s\n  %s\n", styled(t.colorOut, bold, "Hash:"), chars.Visible(header.Commit))
	fmt.Fprintln(t.stdout, styled(t.colorOut, bold, "Measurements:"))
	t.printText("  ", records)
	t.describePairs("Links", header.Links)
}

func (t *tool) describePairs(title string, pairs traceid.Params) {
	fmt.Fprintln(t.stdout, styled(t.colorOut, bold, title+":"))
	for key, value := range pairs.All() {
		fmt.Fprintf(t.stdout, "  %s: %s\n", chars.Visible(key), chars.Visible(value))
	}
}
