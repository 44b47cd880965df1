package main

import (
	"encoding/csv"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"perfdata/perun"
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
		Example: `  perfdata table run.perf > resources.csv
  perfdata table --models run.perf > models.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			rows := (*perun.Reader).ResourceTable
			if models {
				rows = (*perun.Reader).ModelTable
			}
			return t.printTable(files, rows)
		},
	}
	cmd.Flags().BoolVar(&models, "models", false, "print the models instead of the resources")
	t.addProfileFlags(cmd)
	return cmd
}

// printTable prints the tables of the files as one, whose columns are those of all.
func (t *tool) printTable(files []string, rows func(*perun.Reader) iter.Seq2[[]string, error]) error {
	all := map[string]bool{}
	stderr := t.stderr
	t.stderr = io.Discard // the second reading reports the same again
	err := t.eachProfile(files, func(_ *input, r *perun.Reader) {
		for names := range rows(r) {
			for _, name := range names {
				all[name] = true
			}
			break
		}
	})
	t.stderr = stderr
	if err != nil {
		return err
	}

	out := csv.NewWriter(t.stdout)
	titles := slices.Sorted(maps.Keys(all))
	if len(files) > 1 {
		out.Write(append([]string{"file"}, titles...))
	} else if len(titles) > 0 {
		out.Write(titles)
	}
	var row []string
	err = t.eachProfile(files, func(in *input, r *perun.Reader) {
		var at []int // where the file's columns go
		for cells, err := range rows(r) {
			if err != nil {
				out.Flush()
				t.report(err)
				continue
			}
			if at == nil {
				at = columnsOf(cells, titles)
				continue
			}
			row = row[:0]
			if len(files) > 1 {
				row = append(row, in.name)
			}
			first := len(row)
			row = append(row, make([]string, len(titles))...)
			for i, cell := range cells {
				row[first+at[i]] = cell
			}
			out.Write(row)
		}
	})
	out.Flush()
	return err
}

// columnsOf returns the names' places among the titles; it isn't nil.
func columnsOf(names, titles []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		at[i], _ = slices.BinarySearch(titles, name)
	}
	return at
}
