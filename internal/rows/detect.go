package rows

import (
	"bytes"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// Facts are what the beginning of a document shows.
type Facts struct {
	Array bool   // the document is an array, not an object
	Top   Fields // the document's members
	Row   Fields // the members of its first result
	Text  []byte // all of it
}

// Fields are the members of an object, and of the objects in it: for a member stats, stats.mean is
// a field, and *.mean is a field if any member has it. For an array, they are the fields of the
// first object in it.
type Fields map[string]jsonscan.Kind

// Has reports whether the object has all of the members.
func (f Fields) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return f[name] == jsonscan.None })
}

// detector returns the Detect of a Spec that has Fits.
func detector(s *Spec) func(prefix []byte) format.Match {
	return func(prefix []byte) format.Match {
		const space = " \t\r\n"
		text := bytes.TrimLeft(prefix, space)
		if rest, ok := bytes.CutPrefix(text, []byte(s.Variable)); ok && s.Variable != "" {
			rest = bytes.TrimLeft(rest, space)
			return format.Match{Yes: len(rest) == 0 || rest[0] == '='}
		}
		if s.InText && !bytes.HasPrefix(text, []byte("{")) {
			prefix = prefix[max(bytes.Index(prefix, []byte("\n{")), 0):]
			text = bytes.TrimLeft(prefix, space)
		}
		return format.Match{Yes: len(text) > 0 && (text[0] == '{' || text[0] == '[') && s.Fits(look(prefix, s.Sections))}
	}
}

// look reads the beginning of a document, up to the first result.
func look(prefix []byte, sections []string) Facts {
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	s.ReportRepeated(func([]byte) {}) // a duplicate member hides no format
	f := Facts{Top: Fields{}, Text: prefix}
	if f.Array = s.Kind() == jsonscan.Array; f.Array {
		f.Row = firstOf(s)
		return f
	}

	for name, kind := range s.Glance() {
		own := string(name)
		f.Top[own] = kind
		switch {
		case !slices.Contains(sections, own) || kind != jsonscan.Array && kind != jsonscan.Object:
			f.Top.nested(s, own, kind)
			continue
		case kind == jsonscan.Array:
			f.Row = firstOf(s)
		default:
			f.Row = firstOfGroups(s)
		}

		if len(f.Row) > 0 {
			return f
		}
	}
	return f
}

// firstOfGroups returns the members of the first object of the arrays in an object, or of the first object in it.
func firstOfGroups(s *jsonscan.Scanner) Fields {
	for _, kind := range s.Glance() {
		f := Fields{}
		switch kind {
		case jsonscan.Array:
			f = firstOf(s)
		case jsonscan.Object:
			f.read(s)
		}
		if len(f) > 0 {
			return f
		}
	}
	return nil
}

// firstOf returns the members of the first object of an array.
func firstOf(s *jsonscan.Scanner) Fields {
	f := Fields{}
	for s.EnterArray(); s.Element(); {
		if s.Kind() == jsonscan.Object {
			f.read(s)
			return f
		}
		s.Skip()
	}
	return f
}

// read adds the members of the object ahead, up to its end or the end of the text.
func (f Fields) read(s *jsonscan.Scanner) {
	for name, kind := range s.Glance() {
		own := string(name)
		f[own] = kind
		f.nested(s, own, kind)
	}
}

// nested reads the value of a member, and adds the members of the object in it.
func (f Fields) nested(s *jsonscan.Scanner, of string, kind jsonscan.Kind) {
	switch kind {
	case jsonscan.Object:
		for name, kind := range s.Glance() {
			f[of+"."+string(name)], f["*."+string(name)] = kind, kind
			s.Skip()
		}
	case jsonscan.Array:
		for s.EnterArray(); s.Element(); {
			if kind == jsonscan.Array && s.Kind() == jsonscan.Object {
				kind = jsonscan.None
				f.nested(s, of, jsonscan.Object)
			} else {
				s.Skip()
			}
		}
	default:
		s.Skip()
	}
}
