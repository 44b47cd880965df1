package report

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
)

// A UIDPlace is where the uid of a resource stands in its stack. A resource without a trace has its
// uid alone, wherever that stands.
//
// The uid of a program's trace is usually the function that called the allocator: with its uid at
// the root, main would call what calls main.
type UIDPlace int

const (
	UIDAtRoot UIDPlace = iota // the outermost frame, as in FlameLines
	UIDAtLeaf                 // the innermost frame, unless the trace has a frame of its function
	UIDNone                   // left out
)

// A Stack is what a resource took, and which functions took it.
type Stack struct {
	Frames []Frame     // the outermost first, with the uid, unless it is empty
	Amount perun.Value // a finite number

	Type, Subtype string // of the resource, or else of the profile; may be empty
	Unit          string // of the amount, as the header has it for the type and subtype, or empty
}

// A Frame is a uid or a frame of a trace.
type Frame struct {
	Text     string // as in [FlameLines]
	Function string // its name alone, or all of the frame if no member names a function
	Source   string // its file, or empty
	Line     int64  // or 0
}

// Text returns the frames as flame-graph programs read them: see [FlameLines].
func (s *Stack) Text() string {
	var b strings.Builder
	for i, f := range s.Frames {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(f.Text)
	}
	return b.String()
}

// Stacks iterates over the stacks of resources, which have the uid at a place. Resources of subtype
// free, which give back what others took, are left out. So are, with a recoverable error, resources
// without a number as their amount, and resources whose stack would be too large.
func Stacks(h perun.Header, resources iter.Seq2[*perun.Resource, error], at UIDPlace) iter.Seq2[*Stack, error] {
	return func(yield func(*Stack, error) bool) {
		for res, err := range resources {
			var s *Stack
			if err == nil {
				if subtype, _ := res.Fields.Get("subtype"); subtype.Equal(perun.ValueOf("free")) {
					continue
				}
				if s, err = stackOf(h, res, at); err != nil {
					s, err = nil, &format.Error{
						Position: res.Position, Message: err.Error(), Err: err, Severity: format.Recoverable,
					}
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// FlameLines iterates over the lines that flame-graph programs read, one for each of the [Stacks] with
// the uid at the root, in the order of the snapshots: the frames, with semicolons between them, a
// space, and the amount.
//
// A uid or frame with function, source and line is written function()~source~line, one with func
// as that, any other flattened. Semicolons and line breaks in them, which would make other
// frames, become colons and spaces.
//
// [perun.Reader.ResourcesBySnapshot] says when resources are held in memory.
func FlameLines(r *perun.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		h, _ := r.Header() // its error is also that of the resources
		for s, err := range Stacks(h, r.ResourcesBySnapshot(), UIDAtRoot) {
			line := ""
			if e, ok := err.(*format.Error); ok {
				e.Name = cmp.Or(e.Name, r.Name)
			} else if err == nil {
				line = s.Text() + " " + s.Amount.String()
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// stackOf returns the stack of a resource.
func stackOf(h perun.Header, res *perun.Resource, at UIDPlace) (*Stack, error) {
	s := &Stack{Type: cmp.Or(res.Fields.FlatText("type"), h.Type), Subtype: res.Fields.FlatText("subtype")}
	s.Unit = h.Unit(s.Type, s.Subtype)
	s.Amount, _ = res.Fields.Get("amount")
	if f, ok := s.Amount.Float(); !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("the resource has no number as its amount")
	}

	trace, _ := res.Fields.Get("trace")
	value, hasUID := res.Fields.Get("uid")
	uid := frameOf(value)
	if hasUID && (at == UIDAtRoot || len(trace.List()) == 0) {
		s.Frames = append(s.Frames, uid)
	}
	size := len(uid.Text)
	for _, v := range slices.Backward(trace.List()) {
		f := frameOf(v)
		if size += len(f.Text); size > 16<<20 {
			return nil, message.LimitError("the flattened form is too large")
		}
		s.Frames = append(s.Frames, f)
	}

	isSame := func(f Frame) bool { // as far as the sources are known
		return f.Function == uid.Function && (f.Source == uid.Source || f.Source == "" || uid.Source == "")
	}
	if hasUID && at == UIDAtLeaf && uid.Text != "" && !slices.ContainsFunc(s.Frames, isSame) {
		s.Frames = append(s.Frames, uid)
	}

	for len(s.Frames) > 0 && s.Frames[0].Text == "" { // P17
		s.Frames = s.Frames[1:]
	}
	return s, nil
}

// frameOf returns the frame that a uid, or an element of a trace, is.
func frameOf(v perun.Value) Frame {
	fields := v.Fields()
	function, hasFunction := fields.Get("function")
	source, hasSource := fields.Get("source")
	line, hasLine := fields.Get("line")
	f := Frame{Text: v.FlatText()}
	if short, ok := fields.Get("func"); ok {
		f.Text = short.FlatText()
	}

	f.Function = f.Text
	if hasFunction {
		f.Function = function.FlatText()
	}
	if hasSource {
		f.Source = source.FlatText()
	}
	if hasFunction && hasSource && hasLine {
		f.Text = f.Function + "()~" + f.Source + "~" + line.FlatText()
	}
	f.Text = unbroken.Replace(f.Text)
	if n, ok := line.Float(); ok && n >= 0 && n < 1<<53 {
		f.Line = int64(n)
	}
	return f
}

// unbroken replaces what would end a frame or a line.
var unbroken = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
