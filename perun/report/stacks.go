package report

import (
	"iter"
	"slices"

	"perfdata/perun"
)

// A UIDPlace is where the uid of a resource stands in its stack. A resource without a trace has its
// uid alone, wherever that stands.
type UIDPlace int

const (
	UIDAtRoot UIDPlace = iota // the outermost frame, as in FlameLines
	UIDAtLeaf                 // the innermost frame, unless the trace has a frame of its function
	UIDNone                   // left out
)

// PlaceUID returns resources whose trace has the uid at a place. Those that it changes have an empty
// uid. So [Stacks] and [Pprof] show main at the root for the traces of programs, whose uid is the
// function that called the allocator: with its uid at the root, main would call what calls main.
//
// A resource that it changes is a copy, which shares the texts of the one it takes.
func PlaceUID(resources iter.Seq2[*perun.Resource, error], at UIDPlace) iter.Seq2[*perun.Resource, error] {
	if at == UIDAtRoot {
		return resources
	}
	return func(yield func(*perun.Resource, error) bool) {
		for res, err := range resources {
			if err == nil {
				res = placed(res, at)
			}
			if !yield(res, err) {
				return
			}
		}
	}
}

func placed(res *perun.Resource, at UIDPlace) *perun.Resource {
	trace, _ := res.Fields.Get("trace")
	uid, ok := res.Fields.Get("uid")
	frames := trace.List() // the innermost first
	if !ok || len(frames) == 0 {
		return res
	}
	of := frameOf(uid)
	named := func(v perun.Value) bool {
		f := frameOf(v)
		return f.Function == of.Function && (f.Source == of.Source || f.Source == "" || of.Source == "")
	}
	if at == UIDAtLeaf && of.Text != "" && !slices.ContainsFunc(frames, named) {
		frames = append([]perun.Value{uid}, frames...)
	}

	out := *res
	out.Fields = slices.Clone(res.Fields)
	for i, f := range out.Fields {
		switch f.Key {
		case "uid":
			out.Fields[i].Value = perun.ValueOf("")
		case "trace":
			out.Fields[i].Value = perun.ValueOf(frames)
		}
	}
	return &out
}

// A Stack is what a resource took, and which functions took it.
type Stack struct {
	Frames []Frame     // the uid, unless it is empty, and the trace from the outermost frame in
	Amount perun.Value // a finite number
	Unit   string      // of the amount, as the header has it for the resource's type, or empty
}

// A Frame is a uid or a frame of a trace.
type Frame struct {
	Text     string // as in [FlameLines]
	Function string // its name alone, or Text if the frame has no members that name a function
	Source   string // its file, or empty
	Line     int64  // or 0
}

func frameOf(v perun.Value) Frame {
	name, source, line, ok := functionOf(v)
	f := Frame{Text: frameText(v), Function: name, Source: source, Line: line}
	if !ok {
		f.Function = f.Text
	}
	return f
}

// stackOf returns the stack of a resource, without its unit.
func stackOf(res *perun.Resource) (*Stack, error) {
	amount, _, ok := amountOf(res)
	if !ok {
		return nil, errNoAmount
	}
	s := &Stack{Amount: amount}
	size := 0
	add := func(v perun.Value) {
		f := frameOf(v)
		if size += len(f.Text); size <= maxLine && (f.Text != "" || len(s.Frames) > 0) {
			s.Frames = append(s.Frames, f)
		}
	}
	if uid, ok := res.Fields.Get("uid"); ok {
		add(uid)
	}
	trace, _ := res.Fields.Get("trace")
	for _, frame := range slices.Backward(trace.List()) {
		if add(frame); size > maxLine {
			return nil, errTooLarge
		}
	}
	return s, nil
}

// Stacks iterates over the stacks of resources: see [PlaceUID] and [perun.Reader.Resources].
// Resources of subtype free are left out, and, with a recoverable error, those that FlameLines
// leaves out.
func Stacks(h perun.Header, resources iter.Seq2[*perun.Resource, error]) iter.Seq2[*Stack, error] {
	return func(yield func(*Stack, error) bool) {
		for res, err := range resources {
			var s *Stack
			switch {
			case err != nil:
			case isFree(res):
				continue
			default:
				if s, err = stackOf(res); err != nil {
					err = resourceError(res, "", err)
				} else {
					s.Unit = h.Unit(typesOf(h, res))
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}
