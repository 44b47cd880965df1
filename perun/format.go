package perun

import (
	"cmp"
	"io"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// Format returns the format, for programs that read several.
func Format() format.Format {
	f := format.Format{
		Name:       "perun",
		Title:      "Perun profile",
		Holds:      "resources of a profile, in snapshots, and models of them; also stored objects",
		Extensions: []string{".perf"},
		Detect:     detect,
		Validate:   Validate,
	}
	f.Open = func(reuse format.Reader, in io.Reader, o format.Options) format.Reader {
		r, err := open(reuse, in, o)
		if err != nil {
			return format.Refuse(err)
		}
		return r
	}
	f.NewWriter = func(out io.Writer, h format.Header) (format.Writer, error) {
		native, ok := h.Native.(Header)
		if !ok {
			native = headerOf(h)
		}
		return NewWriter(out, native), nil
	}
	return f
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r, ok := reuse.(*Reader)
	if !ok {
		r = new(Reader)
	}
	r.Reset(in)
	r.Name, r.Limits, r.InOrder = o.Name, o.Limits, o.InOrder
	f := Format()
	return r, f.Configure(r, o)
}

// headerOf returns the header of a profile with the params of another format's header that have a
// place in it.
func headerOf(h format.Header) Header {
	param := func(key string) string {
		value, _ := h.Params.Get(key)
		return value
	}
	return Header{
		Origin: h.Commit, Type: cmp.Or(param("type"), TypeMixed), Cmd: param("cmd"), Args: param("args"), Workload: param("workload"),
		Collector: Tool{Name: cmp.Or(param("collector"), "perfdata")},
	}
}

// clues are what speaks for the format in a document that sniff does not recognize.
var clues = []jsondoc.Clue{
	{Name: "header", Kinds: []jsonscan.Kind{jsonscan.Object}},
	{Name: "collector_info", Kinds: []jsonscan.Kind{jsonscan.Object}},
	{Name: "postprocessors", Kinds: []jsonscan.Kind{jsonscan.Array}},
	{Name: "snapshots", Kinds: []jsonscan.Kind{jsonscan.Array}},
	{Name: "global", Kinds: []jsonscan.Kind{jsonscan.Object, jsonscan.Array}},
	{Name: "resources", Kinds: []jsonscan.Kind{jsonscan.Object, jsonscan.Array}},
	{Name: "resource_type_map", Kinds: []jsonscan.Kind{jsonscan.Object}},
}

func detect(prefix []byte) format.Match {
	if sniff(prefix) {
		return format.Match{Yes: true}
	}
	return jsondoc.Unrecognized(prefix, clues, "collector_info of a Perun profile")
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
