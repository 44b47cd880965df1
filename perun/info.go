package perun

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// Info returns the format's description.
func Info() format.Info {
	return format.Info{
		Name:       "perun",
		Title:      "Perun profile",
		Extensions: []string{".perf"},
		Sniff:      sniff,
		NewReader: func(in io.Reader, name string, limits format.Limits) format.Reader {
			r := NewReader(in)
			r.Name, r.Limits = name, limits
			return r
		},
		Validate: Validate,
	}
}

// sniff looks for members that no other format has, in the part of the document that prefix
// holds.
func sniff(prefix []byte) bool {
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	if s.Kind() != jsonscan.Object {
		return false
	}

	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return false
		}
		if kind == jsonscan.Null { // it is treated as absent
			s.Null()
			continue
		}
		if is, certain := sniffMember(s, string(name), kind); certain {
			return is
		}
	}
}

// sniffMember reports whether a document with the member ahead is a profile, and whether that is
// certain. If not, it reads the member.
func sniffMember(s *jsonscan.Scanner, name string, kind jsonscan.Kind) (is, certain bool) {
	switch name {
	case "collector_info", "resource_type_map":
		return kind == jsonscan.Object, true
	case "postprocessors":
		return kind == jsonscan.Array, true
	case "snapshots":
		return kind == jsonscan.Array && sniffSnapshot(s), true
	case "global":
		if kind == jsonscan.Array {
			return sniffResource(s), true
		}
		return kind == jsonscan.Object && sniffMembers(s, "resources"), true

	case "resources":
		if kind == jsonscan.Object {
			is, empty := sniffTypes(s)
			return is, !empty
		}
		return kind == jsonscan.Array && sniffResource(s), true
	case "header":
		if kind == jsonscan.Object {
			is := sniffMembers(s, "type", "units", "cmd", "args", "workload")
			return is, is || s.Err() != nil
		}
	}
	s.Skip()
	return false, false
}

// sniffMembers reports whether the object ahead has one of the members.
func sniffMembers(s *jsonscan.Scanner, names ...string) bool {
	found := false
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return found
		}
		for _, want := range names {
			if string(name) == want {
				return true
			}
		}
		s.Skip()
	}
}

// sniffTypes reports whether the object ahead has resource types, which are objects with arrays
// of amounts. If it has none, sniffTypes reports whether the object is empty.
func sniffTypes(s *jsonscan.Scanner) (is, empty bool) {
	for s.EnterObject(); ; {
		_, kind, ok := s.Member()
		if !ok {
			return false, s.Err() == nil
		}
		if kind != jsonscan.Object {
			return false, false
		}
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				break
			}
			if kind != jsonscan.Array {
				return false, false
			}
			if isCollectable(string(name)) {
				return true, false
			}
			s.Skip()
		}
	}
}

// sniffResource reports whether the array ahead begins with a resource.
func sniffResource(s *jsonscan.Scanner) bool {
	s.EnterArray()
	return s.Element() && s.Kind() == jsonscan.Object && sniffMembers(s, "amount", "uid")
}

// sniffSnapshot reports whether the array ahead begins with a snapshot.
func sniffSnapshot(s *jsonscan.Scanner) bool {
	s.EnterArray()
	return s.Element() && s.Kind() == jsonscan.Object && sniffMembers(s, "resources", "time")
}
