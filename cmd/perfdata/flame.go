package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/perun/report"
)

// flameOptions are the flags of flame.
type flameOptions struct {
	form string
	fold bool
	at   report.UIDPlace
}

func (t *tool) flameCommand() *cobra.Command {
	var o flameOptions
	uidAt := ""
	forms, places := []string{"text", "svg", "pprof"}, []string{"root", "leaf", "none"}

	cmd := &cobra.Command{
		Use:   "flame FILE...",
		Short: "Draw Perun profiles as flame graphs, or print their stacks",
		Long: `Print a line for each resource of Perun profiles, as flame-graph programs read
it: the uid and the frames of the trace, the outermost first, separated by
semicolons, and the amount. Resources of subtype free are left out.

  --as text   lines as above
  --as svg    a flame graph: one file that browsers show, without a network. A
              click on a box shows it in the whole width, Escape shows all, and
              the search finds functions. This is the default for -o FILE.svg.
              Other programs make PNG or PDF of it:
              rsvg-convert memory.svg -o memory.png
  --as pprof  the same stacks of one profile, for go tool pprof. After an error
              that ends the reading, nothing is written

Where the uid stands in a stack, with --uid-at:

  root  the outermost frame, as Perun writes it. Each uid is a tower of its own,
        and main stands in each of them. The default for text and pprof
  leaf  the innermost frame, unless the trace has a frame of its function: main
        stands at the root, once. The default for svg
  none  left out

A resource without a trace has its uid alone. In a picture, the calls of a
function from several lines are one box. Amounts of different units can't be
added: the picture shows those of the first unit, and a warning counts the rest.

Unreadable resources are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata flame -o memory.svg memory.perf
  perfdata flame --uid-at leaf memory.perf | flamegraph.pl > memory.svg
  perfdata flame --as pprof -o memory.pb.gz memory.perf && go tool pprof -top memory.pb.gz`,
		Args: cobra.MinimumNArgs(1),

		RunE: func(cmd *cobra.Command, files []string) error {
			if out := cmd.Flag("output").Value.String(); !cmd.Flags().Changed("as") && namesSVG(out) {
				o.form = "svg"
			}
			if o.form == "svg" && uidAt == "" {
				uidAt = "leaf"
			}
			switch uidAt {
			case "", "root":
				o.at = report.UIDAtRoot
			case "leaf":
				o.at = report.UIDAtLeaf
			case "none":
				o.at = report.UIDNone
			default:
				return fmt.Errorf("unknown place %q of the uid: want %s", uidAt, oneOf(places))
			}

			switch o.form {
			case "text":
				return t.printStacks(files, o)
			case "svg":
				return t.drawFlame(files, o)
			case "pprof":
				return t.writePprof(files, o)
			}
			return unknownForm(o.form, forms)
		},
	}

	cmd.Flags().StringVar(&o.form, "as", "text", "`FORM` of the output: "+oneOf(forms))
	cmd.Flags().BoolVar(&o.fold, "fold", false, "print each stack once, with the sum of its amounts")
	cmd.Flags().StringVar(&uidAt, "uid-at", "", "`place` of the uid: "+oneOf(places)+"; leaf for svg, else root")
	complete(cmd, "as", forms...)
	complete(cmd, "uid-at", places...)
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

// namesSVG reports whether a file is an SVG picture by its name, possibly compressed.
func namesSVG(name string) bool {
	if compressed.ByName(name) != "" {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.EqualFold(filepath.Ext(name), ".svg")
}

// eachStack calls do with each stack of the profiles. It reports resources that have none, and
// returns whether all profiles were read to their ends.
func (t *tool) eachStack(files []string, o flameOptions,
	do func(*input, perun.Header, *report.Stack)) (whole bool, err error) {
	whole = true
	err = t.eachProfile(files, func(in *input, r *perun.Reader) {
		h, err := r.Header()
		if err != nil {
			whole = false
			t.report(err)
			return
		}

		resources := report.PlaceUID(t.withAmount(in, r.ResourcesBySnapshot()), o.at)
		for s, err := range report.Stacks(h, resources) {
			if err != nil {
				e, ok := errors.AsType[*format.Error](err)
				if ok {
					e.Name = cmp.Or(e.Name, in.name)
				}
				whole = whole && ok && e.Severity == format.Recoverable
				t.report(err)
				continue
			}
			do(in, h, s)
		}
	})
	return whole, err
}

// textOf returns the frames of a stack as flame-graph programs read them.
func textOf(s *report.Stack) string {
	var b strings.Builder
	for i, f := range s.Frames {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(f.Text)
	}
	return b.String()
}

// A stackSum is what one stack took in all files.
type stackSum struct {
	text   string
	frames []report.Frame
	sum    float64
}

// stackSize is the rough size of a stack in memory, without its text, and frameSize that of a frame.
const (
	stackSize = 200
	frameSize = 64
)

// sumStacks returns the different stacks of all files, in the order in which they first occur. Those
// that isWanted refuses are left out.
func (t *tool) sumStacks(files []string, o flameOptions,
	isWanted func(*input, perun.Header, *report.Stack) bool) ([]*stackSum, error) {
	byText, all := make(map[string]*stackSum), []*stackSum(nil)
	room := t.limits.MaxHeldBytes
	whole, err := t.eachStack(files, o, func(in *input, h perun.Header, s *report.Stack) {
		if room < 0 || !isWanted(in, h, s) {
			return // a lack of room is reported below
		}
		text := textOf(s)
		sum := byText[text]
		if sum == nil {
			sum = &stackSum{text: text}
			if o.form == "svg" {
				sum.frames = s.Frames
				room -= int64(len(s.Frames))*frameSize + int64(len(text)) // the names of functions
			}
			byText[text], all = sum, append(all, sum)
			room -= int64(len(text)) + stackSize
		}
		amount, _ := s.Amount.Float() // Stacks yields numbers
		sum.sum += amount
	})

	switch {
	case err != nil:
		return nil, err
	case room < 0:
		return nil, errors.New(message.Limit("MaxHeldBytes", t.limits.MaxHeldBytes,
			"bytes of memory for different stacks"))
	case !whole && o.form == "svg":
		return nil, errNothing // a part of a profile would look like a whole one
	}
	return all, nil
}

func (t *tool) printStacks(files []string, o flameOptions) error {
	if !o.fold {
		_, err := t.eachStack(files, o, func(_ *input, _ perun.Header, s *report.Stack) {
			fmt.Fprintf(t.data, "%s %s\n", textOf(s), s.Amount)
		})
		return err
	}
	all, err := t.sumStacks(files, o, func(*input, perun.Header, *report.Stack) bool { return true })
	if err != nil {
		return err
	}
	for _, s := range all {
		fmt.Fprintf(t.data, "%s %s\n", s.text, appendValue(nil, s.sum))
	}
	return nil
}

func (t *tool) writePprof(files []string, o flameOptions) error {
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
			out, err = report.Pprof(h, report.PlaceUID(t.withAmount(in, r.Resources()), o.at))
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
