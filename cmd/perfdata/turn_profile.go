package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/plot"
	"perfdata/format"
	"perfdata/perun"
	perunreport "perfdata/perun/report"
	"perfdata/report"
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
				return t.printTable(files, perunreport.ModelTable, out, "models")
			}
			return t.printTable(files, perunreport.ResourceTable, out, "resources")
		},
	}

	addForm(cmd, &form, []string{"text", "csv"})
	cmd.Flags().Lookup("as").DefValue = "text on a terminal, otherwise csv"
	cmd.Flags().BoolVar(&models, "models", false, "print the models instead of the resources")
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

// printTable prints the tables of the files as one, which has the columns of all. Titles come
// first, and each row has as many cells as there are titles, so the files are read twice.
func (t *tool) printTable(
	files []string, rows func(_ *perun.Reader, columns ...string) iter.Seq2[[]string, error],
	out rowWriter, what string,
) error {
	// The first reading finds the columns. The first step of rows has them, so the loop ends there.
	// Until then, rows passes over resources that cannot be read: the second reading reports them. A
	// name may occur twice on the command line, so files are told apart by their indexes.
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
	// Each row has all columns: without a bound, a file whose rows have nothing in common would make a
	// table of the square of its size. The profiles of Perun have about ten.
	const maxColumns = 2000
	if len(all) > maxColumns {
		return fmt.Errorf("too many columns: more than %d", maxColumns)
	}

	// The second one prints the rows.
	titles := slices.Sorted(maps.Keys(all))
	// ResourceTable has the column snapshots even if there is no resource, as Perun does.
	isEmpty := len(titles) == 0 || slices.Equal(titles, []string{"snapshots"})

	// A file that changed ends the command, and the rows before that are of use.
	defer out.Flush()
	var first []string // the cells that precede the cells of the row
	if len(files) > 1 {
		first = []string{"file"}
	}
	// The writers, or the output below them, keep the first error until the output is flushed at the
	// end.
	if !isEmpty {
		out.Write(append(first, titles...))
	}

	for i, name := range files {
		// Only files that could be read in the first pass have columns here.
		if !readable[i] {
			continue // it was reported
		}

		// The file was readable before. An error now is one of the machine, or another program writes the
		// file, so the command ends with the status 2.
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
	// After an error, the table may be empty because of it, and the note would be a guess.
	if isEmpty && t.status == statusOK {
		t.note("no %s", what)
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
		case severityOf(err) == format.Recoverable:
			t.report(err)
		// The file was read before with these columns, so it has changed.
		case err != nil && !ofProfile:
			return in.changed("it has other columns")
		case err != nil:
			return secondPassError(err)
		case begun: // the first row has the titles, which were printed for all files
			// Both writers copy the cells, so the row is used for the next resource, too.
			row = append(append(row[:0], first...), cells...)
			out.Write(row)
		}
		begun = true
	}
	return nil
}

// plotCommand returns the command that plots a profile, in the scripts that the page of report has.
func (t *tool) plotCommand() *cobra.Command {
	var out string
	var options plot.Options
	cmd := &cobra.Command{
		Use:   "plot FILE -o OUT",
		Short: "Plot a Perun profile: resources as points or bars, models as curves",
		Long: `Plot a Perun profile's resources as points, with a color for each uid, and its
models as curves in the color of their uid. The plot is a page of HTML that works
without a network, light or dark like the reader's screen: it shows the values at
the cursor, enlarges a part, hides series that are clicked in the legend, and saves
the picture as SVG, for documents, or as PNG.

The y axis shows the amounts. The x axis shows the field that the models are
functions of, usually structure-unit-size. If no resource has that field, it
shows the snapshot number. A profile without snapshots is drawn as bars, one
for each uid, if each uid has one resource or repetitions of a time, and
otherwise by the number of the resource in the file. The axes cover all points; curves
far outside are clipped. At most nine uids are drawn, the rest as "others".
Where many points are close together, only some are drawn.

Errors in the profile are reported, the rest is drawn, and the exit status is
1. After a fatal error nothing is drawn. OUT is replaced when the page is
complete. Use - for standard input.`,
		Example: `  perfdata plot -o sort.html sort.perf
  perfdata plot -o qsort.html --uid qsort --models best-model sort.perf
  perfdata plot -o memory.html --log y --title "Allocations" memory.perf`,
		RunE: func(_ *cobra.Command, files []string) error {
			// These are checked first, as a profile may take long to read.
			if !strings.EqualFold(filepath.Ext(out), ".html") {
				return fmt.Errorf("the name %q does not end in .html, the only form of plots, which saves SVG and PNG", out)
			}
			if err := options.Check(); err != nil {
				return err
			}
			// Standard output gets nothing, so a progress bar cannot disturb results there.
			t.prints = true
			// A failure here is one of the output, and not of an input. It is returned, with the status 2;
			// eachProfile reports the errors of the profile.
			var failure error
			t.eachProfile(files, func(_ *input, r *perun.Reader) error {
				p, err := plot.New(r, options, func(e *format.Error) { t.report(e) })
				if err == nil {
					failure = t.writeFile(out, func(w io.Writer) error { return report.WritePlot(w, p) })
				}
				return err
			})
			return failure
		},
	}

	flags := cmd.Flags()
	flags.StringVarP(&out, "output", "o", "", "write the page to `file`, whose name ends in .html")
	flags.StringVar(&options.X, "x", "",
		"`field` for the x axis, such as uid:line, time, snapshot, index (number in the file) or uid (bars)")
	flags.StringArrayVar(&options.UIDs, "uid", nil, "draw only this `uid` (repeatable)")
	flags.StringVar(&options.Models, "models", plot.AllModels,
		"`which` models to draw: all, none, all-param, all-nonparam, best-param, best-nonparam, best-model")

	flags.StringVar(&options.Log, "log", "", "logarithmic `axes`: x, y or xy")
	flags.StringVar(&options.Plot.Title, "title", "", "the `text` above the plot, instead of the profiled command")
	flags.StringVar(&options.Plot.Legend, "legend", plot.LegendRight, "`place` of the legend: right, bottom or none")
	flags.IntVar(&options.Plot.Width, "width", 1280, "width of the plot in `pixels`, at most")
	flags.IntVar(&options.Plot.Height, "height", 720, "height of the plot in `pixels`, at most")

	// A page is for a browser, so this flag is required, unlike that of addOutputFlag, whose default
	// is standard output.
	cmd.MarkFlagRequired("output")
	complete(cmd, "x", "structure-unit-size", plot.Snapshot, plot.Index, plot.UID)
	complete(cmd, "models", plot.AllModels, plot.NoModels,
		"all-param", "all-nonparam", "best-param", "best-nonparam", "best-model")
	complete(cmd, "log", "x", "y", "xy")
	complete(cmd, "legend", plot.LegendRight, plot.LegendBottom, plot.LegendNone)
	t.addProfileFlags(cmd)
	return cmd
}

// The command flame also uses these.

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
	// Files of any format are opened, so that the error can say which format the file has.
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
