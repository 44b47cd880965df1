package main

import (
	"github.com/spf13/cobra"

	"perfdata/series"
)

// addCharsetFlag adds --charset to a command that makes trace IDs, or opens a store, which has a
// charset. It also applies to queries of --match that were given before it, so the order of the
// flags does not matter.
func (t *tool) addCharsetFlag(cmd *cobra.Command) {
	addFunc(cmd, "charset", "the characters that trace IDs replace by _, as a `REGEXP` such as "+
		"invalid_param_char_regex of Skia Perf (default: [^a-zA-Z0-9._-]; of a database: the one that it has)",
		func(text string) error {
			charset, err := series.ParseCharset(text)
			if err != nil {
				return err
			}
			t.reading.charset = text
			t.selection.setCharset(charset)
			return nil
		})
}
