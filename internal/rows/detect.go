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
	Top   Fields // the document's members; nil if these are results: see isNamed
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
		isJSON := len(text) > 0 && (text[0] == '{' || text[0] == '[')
		return format.Match{Yes: isJSON && s.Fits(look(prefix, s.Sections)) || s.isNamed(prefix)}
	}
}

// isNamed reports whether a document is results by name, without sections: the Other of its format.
func (s *Spec) isNamed(prefix []byte) bool {
	if s.Other == nil || s.Other.Shape != ByName {
		return false
	}
	first, scan := Fields{}, jsonscan.OfBytes(prefix)
	scan.AllowNaN()
	scan.EnterObject()
	if name, kind, _ := scan.Member(); kind == jsonscan.Object && !slices.Contains(s.Sections, string(name)) {
		first.add(scan, "")
	}
	return s.Fits(Facts{Row: first})
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
		if !slices.Contains(sections, own) {
			f.Top.add(s, own)
		} else if f.Row = firstOf(s); len(f.Row) > 0 {
			return f
		}
	}
	return f
}

// firstOf returns the members of the first object in the array or object ahead, or in an array in that object.
func firstOf(s *jsonscan.Scanner) Fields {
	f := Fields{}
	if s.Kind() != jsonscan.Object {
		f.add(s, "")
		return f
	}
	for range s.Glance() {
		if f.add(s, ""); len(f) > 0 {
			break
		}
	}
	return f
}

// add adds the members of the object ahead, or of the first object in the array ahead, which is the value of a
// member of that name, or with an empty name, the first result. It reads up to the end of the text.
func (f Fields) add(s *jsonscan.Scanner, of string) {
	switch s.Kind() {
	case jsonscan.Object:
		for name, kind := range s.Glance() {
			if own := string(name); of == "" {
				f[own] = kind
				f.add(s, own)
			} else {
				f[of+"."+own], f["*."+own] = kind, kind
			}
		}
	case jsonscan.Array:
		found := false
		for s.EnterArray(); s.Element(); {
			if found || s.Kind() != jsonscan.Object {
				s.Skip()
				continue
			}
			f.add(s, of)
			if found = true; of == "" {
				return
			}
		}
	default:
		s.Skip()
	}
}
