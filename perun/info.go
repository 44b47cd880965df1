package perun

import (
	"bytes"
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

// sniff goes by the members that no other format has, in what prefix has of the document.
func sniff(prefix []byte) bool {
	s := jsonscan.New(bytes.NewReader(prefix), "", format.Limits{}.WithDefaults())
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

		switch string(name) {
		case "collector_info", "resource_type_map":
			return kind == jsonscan.Object
		case "postprocessors":
			return kind == jsonscan.Array
		case "resources":
			switch kind {
			case jsonscan.Object:
				if is, empty := sniffTypes(s); !empty {
					return is
				}
				continue
			case jsonscan.Array:
				return sniffResource(s)
			}
			return false
		case "snapshots":
			return kind == jsonscan.Array && sniffSnapshot(s)
		case "global":
			return kind == jsonscan.Object && sniffMembers(s, "resources")
		case "header":
			if kind != jsonscan.Object {
				break
			}
			if sniffMembers(s, "type", "units", "cmd", "args", "workload") {
				return true
			}
			if s.Err() != nil {
				return false
			}
			continue
		}
		s.Skip()
	}
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

// sniffTypes reports whether the object ahead has resource types, objects with arrays of amounts,
// or if there is none, that it is empty.
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
