package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
)

// holds says what files of a format hold.
var holds = map[string]string{
	"skiav1":     "measurements of one commit, with links",
	"nanolegacy": "measurements of one commit, with options and samples",
	"benchfmt":   "results of Go benchmarks, with configuration and units; also go test -json",
	"keyval":     "values of the iterations of a test; also a job folder",
	"perun":      "resources of a profile, in snapshots, and models of them; also stored objects",
}

func (t *tool) formatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "List the formats",
		Long: `List the formats that the commands read, and that convert writes: the name for
--from and --to, other names for it, the usual extensions of file names, and what
the files hold.`,
		Example: "  perfdata formats",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for i, info := range perfdata.Formats() {
				if i > 0 {
					fmt.Fprintln(t.stdout)
				}
				fmt.Fprintf(t.stdout, "%s\n", styled(t.colorOut, bold, info.Name))
				fmt.Fprintf(t.stdout, "  %s: %s\n", info.Title, holds[info.Name])
				if also := aliasesOf(info.Name); len(also) > 0 {
					fmt.Fprintf(t.stdout, "  other names: %s\n", strings.Join(also, ", "))
				}
				fmt.Fprintf(t.stdout, "  extensions: %s\n", strings.Join(info.Extensions, " "))
			}
			return nil
		},
	}
}

// aliasesOf returns the other names of a format, sorted.
func aliasesOf(format string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(formatAliases)) {
		if formatAliases[name] == format {
			names = append(names, name)
		}
	}
	return names
}
