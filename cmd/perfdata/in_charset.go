package main

import (
	"github.com/spf13/cobra"

	"perfdata/series"
)

// addCharsetFlag adds --charset to a command that makes trace IDs, or opens a store, which has a
// charset.
func (t *tool) addCharsetFlag(cmd *cobra.Command) {
	cmd.Flags().Var(charsetFlag{t}, "charset", "the characters that trace IDs replace by _, as a `REGEXP` such as "+
		"invalid_param_char_regex of Skia Perf (default: [^a-zA-Z0-9._-]; of a database: the one that it has)")
	complete(cmd, "charset")
}

// A charsetFlag is the value of --charset.
type charsetFlag struct{ *tool }

// String returns no default: what it is depends on the database, and the usage says so.
func (f charsetFlag) String() string { return "" }
func (f charsetFlag) Type() string   { return "regexp" }

// Set parses the expression. Queries of --match that were given before it are compared in the
// charset, too, so the order of the flags does not matter.
func (f charsetFlag) Set(text string) error {
	charset, err := series.ParseCharset(text)
	if err != nil {
		return err
	}
	f.reading.charset = text
	f.selection.setCharset(charset)
	return nil
}
