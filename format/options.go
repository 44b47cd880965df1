package format

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"perfdata/traceid"
)

// Options are the options of the Readers of all formats. The zero value has the defaults.
type Options struct {
	// Name is the name of the input, for errors.
	Name string

	// Limits bounds the resources that the input can make the Reader use.
	Limits Limits

	// InOrder reads in one pass. If a format has a header, a member of it that comes after the
	// measurements is then an error.
	InOrder bool

	// Commit is the commit of measurements for which the input names none. A record and a header that
	// have a commit keep it. Package perfdata's File sets it, for every format; a Reader does not.
	Commit string

	// Promote lists the keys of attrs that become params, and so part of the identity of the
	// measurement. An attr stays one if the record has a param of that key. A promoted attr commit is
	// the Commit of its record. Package perfdata's File promotes attrs, in every format; a Reader does
	// not.
	Promote []string

	// Params are added to all measurements of a format whose files lack them, such as the name of
	// the test in keyvals. Other formats refuse them: see Format.TakesParams.
	Params traceid.Params

	// Settings are the options that only one format has, by names such as "skiav1.branches". Each
	// format uses its own.
	Settings map[string]string
}

// A Setting is an option that only one format has. A program that knows the Reader's type can set
// the exported field of the Reader instead.
type Setting struct {
	Name  string // in Options.Settings, after the name of the format and a dot
	Usage string // what it does, and its values, in a sentence without a period

	// Set sets the option of a Reader of the format. The error says what values there are.
	Set func(r Reader, value string) error
}

// SetBool returns the Set of a Setting whose values are true and false. The field is that of a
// Reader of type R.
func SetBool[R Reader](field func(r R) *bool) func(Reader, string) error {
	return func(r Reader, value string) error {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q: want true or false", value)
		}
		*field(r.(R)) = b
		return nil
	}
}

// Configure sets the Settings of a Reader whose fields Open has set to the other options. It returns
// an error with the cause [ErrOption] if the format cannot do as the options say.
func (f *Format) Configure(r Reader, o Options) *Error {
	if err := f.configure(r, o); err != nil {
		return &Error{Name: o.Name, Position: Position{Line: 1, Column: 1}, Message: err.Error(), Err: ErrOption}
	}
	return nil
}

func (f *Format) configure(r Reader, o Options) error {
	if len(o.Params) > 0 && !f.TakesParams {
		return fmt.Errorf("params %s: files of the format %s have their own", o.Params.ID(), f.Name)
	}
	for key, value := range o.Settings {
		format, name, _ := strings.Cut(key, ".")
		if format != f.Name {
			continue
		}
		i := slices.IndexFunc(f.Settings, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			return fmt.Errorf("setting %s: want %s", key, f.settingNames())
		}
		if err := f.Settings[i].Set(r, value); err != nil {
			return fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return nil
}

// OpenWith returns the Open of a format whose Readers open makes. If open fails, the error is the only
// result of the Reader.
func OpenWith[R Reader](
	open func(reuse Reader, in io.Reader, o Options) (R, *Error),
) func(reuse Reader, in io.Reader, o Options) Reader {
	return func(reuse Reader, in io.Reader, o Options) Reader {
		r, err := open(reuse, in, o)
		if err != nil {
			return Refuse(err)
		}
		return r
	}
}

// settingNames returns the names of the settings, for errors.
func (f *Format) settingNames() string {
	if len(f.Settings) == 0 {
		return "none: the format " + f.Name + " has no settings"
	}
	names := make([]string, len(f.Settings))
	for i, s := range f.Settings {
		names[i] = f.Name + "." + s.Name
	}
	return strings.Join(names, " or ")
}

// Refuse returns a Reader whose only result is the error, for the Open of a format that cannot do as
// the options say.
func Refuse(err *Error) Reader { return refusal{err} }

type refusal struct{ err *Error }

func (r refusal) FileHeader() (Header, error) { return Header{}, r.err }

func (r refusal) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) { yield(nil, r.err) }
}

func (r refusal) Close() error { return nil }
