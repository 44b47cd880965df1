package main

import (
	"fmt"
	"slices"
	"strings"

	"perfdata"
)

// formatAliases are other names of formats.
var formatAliases = map[string]string{
	"skia":      "skiav1",
	"nanobench": "nanolegacy",
	"go":        "benchfmt",
	"gobench":   "benchfmt",
	"autotest":  "keyval",
}

// formatNames returns the names of all formats.
func formatNames() []string {
	var names []string
	for _, info := range perfdata.Formats() {
		names = append(names, info.Name)
	}
	return names
}

// formatNamed returns the format that the user calls by this name, in any case.
func formatNamed(name string) (string, error) {
	lower := strings.ToLower(name)
	if format, ok := formatAliases[lower]; ok {
		lower = format
	}
	if _, ok := perfdata.FormatNamed(lower); ok {
		return lower, nil
	}
	return "", unknownChoice("format", name, formatNames())
}

// formAliases are names that users try for forms of output.
var formAliases = map[string]string{"json": "jsonl", "ndjson": "jsonl", "txt": "text", "pq": "parquet"}

func unknownForm(form string, known []string) error { return unknownChoice("form", form, known) }

// unknownChoice returns an error that lists the known values, with a suggestion if the value is
// similar to one of them.
func unknownChoice(what, value string, known []string) error {
	hint := didYouMean(value, known)
	if form, ok := formAliases[strings.ToLower(value)]; ok && slices.Contains(known, form) {
		hint = "; did you mean " + form + "?"
	}
	return fmt.Errorf("unknown %s %q: want %s%s", what, value, oneOf(known), hint)
}

// oneOf returns a text such as "jsonl, csv or text".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
