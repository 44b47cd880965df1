package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/visible"
)

func (t *tool) validateCommand() *cobra.Command {
	quiet := false
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Print what valid files hold, and what is wrong with invalid ones",
		Long: `Print, for each valid file, its header, its measurements and what its format
has besides: hash and links, or the configuration. For an invalid one print
all that is wrong with it, each with its place, on standard error. Warnings go
there too and make no file invalid. - is standard input.`,
		Example: "  perfdata validate run.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			v := &validation{tool: t, quiet: quiet, several: len(files) > 1}
			t.prints = quiet
			_, err := t.eachInput(files, v.file)
			err = firstError(err, v.failure)
			if t.invalid {
				fmt.Fprintln(t.stderr, styled(t.colorErr, red, "Error: Validation Failed: schema violation"))
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print violations alone: no warnings, and nothing of valid files")
	t.addReadingFlags(cmd)
	return cmd
}

type validation struct {
	*tool
	quiet, several bool
	failure        error // of the second reading of a file
}

func (v *validation) file(in *input) {
	src, err := in.reader()
	if err != nil {
		v.report(err)
		return
	}
	valid := true
	for e := range in.info.Validate(src, in.name, in.limits) {
		if !e.Warning {
			valid = false
		} else if v.quiet {
			continue
		}
		v.report(e)
	}
	if valid && !v.quiet {
		v.describeFile(in)
	}
}

// describeFile prints what a valid file holds. For that it is read again.
func (v *validation) describeFile(in *input) {
	r, err := in.open()
	if err != nil {
		v.failAgain(err)
		return
	}
	defer r.Close()
	header, err := r.FileHeader()
	if err != nil {
		v.failAgain(err)
		return
	}
	if v.several {
		fmt.Fprintf(v.stdout, "%s\n", styled(v.colorOut, bold, visible.String(in.name)+":"))
	}
	v.tool.describe(header, func(yield func(*format.Record, error) bool) {
		for rec, err := range r.Records() {
			if err != nil && !isRecoverable(err) {
				v.failAgain(err)
			} else if !yield(rec, err) {
				return
			}
		}
	})
}

// failAgain notes an error that the first reading of the file didn't have.
func (v *validation) failAgain(err error) { v.failure = firstError(v.failure, readAgain(err)) }
