package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/chars"
)

// formatsCommand returns the command that lists the formats. The list comes from the table of
// formats, so a new format is listed without a change here.
func (t *tool) formatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "List the formats",
		Long: `List the formats that the commands read, and that convert writes: the name for
--from and --to, what the files hold, other names, the usual extensions of file
names, and the settings that only this format has. A table that records or store
query prints as Parquet can also be read, if it is a file.`,
		Example: "  perfdata formats",
		RunE: func(*cobra.Command, []string) error {
			formats := perfdata.Formats()
			for _, f := range onlyTargets {
				// A target that is also read, as something else, is described there.
				if _, ok := perfdata.FormatNamed(f.Name); !ok {
					formats = append(formats, f)
				}
			}
			for i, f := range formats {
				if i > 0 {
					fmt.Fprintln(t.stdout)
				}
				fmt.Fprintf(t.stdout, "%s\n", styled(t.colorOut, bold, f.Name))
				fmt.Fprintf(t.stdout, "  %s: %s\n", f.Title, f.Holds)
				if len(f.Aliases) > 0 {
					fmt.Fprintf(t.stdout, "  other names: %s\n", strings.Join(f.Aliases, ", "))
				}
				if len(f.Extensions) > 0 {
					fmt.Fprintf(t.stdout, "  extensions: %s\n", strings.Join(f.Extensions, " "))
				}

				// Most formats are read and written, so only the others are explained. Targets are
				// looked for first: a format that is read under the name of a target has no Writer
				// of its own, so it would be listed as only read.
				i := slices.IndexFunc(onlyTargets, func(target format.Format) bool { return target.Name == f.Name })
				switch {
				case i >= 0 && f.Open == nil:
					fmt.Fprintf(t.stdout, "  is only written\n")
				case i >= 0:
					fmt.Fprintf(t.stdout, "  convert writes: %s\n", onlyTargets[i].Holds)
				// Tables are what other commands print, so convert does not write them.
				case f.NewWriter == nil && f.Unmarked != "":
					fmt.Fprintf(t.stdout, "  is written by records and store query, with --as %s\n", f.Name)
				case f.NewWriter == nil:
					fmt.Fprintf(t.stdout, "  is only read\n")
				}
				// A setting is printed as users type it, so that they can copy the flag.
				for _, s := range f.Settings {
					fmt.Fprintf(t.stdout, "  --set %s.%s=VALUE: %s\n", f.Name, s.Name, s.Usage)
				}
			}
			return nil
		},
	}
}

// detectCommand returns the command that names the formats of files. Its output is one line for
// each file, like the output of file(1), so that scripts can parse it.
func (t *tool) detectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "detect FILE...",
		Short: "Print the format of each file",
		Long: `Print "FILE: FORMAT" for each file, followed by the compression if any, or "FILE:
unknown". For a single file of an unknown format, the reason is printed on
standard error. The exit status is 1 if any format is unknown. Use - for
standard input.`,
		Example: "  perfdata detect *.json",
		RunE: func(_ *cobra.Command, files []string) error {
			// The beginning of a file shows its format. So a pipe is not copied, and its format is
			// printed while the pipe is still being written.
			t.readsOnce = true
			// A name may contain a line end, and the rest of it would look like a line about another file.
			show := func(name string, formats ...string) {
				fmt.Fprintf(t.stdout, "%s: %s\n", chars.Visible(name), strings.Join(formats, ", "))
			}

			// eachInput would report every error, but an unknown format is a result here.
			t.setRepeated(files)
			// This reads no more than detection needs, so it can be asked about large files.
			for i, name := range files {
				err := t.withInput(i, name, func(in *input) error {
					show(in.name, append([]string{in.info.Name}, in.compression...)...)
					return nil
				})
				// A file that cannot be opened or read gets no line, because nothing is known about
				// its format.
				isUnknown := errors.Is(err, format.ErrUnknown)
				if isUnknown {
					show(inputName(name), "unknown")
				}

				switch {
				case err == nil:
				// Among several files, "unknown" is the answer to the question, and a reason for
				// each would be noise. The exit status is the status of the reason.
				case isUnknown && t.isSeveral(files):
					t.countError(err)
				default:
					t.report(err)
				}
			}
			return nil
		},
	}
	// The other flags about reading choose a format, or change measurements, which this command
	// does not read.
	t.addOutputFlag(cmd)
	t.addLimitFlag(cmd)
	t.addFolderFlag(cmd)
	return cmd
}
