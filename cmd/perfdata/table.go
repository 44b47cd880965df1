package main

import (
	"encoding/csv"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/perun"
	"perfdata/perun/report"
)

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
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			out, err := t.tableWriter(form)
			if err != nil {
				return err
			}
			if models {
				return t.printTable(files, report.ModelTable, out, "models")
			}
			return t.printTable(files, report.ResourceTable, out, "resources")
		},
	}

	cmd.Flags().StringVar(&form, "as", "",
		"`FORM` of the output: "+oneOf(tableForms)+" (default: text on a terminal, otherwise csv)")
	complete(cmd, "as", tableForms...)
	cmd.Flags().BoolVar(&models, "models", false, "print the models instead of the resources")
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

var tableForms = []string{"text", "csv"}

// maxColumns bounds a table. Each row has all columns: without a bound, a file whose rows have
// nothing in common would make a table of the square of its size.
const maxColumns = 2000

// tableWriter returns the writer of a form, or of the default form.
func (t *tool) tableWriter(form string) (rowWriter, error) {
	switch {
	case form == "text", form == "" && t.isTerminal(t.out):
		return &alignedTable{out: t.data}, nil
	case form == "csv", form == "":
		return csv.NewWriter(t.data), nil
	}
	return nil, unknownForm(form, tableForms)
}

// printTable prints the tables of the files as one, which has the columns of all.
func (t *tool) printTable(
	files []string, rows func(*perun.Reader) iter.Seq2[[]string, error], out rowWriter, what string,
) error {
	// The first reading finds the columns.
	all := map[string]bool{}
	first := make(map[int][]string) // the columns of each file, where it can be read

	_, err := t.eachInput(files, func(in *input) {
		err := in.profile(func(r *perun.Reader) error {
			for names, err := range rows(r) {
				if err != nil {
					return err
				}
				first[in.index] = slices.Clone(names)
				for _, name := range names {
					all[name] = true
				}
				return nil
			}
			return nil
		})

		if err != nil {
			t.report(err)
		}
	})

	if err != nil {
		return err
	}
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
	defer out.Flush()
	if len(files) > 1 {
		out.Write(append([]string{"file"}, titles...))
	} else {
		out.Write(titles)
	}

	for i, name := range files {
		names, ok := first[i]
		if !ok {
			continue // it was reported
		}
		err := t.withInput(i, name, func(in *input) error {
			return in.profile(func(r *perun.Reader) error {
				return t.printTableRows(in, out, rows(r), names, titles, len(files) > 1)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// printTableRows prints the rows of a file, whose columns had the names at first, in a table with
// those titles.
func (t *tool) printTableRows(
	in *input, out rowWriter, rows iter.Seq2[[]string, error], names, titles []string, several bool,
) error {
	var row []string
	at := columnsOf(names, titles)
	begun := false

	for cells, err := range rows {
		switch {
		case err != nil && isRecoverable(err):
			t.report(err)
			continue
		case err != nil:
			return secondPassError(err)
		case !begun:
			if !slices.Equal(cells, names) {
				return in.changed("it has other columns")
			}
			begun = true
			continue
		}

		row = row[:0]
		if several {
			row = append(row, in.name)
		}
		first := len(row)
		row = append(row, make([]string, len(titles))...)

		for i, cell := range cells {
			row[first+at[i]] = cell
		}
		out.Write(row)
	}
	return nil
}

// columnsOf returns the names' places among the titles.
func columnsOf(names, titles []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		at[i], _ = slices.BinarySearch(titles, name)
	}
	return at
}
