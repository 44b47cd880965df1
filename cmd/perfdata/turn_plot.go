package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/plot"
	"perfdata/format"
	"perfdata/perun"
	"perfdata/report"
)

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
			t.prints = true
			// A failure here is one of the output, and not of an input.
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

	cmd.MarkFlagRequired("output")
	complete(cmd, "x", "structure-unit-size", plot.Snapshot, plot.Index, plot.UID)
	complete(cmd, "models", plot.AllModels, plot.NoModels,
		"all-param", "all-nonparam", "best-param", "best-nonparam", "best-model")
	complete(cmd, "log", "x", "y", "xy")
	complete(cmd, "legend", plot.LegendRight, plot.LegendBottom, plot.LegendNone)
	t.addProfileFlags(cmd)
	return cmd
}
