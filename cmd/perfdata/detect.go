package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
)

func (t *tool) detectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "detect FILE...",
		Short: "Print the files' formats",
		Long: `Print "FILE: format" for each file, with how it is compressed behind it, if it is.
A file of an unknown format is reported on standard error. - is standard input.`,
		Example: "  perfdata detect *.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			_, err := t.eachInput(files, func(in *input) {
				fmt.Fprintf(t.stdout, "%s: %s\n", in.name, strings.Join(append([]string{in.info.Name}, in.compression...), ", "))
			})
			return err
		},
	}
}

// explain adds to an error what a user of the tool can do about it.
func explain(err error) string {
	if errors.Is(err, perfdata.ErrFormat) {
		return err.Error() + "; --format names one"
	}
	return err.Error()
}
