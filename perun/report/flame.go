package report

import (
	"errors"
	"iter"
	"math"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/perun"
)

// maxLine is the length of the longest line, in bytes.
const maxLine = 16 << 20

var errTooLarge error = message.LimitError("the flattened form is too large")

var errNoAmount = errors.New("the resource has no number as its amount")

// FlameLines iterates over the lines that flame-graph programs read, one for each resource, in
// the order of the snapshots: the uid, then the frames of the trace from the outermost in, with
// semicolons between them, a space, and the amount. A resource without a trace is a line with its
// uid alone. Resources of subtype free, which give back what others took, are left out. So are,
// with a recoverable error, resources without an amount, and resources whose line would be too
// large.
//
// A uid or frame with function, source and line is written function()~source~line, one with func
// as that, any other flattened. Semicolons and line breaks in them, which would make other
// frames, become colons and spaces.
//
// [perun.Reader.ResourcesBySnapshot] says when resources are held in memory.
func FlameLines(r *perun.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for res, err := range r.ResourcesBySnapshot() {
			var line string
			switch {
			case err != nil:
			case isFree(res):
				continue
			default:
				if line, err = flameLine(res); err != nil {
					err = resourceError(res, r.Name, err)
				}
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// resourceError returns the recoverable error for which a resource is left out.
func resourceError(res *perun.Resource, name string, cause error) error {
	return &format.Error{
		Name: name, Position: res.Position,
		Message: cause.Error(), Err: cause, Severity: format.Recoverable,
	}
}

func isFree(res *perun.Resource) bool {
	subtype, _ := res.Fields.Get("subtype")
	text, _ := subtype.Text()
	return text == "free"
}

// amountOf returns the resource's amount, and whether it is a finite number.
func amountOf(res *perun.Resource) (value perun.Value, amount float64, ok bool) {
	value, _ = res.Fields.Get("amount")
	amount, ok = value.Float()
	return value, amount, ok && !math.IsNaN(amount) && !math.IsInf(amount, 0)
}

func flameLine(res *perun.Resource) (string, error) {
	s, err := stackOf(res)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, f := range s.Frames {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(f.Text)
	}
	b.WriteByte(' ')
	b.WriteString(s.Amount.String())
	return b.String(), nil
}

func frameText(v perun.Value) string {
	text, f := v.FlatText(), v.Fields()
	function, hasFunction := f.Get("function")
	source, hasSource := f.Get("source")
	line, hasLine := f.Get("line")
	if hasFunction && hasSource && hasLine {
		text = function.FlatText() + "()~" + source.FlatText() + "~" + line.FlatText()
	} else if name, ok := f.Get("func"); ok {
		text = name.FlatText()
	}
	return unbroken.Replace(text)
}

// unbroken replaces what would end a frame or a line.
var unbroken = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
