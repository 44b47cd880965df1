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
}

// Fields are the members of an object.
type Fields map[string]jsonscan.Kind

// Has reports whether the object has all of the members.
func (f Fields) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return f[name] == jsonscan.None })
}

// Detect returns the Detect of a format whose results are in the section, which is an array or an object
// of arrays, or in the document if that is an array.
func Detect(section string, fits func(Facts) bool) func(prefix []byte) format.Match {
	return DetectIn([]string{section}, fits)
}

// DetectIn is Detect for a format whose results may be in any of the sections.
func DetectIn(sections []string, fits func(Facts) bool) func(prefix []byte) format.Match {
	return func(prefix []byte) format.Match {
		text := bytes.TrimLeft(prefix, " \t\r\n")
		if len(text) == 0 || text[0] != '{' && text[0] != '[' {
			return format.Match{}
		}
		return format.Match{Yes: fits(look(prefix, sections))}
	}
}

// look reads the beginning of a document, up to the first result.
func look(prefix []byte, sections []string) Facts {
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	skip := func() { s.SkipRepeated(func([]byte) {}) } // a duplicate member hides no format
	f := Facts{Top: Fields{}}
	if f.Array = s.Kind() == jsonscan.Array; f.Array {
		f.Row = firstOf(s)
		return f
	}

	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return f
		}
		f.Top[string(name)] = kind
		switch {
		case !slices.Contains(sections, string(name)) || kind != jsonscan.Array && kind != jsonscan.Object:
			skip()
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
}

// firstOfGroups returns the members of the first object of the arrays in an object.
func firstOfGroups(s *jsonscan.Scanner) Fields {
	for s.EnterObject(); ; {
		_, kind, ok := s.Member()
		if !ok {
			return nil
		}
		if kind != jsonscan.Array {
			s.Skip()
		} else if f := firstOf(s); len(f) > 0 {
			return f
		}
	}
}

// firstOf returns the members of the first object of an array.
func firstOf(s *jsonscan.Scanner) Fields {
	f := Fields{}
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.Object {
			s.Skip()
			continue
		}
		for s.EnterObject(); ; s.Skip() {
			name, kind, ok := s.Member()
			if !ok {
				return f
			}
			f[string(name)] = kind
		}
	}
	return f
}
