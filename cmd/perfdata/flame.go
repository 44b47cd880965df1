package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/perun"
	"perfdata/perun/report"
)

func (t *tool) flameCommand() *cobra.Command {
	pprof := ""
	cmd := &cobra.Command{
		Use:   "flame FILE...",
		Short: "Print the lines of a flame graph of Perun profiles",
		Long: `Print a line for each resource of Perun profiles, as flame-graph programs read
them: the uid and the frames of the trace, the outermost first, with semicolons
between, and the amount. Resources of subtype free are left out.

With --pprof, write the same of one profile as a file for go tool pprof instead.

What can't be read is reported, the rest is written, and the exit status is 1.
After an error that ends the reading, no file is written: it appears when it
is complete, or stays as it was. - is standard input.`,
		Example: `  perfdata flame memory.perf | flamegraph.pl > memory.svg
  perfdata flame --pprof memory.pb.gz memory.perf && go tool pprof -top memory.pb.gz`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			if pprof == "" {
				return t.eachProfile(files, func(_ *input, r *perun.Reader) { t.printFlameLines(r) })
			}
			if len(files) > 1 {
				return fmt.Errorf("--pprof takes one FILE")
			}
			return t.writePprof(files, pprof)
		},
	}

	cmd.Flags().StringVar(&pprof, "pprof", "", "the `file` to write for go tool pprof, instead of printing lines")
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

func (t *tool) printFlameLines(r *perun.Reader) {
	for line, err := range report.FlameLines(r) {
		if err != nil {
			t.report(err)
			continue
		}
		io.WriteString(t.data, line+"\n")
	}
}

func (t *tool) writePprof(files []string, out string) error {
	t.prints = true
	var failure error
	err := t.eachProfile(files, func(in *input, r *perun.Reader) {
		h, err := r.Header()
		if err != nil {
			t.report(err)
			return
		}
		profile, err := report.Pprof(h, t.withAmount(in, r.Resources()))
		if _, ok := errors.AsType[*format.Error](err); err != nil && !ok {
			err = fmt.Errorf("%s: %w", in.name, err)
		}
		if err != nil {
			t.report(err)
			return
		}
		failure = t.writeFile(out, func(w io.Writer) error { return profile.Write(w) })
	})
	if failure != nil {
		return failure
	}
	return err
}

// withAmount returns the resources but those that have no amount, which are reported like all
// recoverable errors.
func (t *tool) withAmount(in *input, resources iter.Seq2[*perun.Resource, error]) iter.Seq2[*perun.Resource, error] {
	return func(yield func(*perun.Resource, error) bool) {
		for res, err := range format.Tolerant(resources, func(e *format.Error) { t.report(e) }) {
			if err == nil {
				amount, _ := res.Fields.Get("amount")
				subtype, _ := res.Fields.Get("subtype")
				if f, ok := amount.Float(); (!ok || math.IsNaN(f) || math.IsInf(f, 0)) && !subtype.Equal(perun.StringOf("free")) {
					t.report(&format.Error{Name: in.name, Position: res.Position,
						Message: "the resource has no number as its amount", Recoverable: true})
					continue
				}
			}
			if !yield(res, err) {
				return
			}
		}
	}
}
