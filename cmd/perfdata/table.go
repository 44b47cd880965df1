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
	models := false
	cmd := &cobra.Command{
		Use:   "table FILE...",
		Short: "Print the resources, or the models, of Perun profiles as a table",
		Long: `Print a row of CSV for each resource of Perun profiles, with its flattened
fields. The columns are all fields that any resource has, and snapshots, the
number of the resource's snapshot. With --models, print the models instead.

Of several files, the first column is the file. What can't be read is reported,
and the rest is printed. - is standard input.`,
		Example: `  perfdata table -o resources.csv run.perf
  perfdata table --models -o models.csv run.perf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			rows := report.ResourceTable
			if models {
				rows = report.ModelTable
			}
			return t.printTable(files, rows)
		},
	}
	cmd.Flags().BoolVar(&models, "models", false, "print the models instead of the resources")
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

// printTable prints the tables of the files as one, which has the columns of all.
func (t *tool) printTable(files []string, rows func(*perun.Reader) iter.Seq2[[]string, error]) error {
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
	out := csv.NewWriter(t.data)
	defer out.Flush()
	titles := slices.Sorted(maps.Keys(all))
	if len(files) > 1 {
		out.Write(append([]string{"file"}, titles...))
	} else if len(titles) > 0 {
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
	in *input, out *csv.Writer, rows iter.Seq2[[]string, error], names, titles []string, several bool,
) error {
	var row []string
	at := columnsOf(names, titles)
	begun := false
	for cells, err := range rows {
		switch {
		case err != nil && isRecoverable(err):
			out.Flush()
			t.report(err)
			continue
		case err != nil:
			return readAgain(err)
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
