package main

import (
	"cmp"
	"fmt"

	"perfdata/cmd/perfdata/internal/plot"
	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
	perunreport "perfdata/perun/report"
	"perfdata/report"
)

// drawFlame writes a flame graph of the profiles.
func (t *tool) drawFlame(files []string, o flameOptions) error {
	var f report.Flame
	var first string // the input that has the first stack
	otherUnits, negative := 0, 0
	inputs := map[string]bool{}
	all, err := t.sumStacks(files, o, func(in *input, h perun.Header, s *perunreport.Stack) bool {
		amount, _ := s.Amount.Float()
		switch {
		case first == "":
			first, f.Unit = in.name, s.Unit
			f.Title, f.Note = plot.Titles(h, in.name)
		case s.Unit != f.Unit:
			otherUnits++
			return false
		}
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
	t.prints = true

	if n := len(inputs); n > 1 {
		f.Note = fmt.Sprintf("%d profiles", n)
	}
	if f.Title == "" {
		f.Title = "Flame graph"
	}
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

	for _, s := range all {
		stack := report.Stack{Value: s.sum}
		for _, frame := range s.frames {
			stack.Frames = append(stack.Frames, report.Frame{Name: frame.Function, File: frame.Source, Line: frame.Line})
		}
		f.Stacks = append(f.Stacks, stack)
	}
	if err := report.WriteFlame(t.stdout, &f); err != nil {
		t.report(fmt.Errorf("%s: %w", cmp.Or(first, files[0]), err))
		return errNothing
	}
	return nil
}
