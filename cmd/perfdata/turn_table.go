package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

// tableCommand returns the command that prints the resources or models of profiles as tables, as
// Perun does for other programs.
func (t *tool) tableCommand() *cobra.Command {
	models, form := false, ""
	cmd := &cobra.Command{
		Use:   "table FILE...",
		Short: "Print resources or models of Perun profiles as a table",
		Long: `Print the resources of Perun profiles, with their flattened fields, as a table:
aligned on a terminal, otherwise CSV. The columns are all fields that any
resource has, and snapshots, the number of the resource's snapshot. With --models,
print the models instead. With several files, the first column is the file.

  --as text  aligned, with at most 60 characters of each field
  --as csv   all characters; a spreadsheet interprets a cell that begins with =,
             +, - or @ as a formula: do not open CSV of untrusted files in one

Unreadable resources and models are reported on standard error and skipped. Use -
for standard input.`,
		Example: `  perfdata table run.perf
  perfdata table --models -o models.csv run.perf`,
		RunE: func(_ *cobra.Command, files []string) error {
			// People see columns, and a program that reads the output gets all of each cell.
			var out rowWriter = csv.NewWriter(t.data)
			if form == "text" || form == "" && t.isTerminal(t.out) {
				out = &alignedTable{out: t.data}
			}
			if models {
				return t.printTable(files, report.ModelTable, out, "models")
			}
			return t.printTable(files, report.ResourceTable, out, "resources")
		},
	}

	addForm(cmd, &form, []string{"text", "csv"})
	cmd.Flags().Lookup("as").DefValue = "text on a terminal, otherwise csv"
	cmd.Flags().BoolVar(&models, "models", false, "print the models instead of the resources")
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

// maxColumns bounds a table. Each row has all columns: without a bound, a file whose rows have
// nothing in common would make a table of the square of its size.
const maxColumns = 2000

// printTable prints the tables of the files as one, which has the columns of all.
func (t *tool) printTable(
	files []string, rows func(_ *perun.Reader, columns ...string) iter.Seq2[[]string, error],
	out rowWriter, what string,
) error {
	// The first reading finds the columns.
	all := map[string]bool{}
	readable := map[int]bool{}
	t.eachProfile(files, func(in *input, r *perun.Reader) error {
		for names, err := range rows(r) {
			readable[in.index] = err == nil
			for _, name := range names {
				all[name] = true
			}
			return err
		}
		return nil
	})
	if len(all) > maxColumns {
		return fmt.Errorf("too many columns: more than %d", maxColumns)
	}

	// The second one prints the rows.
	titles := slices.Sorted(maps.Keys(all))
	if len(titles) == 0 {
		if t.status == statusOK {
			t.note("no %s", what)
		}
		return nil
	}

	// A file that changed ends the command, and the rows before that are of use.
	defer out.Flush()
	var first []string // the cells that precede the cells of the row
	if len(files) > 1 {
		first = []string{"file"}
	}
	out.Write(append(first, titles...))

	for i, name := range files {
		// Only files that could be read in the first pass have columns here.
		if !readable[i] {
			continue // it was reported
		}

		err := t.withInput(i, name, func(in *input) error {
			return in.profile(func(r *perun.Reader) error {
				if len(files) > 1 {
					first = []string{in.name}
				}
				return t.printTableRows(in, out, rows(r, titles...), first)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// printTableRows prints the rows of a file after its titles, with other cells first.
func (t *tool) printTableRows(in *input, out rowWriter, rows iter.Seq2[[]string, error], first []string) error {
	var row []string
	begun := false
	for cells, err := range rows {
		_, ofProfile := errors.AsType[*format.Error](err)
		switch {
		case err != nil && severityOf(err) == format.Recoverable:
			t.report(err)
		// The file was read before with these columns, so it has changed.
		case err != nil && !ofProfile:
			return in.changed("it has other columns")
		case err != nil:
			return secondPassError(err)
		case begun: // the first row has the titles, which were printed for all files
			row = append(append(row[:0], first...), cells...)
			out.Write(row)
		}
		begun = true
	}
	return nil
}

// The commands flame and plot also use these.

// eachProfile opens each Perun profile in turn and calls do with it. Files of other formats are
// reported.
func (t *tool) eachProfile(files []string, do func(*input, *perun.Reader) error) {
	t.eachInput(files, func(in *input) error {
		return in.profile(func(r *perun.Reader) error { return do(in, r) })
	})
}

// profile calls do with a Reader of the input, if it is a Perun profile.
func (in *input) profile(do func(*perun.Reader) error) error {
	r, err := in.open()
	if err != nil {
		return err
	}
	profile, ok := r.Reader.(*perun.Reader)
	if !ok {
		return fmt.Errorf("%s: not a Perun profile: its format is %s (%s)", in.name, in.info.Name, in.info.Title)
	}
	return do(profile)
}

// addProfileFlags adds the flags of a command that reads Perun profiles: flags for other formats
// do not apply to them.
func (t *tool) addProfileFlags(cmd *cobra.Command) {
	t.addFromFlag(cmd, "perun")
	t.addLimitFlag(cmd)
}
