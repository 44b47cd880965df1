package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/plot"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/message"
	"perfdata/perun"
	perunreport "perfdata/perun/report"
	"perfdata/report"
)

// flameOptions are the flags of flame.
type flameOptions struct {
	form string
	fold bool
	at   perunreport.UIDPlace
}

// flameCommand returns the command that prints stacks. Its text is what programs for flame graphs
// read; the picture needs none of them.
func (t *tool) flameCommand() *cobra.Command {
	o := flameOptions{form: "text"}
	uidAt := ""
	forms := []string{"text", "svg", "pprof"}
	places := []string{perunreport.UIDAtRoot: "root", perunreport.UIDAtLeaf: "leaf", perunreport.UIDNone: "none"}

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

The place of the uid in a stack, with --uid-at:

  root  the outermost frame, as Perun writes it. Each uid is a separate tower,
        and main is in each of them. The default for text and pprof
  leaf  the innermost frame, unless the trace has a frame of its function: main
        is at the root, once. The default for svg
  none  left out

A resource without a trace has its uid alone. In a picture, the calls of a
function from several lines are one box. Amounts of different units can't be
added: the picture shows amounts of the first unit, and a warning counts the rest.

Unreadable resources are reported on standard error and skipped. Use - for
standard input.`,
		Example: `  perfdata flame -o memory.svg memory.perf
  perfdata flame --uid-at leaf memory.perf | flamegraph.pl > memory.svg
  perfdata flame --as pprof -o memory.pb.gz memory.perf && go tool pprof -top memory.pb.gz`,

		RunE: func(cmd *cobra.Command, files []string) error {
			// The name of the output decides about the form, unless --as does. So run.svg.gz is a picture,
			// too: addOutputFlag compresses it.
			out := cmd.Flag("output").Value.String()
			if compressed.ByName(out) != "" {
				out = strings.TrimSuffix(out, filepath.Ext(out))
			}
			if !cmd.Flags().Changed("as") && strings.EqualFold(filepath.Ext(out), ".svg") {
				o.form = "svg"
			}
			// A flag without an effect would look as if it had one.
			if o.fold && o.form != "text" {
				return fmt.Errorf("--fold: the form %s adds up equal stacks in any case: want --as text", o.form)
			}
			// In a picture, main stands once at the root, where people look for it. The text is as
			// Perun writes it.
			if o.form == "svg" && uidAt == "" {
				uidAt = "leaf"
			}
			// Places are indexed by their UIDPlace. Without a place, the zero value is used, which is root.
			if uidAt != "" {
				o.at = perunreport.UIDPlace(slices.Index(places, uidAt))
			}

			switch o.form {
			case "svg":
				return t.drawFlame(files, o)
			case "pprof":
				return t.writePprof(files, o)
			}
			// Without --fold, a line is printed for each stack, and none of them is held.
			stacks, texts, err := t.sumStacks(files, o, func(_ *input, _ perun.Header, s *perunreport.Stack) bool {
				if !o.fold {
					fmt.Fprintf(t.data, "%s %s\n", s.Text(), s.Amount)
				}
				return o.fold
			})
			// The lines above have the digits of the profile. A sum is a float64, and has the fewest digits
			// that tell it from others.
			for i, text := range texts {
				fmt.Fprintf(t.data, "%s %s\n", text, appendValue(nil, stacks[i].Value))
			}
			return err
		},
	}

	addForm(cmd, &o.form, forms)
	cmd.Flags().BoolVar(&o.fold, "fold", false, "print each stack once, with the sum of its amounts")
	addChoice(cmd, "uid-at", "`place` of the uid: ", &uidAt, places)
	// The default depends on the form, so the usage cannot take it from the variable.
	cmd.Flags().Lookup("uid-at").DefValue = "leaf for svg, else root"
	t.addOutputFlag(cmd)
	t.addProfileFlags(cmd)
	return cmd
}

// stacks iterates over the stacks of resources. It reports resources that have none.
func (t *tool) stacks(
	in *input, h perun.Header, resources iter.Seq2[*perun.Resource, error], at perunreport.UIDPlace,
) iter.Seq2[*perunreport.Stack, error] {
	// Stacks does not know the name of the file, and its own errors need one. A resource without a
	// stack makes the exit status 1; the rest is printed.
	return format.Tolerant(perunreport.Stacks(h, resources, at), func(e *format.Error) {
		e.Name = cmp.Or(e.Name, in.name)
		t.report(e)
	})
}

// sumStacks returns the different stacks of all files, in the order in which they first occur.
// Stacks that isWanted refuses are left out. Only pictures need frames.
func (t *tool) sumStacks(files []string, o flameOptions,
	isWanted func(*input, perun.Header, *perunreport.Stack) bool) (stacks []report.Stack, texts []string, err error) {
	// The rough sizes in memory of a stack, without its text, and of a frame. They need not be exact:
	// they keep a profile whose stacks are all different within MaxHeldBytes, which is 128 MiB without
	// --limit.
	const stackSize, frameSize = 200, 64
	index := make(map[string]int) // by text
	room := t.reading.opener.Limits.MaxHeldBytes
	add := func(s *perunreport.Stack) {
		text := s.Text()
		at, known := index[text]
		if !known {
			at = len(stacks)
			index[text], texts, stacks = at, append(texts, text), append(stacks, report.Stack{})
			room -= int64(len(text)) + stackSize
			// Lines need the text alone. A box is a function with its file, whatever the lines of its calls,
			// so a picture needs these apart.
			if o.form == "svg" {
				room -= int64(len(s.Frames))*frameSize + int64(len(text)) // the names of functions
				for _, f := range s.Frames {
					stacks[at].Frames = append(stacks[at].Frames, report.Frame{Name: f.Function, File: f.Source, Line: f.Line})
				}
			}
		}

		amount, _ := s.Amount.Float() // Stacks yields numbers
		stacks[at].Value += amount
	}

	whole := true // all profiles were read to their ends
	t.eachProfile(files, func(in *input, r *perun.Reader) error {
		h, _ := r.Header() // its error is also that of the resources
		// The lines are in the order of the snapshots, as those of perunreport.FlameLines.
		for s, err := range t.stacks(in, h, r.ResourcesBySnapshot(), o.at) {
			if err != nil {
				whole = false
				return err
			}
			// Without room, the reading goes on, for the errors of the files.
			if room >= 0 && isWanted(in, h, s) {
				add(s)
			}
		}
		return nil
	})

	switch {
	// Sums without the stacks that found no room would look like the sums of the whole profile.
	case room < 0:
		return nil, nil, errors.New(message.Limit("MaxHeldBytes", t.reading.opener.Limits.MaxHeldBytes,
			"bytes of memory for different stacks"))
	case !whole && o.form == "svg":
		return nil, nil, errNothing // a part of a profile would look like a whole one
	}
	return stacks, texts, nil
}

// writePprof writes the profile of one file: that of several would need units that are the same in
// all.
func (t *tool) writePprof(files []string, o flameOptions) error {
	if len(files) > 1 {
		return fmt.Errorf("--as pprof takes one FILE")
	}
	// This is checked before the reading, which may take long.
	if t.isTerminal(t.out) {
		return errBinary
	}

	t.prints = true
	var out *profile.Profile
	t.eachProfile(files, func(in *input, r *perun.Reader) (err error) {
		h, _ := r.Header() // its error is also that of the resources
		// Pprof adds up equal stacks, so the order of the resources does not matter. To have them by
		// snapshot could mean to hold all of them in memory.
		out, err = perunreport.Pprof(h, t.stacks(in, h, r.Resources(), o.at))
		// Errors of the profile have the name of the file; the one about a sum that is too large does
		// not.
		if _, ok := errors.AsType[*format.Error](err); err != nil && !ok {
			err = fmt.Errorf("%s: %w", in.name, err)
		}
		return err
	})
	// The error was reported. This one keeps an older file as it was.
	if out == nil {
		return errNothing
	}
	// The name of the output file decides whether it is compressed, as for all commands: see compress.
	// Programs that read profiles accept both.
	return out.WriteUncompressed(t.stdout)
}

// drawFlame writes a flame graph of the profiles.
func (t *tool) drawFlame(files []string, o flameOptions) error {
	var f report.Flame
	var first string // the input that has the first stack
	otherUnits, negative := 0, 0
	inputs := map[string]bool{}
	stacks, _, err := t.sumStacks(files, o, func(in *input, h perun.Header, s *perunreport.Stack) bool {
		amount, _ := s.Amount.Float()
		switch {
		// The first stack decides the unit and the title. Boxes of two units side by side would compare
		// amounts that cannot be compared.
		case first == "":
			first, f.Unit = in.name, s.Unit
			f.Title, f.Note = plot.Titles(h, in.name)
		case s.Unit != f.Unit:
			otherUnits++
			return false
		}

		// The width of a box is the sum of its stacks: a negative amount would make a caller narrower
		// than its calls.
		if amount < 0 {
			negative++
			return false
		}
		inputs[in.name] = true
		return true
	})
	if err != nil {
		return err
	}
	f.Stacks, t.prints = stacks, true

	if n := len(inputs); n > 1 {
		f.Note = fmt.Sprintf("%d profiles", n)
	}
	f.Title = cmp.Or(f.Title, "Flame graph")

	// One warning has the number of all resources of its kind, of which a profile may have millions. A
	// warning does not change the exit status. Its place is the beginning of the first file, because
	// it is about no line.
	warn := func(n int, why string) {
		if n > 0 {
			t.report(&format.Error{
				Name: first, Position: format.Position{Line: 1, Column: 1}, Severity: format.Warning,
				Message: fmt.Sprintf("%s left out: %s", message.Plural(n, "resource"), why),
			})
		}
	}
	warn(otherUnits, "the picture shows amounts in "+cmp.Or(f.Unit, "no unit")+" only")
	warn(negative, "a flame graph has no negative amounts")

	// If there is nothing to draw, the input is at fault, and an older picture stays as it was.
	if err := report.WriteFlame(t.stdout, &f); err != nil {
		t.report(fmt.Errorf("%s: %w", cmp.Or(first, files[0]), err))
		return errNothing
	}
	return nil
}
