package format

import "perfdata/traceid"

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
	// measurement. An attr stays one if the record has a param of that key. A promoted attr commit
	// is the Commit of its record. Package perfdata's File promotes attrs, in every format; a
	// Reader does not.
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
