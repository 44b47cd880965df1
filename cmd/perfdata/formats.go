package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
)

func (t *tool) formatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "List the formats",
		Long: `List the formats that the commands read, and that convert writes: the name for
--from and --to, what the files hold, other names, the usual extensions of file
names, and the settings that only this format has. A table that records or store
query prints as Parquet is read, too, if it is a file.`,
		Example: "  perfdata formats",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for i, info := range perfdata.Formats() {
				if i > 0 {
					fmt.Fprintln(t.stdout)
				}
				t.describeFormat(info)
			}
			for _, info := range onlyTargets {
				if _, ok := perfdata.FormatNamed(info.Name); !ok {
					fmt.Fprintln(t.stdout)
					t.describeFormat(info)
				}
			}
			return nil
		},
	}
}

func (t *tool) describeFormat(f format.Format) {
	fmt.Fprintf(t.stdout, "%s\n", styled(t.colorOut, bold, f.Name))
	fmt.Fprintf(t.stdout, "  %s: %s\n", f.Title, f.Holds)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(t.stdout, "  other names: %s\n", strings.Join(f.Aliases, ", "))
	}
	if len(f.Extensions) > 0 {
		fmt.Fprintf(t.stdout, "  extensions: %s\n", strings.Join(f.Extensions, " "))
	}
	i := slices.IndexFunc(onlyTargets, func(target format.Format) bool { return target.Name == f.Name })
	switch {
	case i >= 0 && f.Open == nil:
		fmt.Fprintf(t.stdout, "  is only written\n")
	case i >= 0:
		fmt.Fprintf(t.stdout, "  convert writes: %s\n", onlyTargets[i].Holds)
	case f.NewWriter == nil && f.Unmarked != "":
		fmt.Fprintf(t.stdout, "  is written by records and store query, with --as %s\n", f.Name)
	case f.NewWriter == nil:
		fmt.Fprintf(t.stdout, "  is only read\n")
	}
	for _, s := range f.Settings {
		fmt.Fprintf(t.stdout, "  --set %s.%s=VALUE: %s\n", f.Name, s.Name, s.Usage)
	}
}
