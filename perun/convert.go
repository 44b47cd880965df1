package perun

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
)

// ResourceTable iterates over the rows of a table of the resources, for encoding/csv: first the names of the columns, then
// for each resource its flattened fields. The columns are all fields that any resource has, and snapshots, the number
// of the resource's snapshot, sorted; a field that a resource doesn't have is empty. The profile is read twice: the
// Reader must not be InOrder. A row is overwritten by the next.
func (r *Reader) ResourceTable() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		names, err := FieldNames(KeepGoing(r.Resources(), func(*format.Error) {}))
		if err != nil {
			yield(nil, err)
			return
		}
		const number = "snapshots"
		if !slices.Contains(names, number) {
			names = append(names, number)
			slices.Sort(names)
		}
		rows(names, r.Resources(), yield, func(res *Resource, row []string) {
			row[slices.Index(names, number)] = fmt.Sprint(res.Snapshot)
		})
	}
}

// ModelTable is ResourceTable for the models.
func (r *Reader) ModelTable() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		names, err := FieldNames(KeepGoing(r.Models(), func(*format.Error) {}))
		if err != nil {
			yield(nil, err)
			return
		}
		rows(names, r.Models(), yield, func(*Model, []string) {})
	}
}

func rows[I Item](names []string, items iter.Seq2[I, error], yield func([]string, error) bool, add func(I, []string)) {
	if !yield(slices.Clone(names), nil) {
		return
	}
	at := map[string]int{}
	for i, name := range names {
		at[name] = i
	}
	row := make([]string, len(names))
	var last lastFlat
	for item, err := range items {
		var flat Fields
		if err == nil {
			flat, err = last.of(item.fields())
		}
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		clear(row)
		for _, f := range flat {
			i, ok := at[f.Key]
			if !ok {
				yield(nil, fmt.Errorf("the profile changed while it was read: field %s is new", message.Quote(f.Key)))
				return
			}
			if f.Value.kind != KindNull {
				row[i] = f.Value.String()
			}
		}
		add(item, row)
		if !yield(row, nil) {
			return
		}
	}
}

// FlameLines iterates over the lines that flame-graph programs read, one for each resource, in the order of the
// snapshots: the uid, then the frames of the trace from the outermost in, with semicolons between them, a space,
// and the amount. Resources of subtype free, which give back what others took, are left out, and so are, with a
// recoverable error, those without an amount and those whose line would be too large. A resource without a trace is a
// line with its uid alone.
//
// A uid or frame with function, source and line is written function()~source~line, one with func as that, another one
// flattened. Semicolons and line breaks in them, which would make other frames, become colons and spaces.
//
// Where the resources stand in the order of their snapshots, as those do that name none, none is held in memory: for that, today's
// layout is looked through once more. Else all are.
func (r *Reader) FlameLines() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for res, err := range r.bySnapshot() {
			var line string
			switch {
			case err != nil:
			case res.isFree():
				continue
			default:
				if line, err = res.flameLine(); err != nil {
					err = res.fault(r.Name, err.Error(), err)
				}
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// fault returns the recoverable error for which a resource is left out.
func (r *Resource) fault(name, message string, cause error) error {
	return &format.Error{Name: name, Position: r.Position, Message: message, Err: cause, Recoverable: true}
}

func (r *Resource) isFree() bool {
	subtype, _ := r.Fields.Get("subtype")
	return subtype.kind == KindString && subtype.text == "free"
}

func (r *Resource) flameLine() (string, error) {
	amount, _ := r.Fields.Get("amount")
	if f, ok := amount.Float(); !ok || !isFinite(f) {
		return "", fmt.Errorf("the resource has no number as its amount")
	}
	var b strings.Builder
	if uid, ok := r.Fields.Get("uid"); ok {
		b.WriteString(frameLine(uid))
	}
	for _, frame := range r.frames() {
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		b.WriteString(frameLine(frame))
		if b.Len() > maxFlat {
			return "", ErrTooLarge
		}
	}
	b.WriteByte(' ')
	b.WriteString(amount.String())
	return b.String(), nil
}

// frames returns the frames of the trace, from the outermost in.
func (r *Resource) frames() []Value {
	trace, _ := r.Fields.Get("trace")
	frames := slices.Clone(trace.List())
	slices.Reverse(frames)
	return frames
}

func frameLine(v Value) string {
	text := v.flat()
	f := v.Fields()
	function, has := f.Get("function")
	source, hasSource := f.Get("source")
	line, hasLine := f.Get("line")
	if fn, ok := f.Get("func"); has && hasSource && hasLine {
		text = function.flat() + "()~" + source.flat() + "~" + line.flat()
	} else if ok {
		text = fn.flat()
	}
	return unbroken.Replace(text)
}

var unbroken = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
