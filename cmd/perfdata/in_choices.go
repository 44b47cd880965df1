package main

import (
	"fmt"
	"slices"
	"strings"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/keyval"
	"perfdata/openmetrics"
	"perfdata/runners/bmf"
	"perfdata/runners/ghbench"
)

// readFormats returns the formats of files that are read.
func readFormats() []format.Format {
	return slices.DeleteFunc(perfdata.Formats(), func(f format.Format) bool { return f.Open == nil })
}

// onlyTargets are targets whose Writers do not belong to a format that is read: a report, and
// files for other programs, whose own files are read.
var onlyTargets = []format.Format{keyval.TAP(), bmf.Target(), ghbench.Target(), openmetrics.Target()}

// targets returns the formats to convert to.
func targets() []format.Format {
	written := slices.DeleteFunc(perfdata.Formats(), func(f format.Format) bool { return f.NewWriter == nil })
	return append(written, onlyTargets...)
}

// namesOf returns the names of formats, in the order in which users see them listed.
func namesOf(formats []format.Format) (names []string) {
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// formatNamed returns the format that the user calls by this name, in any case.
func formatNamed(name string, formats []format.Format) (format.Format, error) {
	lower := strings.ToLower(name)
	for _, f := range formats {
		if lower == f.Name || slices.Contains(f.Aliases, lower) {
			return f, nil
		}
	}
	return format.Format{}, unknownChoice("format", name, namesOf(formats))
}

// formAliases are names that users try for forms of output.
var formAliases = map[string]string{"json": "jsonl", "ndjson": "jsonl", "txt": "text", "pq": "parquet"}

// unknownForm returns the error about a value of --as, which most commands have.
func unknownForm(form string, known []string) error { return unknownChoice("form", form, known) }

// unknownChoice returns an error that lists the known values, with a suggestion if the value is
// similar to a known one.
func unknownChoice(what, value string, known []string) error {
	meant := hint.DidYouMean(value, known)
	if form, ok := formAliases[strings.ToLower(value)]; ok && slices.Contains(known, form) {
		meant = "; did you mean " + form + "?"
	}
	return fmt.Errorf("unknown %s %q: want %s%s", what, value, oneOf(known), meant)
}

// oneOf returns a text such as "jsonl, csv or text".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
