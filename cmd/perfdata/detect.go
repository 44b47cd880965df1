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
		Short: "Print the format of each file",
		Long: `Print "FILE: FORMAT" for each file, followed by the compression if any. Unknown
formats are reported on standard error. Use - for standard input.`,
		Example: "  perfdata detect *.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			_, err := t.eachInput(files, func(in *input) {
				formats := append([]string{in.info.Name}, in.compression...)
				fmt.Fprintf(t.stdout, "%s: %s\n", visible.String(in.name), strings.Join(formats, ", "))
			})
			return err
		},
	}
	t.addLimitFlag(cmd)
	return cmd
}
