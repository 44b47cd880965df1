package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// formatNamed returns the format that the user calls by this name, in any case. Its error is about
// the value of a flag, which is named before it.
func formatNamed(name string, formats []format.Format) (format.Format, error) {
	lower := strings.ToLower(name)
	for _, f := range formats {
		if lower == f.Name || slices.Contains(f.Aliases, lower) {
			return f, nil
		}
	}
	return format.Format{}, wantOneOf(name, namesOf(formats))
}

// formAliases are names that users try for forms of output.
var formAliases = map[string]string{"json": "jsonl", "ndjson": "jsonl", "txt": "text", "pq": "parquet"}

// addForm adds --as to a command that prints several forms. The variable has the default.
func addForm(cmd *cobra.Command, to *string, forms []string) {
	addChoice(cmd, "as", "`FORM` of the output: ", to, forms)
}

// addChoice adds a flag whose value is one of the choices.
func addChoice(cmd *cobra.Command, name, usage string, to *string, choices []string) {
	addFunc(cmd, name, usage+oneOf(choices), func(text string) error {
		if *to = text; !slices.Contains(choices, text) {
			return wantOneOf(text, choices)
		}
		return nil
	}, choices...)
	cmd.Flags().Lookup(name).DefValue = *to // for the usage
}

// unknownChoice returns an error that lists the known values.
func unknownChoice(what, value string, known []string) error {
	return fmt.Errorf("unknown %s %q: %w", what, value, wantOneOf(value, known))
}

// wantOneOf returns the end of an error that lists the known values, with a suggestion if the value
// is similar to a known one.
func wantOneOf(value string, known []string) error {
	meant := hint.DidYouMean(value, known)
	if form, ok := formAliases[strings.ToLower(value)]; ok && slices.Contains(known, form) {
		meant = "; did you mean " + form + "?"
	}
	return fmt.Errorf("want %s%s", oneOf(known), meant)
}

// oneOf returns a text such as "jsonl, csv or text".
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
