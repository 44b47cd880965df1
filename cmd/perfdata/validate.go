package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/visible"
)

func (t *tool) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check files and list their errors",
		Long: `Validate each FILE. The header and measurements of a valid file are printed; for
an invalid one, every error is listed with its position on standard error.
Warnings do not make a file invalid. Use - for standard input.`,
		Example: "  perfdata validate run.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			v := &validation{tool: t, several: len(files) > 1}
			t.prints = t.quiet
			_, err := t.eachInput(files, v.file)
			err = firstError(err, v.failure)
			if t.invalid {
				fmt.Fprintln(t.stderr, styled(t.colorErr, red, "Error: Validation Failed: schema violation"))
			}
			return err
		},
	}
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

type validation struct {
	*tool
	several bool
	failure error // the first error of a second reading
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

// describeFile prints the contents of a valid file. It reads the file again.
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

// failAgain records an error that the first reading of the file did not have.
func (v *validation) failAgain(err error) { v.failure = firstError(v.failure, readAgain(err)) }
