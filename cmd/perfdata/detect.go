package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"perfdata"
)

func (t *tool) detectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "detect FILE...",
		Short: "Print the files' formats",
		Long: `Print "FILE: format" for each file. A file of an unknown format is reported on
standard error. - is standard input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			return t.eachInput(files, func(in *input) {
				fmt.Fprintf(t.stdout, "%s: %s\n", in.name, in.info.Name)
			})
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
