// Package opening has what the function Open of every format does with its options, and what all
// Readers need of their inputs: a file must not change while it is read, and an input must not be
// missing.
package opening

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
)

// Writing returns the NewWriter of a format whose Writers open makes. Its header is that of a file of
// the format, or what adopt makes of another's.
func Writing[H any, W format.Writer](
	open func(io.Writer, H) W, adopt func(format.Header) H,
) func(io.Writer, format.Header) (format.Writer, error) {
	return func(out io.Writer, h format.Header) (format.Writer, error) {
		native, ok := h.Native.(H)
		if !ok {
			native = adopt(h)
		}
		return open(out, native), nil
	}
}

// With returns the Open of a format whose Readers open makes. If open fails, the error is the only
// result of the Reader.
func With[R format.Reader](
	open func(reuse format.Reader, in io.Reader, o format.Options) (R, *format.Error),
) func(reuse format.Reader, in io.Reader, o format.Options) format.Reader {
	return func(reuse format.Reader, in io.Reader, o format.Options) format.Reader {
		r, err := open(reuse, in, o)
		if err != nil {
			return Refuse(err)
		}
		return r
	}
}

// Reuse returns the Reader whose memory is to be used, or a new one if that is of another type.
func Reuse[R any](reuse format.Reader) *R {
	if r, ok := any(reuse).(*R); ok {
		return r
	}
	return new(R)
}

// A Warner is a Reader whose Records also yield warnings, after a call of Warn.
type Warner interface {
	format.Reader
	Warn()
}

// Validating returns the Validate of a format, which calls validate with a Reader that open makes.
func Validating[R format.Reader](
	open func(reuse format.Reader, in io.Reader, o format.Options) (R, *format.Error),
	validate func(r R, yield func(*format.Error) bool),
) func(in io.Reader, o format.Options) iter.Seq[*format.Error] {
	return func(in io.Reader, o format.Options) iter.Seq[*format.Error] {
		return func(yield func(*format.Error) bool) {
			if r, err := open(nil, in, o); err != nil {
				yield(err)
			} else {
				validate(r, yield)
			}
		}
	}
}

// ValidateRecords yields the faults and warnings of a Reader whose Records report all faults.
func ValidateRecords[R Warner](r R, yield func(*format.Error) bool) {
	r.Warn()
	for _, err := range r.Records() {
		e, ok := err.(*format.Error)
		if ok && e.Severity == format.Recoverable {
			e.Severity = format.Fatal
		}
		if ok && !yield(e) {
			return
		}
	}
}

// Configure sets the Settings of a Reader of the format, whose fields are set to the other options. It
// returns an error with the cause [format.ErrOption] if the format cannot do as the options say. Most
// options have neither Params nor Settings: then it does not ask for the format, which takes as long to
// make as a Reader.
func Configure(of func() format.Format, r format.Reader, o format.Options) *format.Error {
	if len(o.Params) == 0 && len(o.Settings) == 0 {
		return nil
	}
	f := of()
	fail := func(text string, args ...any) *format.Error {
		at, text := format.Position{Line: 1, Column: 1}, fmt.Sprintf(text, args...)
		return &format.Error{Name: o.Name, Position: at, Message: text, Err: format.ErrOption}
	}
	if len(o.Params) > 0 && !f.TakesParams {
		return fail("params %s: files of the format %s have their own", o.Params.ID(), f.Name)
	}

	for key, value := range o.Settings {
		of, name, _ := strings.Cut(key, ".")
		if of != f.Name {
			continue
		}
		i := slices.IndexFunc(f.Settings, func(s format.Setting) bool { return s.Name == name })
		if i >= 0 {
			if err := f.Settings[i].Set(r, value); err != nil {
				return fail("setting %s: %v", key, err)
			}
			continue
		}

		names := make([]string, len(f.Settings))
		for i, s := range f.Settings {
			names[i] = f.Name + "." + s.Name
		}
		none := "none: the format " + f.Name + " has no settings"
		return fail("setting %s: want %s", key, cmp.Or(strings.Join(names, " or "), none))
	}
	return nil
}

// Bool returns the Set of a Setting whose values are true and false. The field belongs to a Reader
// of type R.
func Bool[R format.Reader](field func(r R) *bool) func(format.Reader, string) error {
	return func(r format.Reader, value string) error {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q: want true or false", value)
		}
		*field(r.(R)) = b
		return nil
	}
}

// Refuse returns a Reader whose only result is the error.
func Refuse(err *format.Error) format.Reader { return refusal{err} }

type refusal struct{ err *format.Error }

func (r refusal) FileHeader() (format.Header, error) { return format.Header{}, r.err }

func (r refusal) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) { yield(nil, r.err) }
}

func (r refusal) Close() error { return nil }
