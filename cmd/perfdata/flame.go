package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/perun/report"
)

func (t *tool) flameCommand() *cobra.Command {
	form, fold := "", false
	forms := []string{"text", "pprof"}

	cmd := &cobra.Command{
		Use:   "flame FILE...",
		Short: "Print Perun profiles as stacks for flame graphs",
		Long: `Print a line for each resource of Perun profiles, as flame-graph programs read
it: the uid and the frames of the trace, the outermost first, separated by
semicolons, and the amount. Resources of subtype free are left out.

  --as text   lines as above
  --as pprof  the same stacks of one profile, for go tool pprof. After an error
              that ends the reading, nothing is written

Unreadable resources are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata flame memory.perf | flamegraph.pl > memory.svg
  perfdata flame --as pprof -o memory.pb.gz memory.perf && go tool pprof -top memory.pb.gz`,
		Args: cobra.MinimumNArgs(1),

		RunE: func(_ *cobra.Command, files []string) error {
			switch form {
			case "text":
				if fold {
					return t.printFolded(files)
				}
				return t.eachProfile(files, func(_ *input, r *perun.Reader) { t.printFlameLines(r) })
			case "pprof":
				return t.writePprof(files)
			}
			return unknownForm(form, forms)
		},
	}

	cmd.Flags().StringVar(&form, "as", "text", "`FORM` of the output: "+oneOf(forms))
	cmd.Flags().BoolVar(&fold, "fold", false, "print each stack once, with the sum of its amounts")
	complete(cmd, "as", forms...)
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

// stackSize is the rough size of a stack in memory, without its text.
const stackSize = 100

// printFolded prints the different stacks of all files, in the order in which they first occur.
func (t *tool) printFolded(files []string) error {
	sums, stacks := make(map[string]float64), []string(nil)
	room := t.limits.MaxHeldBytes

	err := t.eachProfile(files, func(_ *input, r *perun.Reader) {
		for line, err := range report.FlameLines(r) {
			if err != nil {
				t.report(err)
				continue
			}
			if room < 0 {
				return // it is reported below
			}

			i := strings.LastIndexByte(line, ' ')
			amount, _ := strconv.ParseFloat(line[i+1:], 64) // FlameLines wrote the number
			stack := line[:i]
			if _, ok := sums[stack]; !ok {
				stacks = append(stacks, stack)
				room -= int64(len(line)) + stackSize
			}
			sums[stack] += amount
		}
	})
	if err != nil {
		return err
	}

	if room < 0 {
		return errors.New(message.Limit("MaxHeldBytes", t.limits.MaxHeldBytes, "bytes of memory for different stacks"))
	}
	for _, stack := range stacks {
		fmt.Fprintf(t.data, "%s %s\n", stack, appendValue(nil, sums[stack]))
	}
	return nil
}

func (t *tool) writePprof(files []string) error {
	if len(files) > 1 {
		return fmt.Errorf("--as pprof takes one FILE")
	}
	if t.isTerminal(t.out) {
		return errBinary
	}

	t.prints = true
	var out *profile.Profile
	err := t.eachProfile(files, func(in *input, r *perun.Reader) {
		h, err := r.Header()
		if err == nil {
			out, err = report.Pprof(h, t.withAmount(in, r.Resources()))
			if _, ok := errors.AsType[*format.Error](err); err != nil && !ok {
				err = fmt.Errorf("%s: %w", in.name, err)
			}
		}
		if err != nil {
			t.report(err)
			out = nil
		}
	})

	if err != nil {
		return err
	}
	if out == nil {
		return errNothing
	}
	return out.WriteUncompressed(t.stdout)
}

// withAmount returns the resources without those that have no amount, which are reported like all
// recoverable errors.
func (t *tool) withAmount(in *input, resources iter.Seq2[*perun.Resource, error]) iter.Seq2[*perun.Resource, error] {
	return func(yield func(*perun.Resource, error) bool) {
		for res, err := range format.Tolerant(resources, func(e *format.Error) { t.report(e) }) {
			if err == nil {
				amount, _ := res.Fields.Get("amount")
				subtype, _ := res.Fields.Get("subtype")
				if f, ok := amount.Float(); (!ok || math.IsNaN(f) || math.IsInf(f, 0)) && !subtype.Equal(perun.ValueOf("free")) {
					t.report(&format.Error{Name: in.name, Position: res.Position,
						Message: "the resource has no number as its amount", Severity: format.Recoverable})
					continue
				}
			}
			if !yield(res, err) {
				return
			}
		}
	}
}
