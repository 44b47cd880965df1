package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/internal/visible"
)

func (t *tool) detectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "detect FILE...",
		Short: "Print the files' formats",
		Long: `Print "FILE: format" for each file, with how it is compressed behind it, if it is.
A file of an unknown format is reported on standard error. - is standard input.`,
		Example: "  perfdata detect *.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			_, err := t.eachInput(files, func(in *input) {
				fmt.Fprintf(t.stdout, "%s: %s\n", visible.String(in.name), strings.Join(append([]string{in.info.Name}, in.compression...), ", "))
			})
			return err
		},
	}
	t.addLimitFlag(cmd)
	return cmd
}
