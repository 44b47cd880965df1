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
)

func (t *tool) plotCommand() *cobra.Command {
	var out string
	var options plot.Options
	cmd := &cobra.Command{
		Use:   "plot FILE -o OUT",
		Short: "Draw a Perun profile: resources as points, models as curves",
		Long: `Draw a Perun profile's resources as points, a colour for each uid, and its
models as curves in the colour of their uid, into an SVG or PNG picture.

The y axis has the amounts. The x axis has the field that the models are of,
mostly structure-unit-size; where resources don't have it, the number of their
snapshot, or else of their place in the file. The axes show all points, and
what isn't too far from them of the curves. Of more than 9 uids, those with
the fewest points are drawn as others; of many points close together, some.

What can't be read is reported, the rest is drawn, and the exit status is 1.
After an error that ends the reading nothing is drawn. OUT appears when it is
complete, or stays as it was. - is standard input.`,
		Example: `  perfdata plot -o sort.svg sort.perf
  perfdata plot -o sort.png --uid qsort --models best-model sort.perf`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return t.plot(files, out, options) },
	}

	flags := cmd.Flags()
	flags.StringVarP(&out, "output", "o", "", "the picture's `file`, whose name ends in .svg or .png")
	flags.StringVar(&options.X, "x", "",
		"the `field` on the x axis, such as uid:line, time or snapshot; or index for the place in the file")
	flags.StringArrayVar(&options.UIDs, "uid", nil, "a `uid` to draw, instead of all; may be given several times")
	flags.StringVar(&options.Models, "models", plot.AllModels,
		"`which` models to draw: all, none, all-param, all-nonparam, best-param, best-nonparam, best-model")
	cmd.MarkFlagRequired("output")
	complete(cmd, "x", "structure-unit-size", plot.Snapshot, plot.Index)
	complete(cmd, "uid")
	complete(cmd, "models", plot.AllModels, plot.NoModels,
		"all-param", "all-nonparam", "best-param", "best-nonparam", "best-model")
	t.addProfileFlags(cmd)
	return cmd
}

func (t *tool) plot(files []string, out string, options plot.Options) error {
	var write func(*plot.Chart, io.Writer) error
	switch strings.ToLower(filepath.Ext(out)) {
	case ".svg":
		write = (*plot.Chart).WriteSVG
	case ".png":
		write = (*plot.Chart).WritePNG
	default:
		return fmt.Errorf("the name %q ends in neither .svg nor .png", out)
	}

	if err := options.Check(); err != nil {
		return err
	}
	t.prints = true
	var failure error
	err := t.eachProfile(files, func(_ *input, r *perun.Reader) {
		chart, err := plot.New(r, options, func(e *format.Error) { t.report(e) })
		if err != nil {
			t.report(err)
			return
		}

		failure = t.writeFile(out, func(w io.Writer) error { return write(chart, w) })
	})
	if failure != nil {
		return failure
	}
	return err
}
