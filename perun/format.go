package perun

import (
	"cmp"
	"io"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/opening"
)

// Format returns the format, for programs that read several.
//
// Its Validate reads a profile to its end and yields every error and warning, in the order of the
// file. If an object has a duplicate member, or the JSON has an error, it yields only these.
// Otherwise it yields
//
//   - the errors of a Reader;
//   - missing members that the specification requires and Perun needs: the regions header, with
//     type, cmd and workload, collector_info, with name, and postprocessors; a type that is time,
//     memory or mixed; of each resource uid and type; of each model uid and model;
//   - warnings about a resource type without resources, and about a resource without a unit, once
//     for each type and subtype.
//
// A profile is valid if Validate yields only warnings. Like a [Reader], it looks ahead: it reads
// the profile twice. It yields at most 10,000 errors, and fewer if they are long. The name of the
// file is for errors.
func Format() format.Format {
	return format.Format{
		Name:       "perun",
		Title:      "Perun profile",
		Holds:      "resources of a profile, in snapshots, and models of them; also stored objects",
		Extensions: []string{".perf"},
		Detect:     jsondoc.Detect(sniff, clues, "collector_info of a Perun profile"),
		Open:       opening.With(open),
		Validate:   opening.Validating(open, (*Reader).validate),
		NewWriter: opening.Writing(NewWriter, func(h format.Header) Header {
			// the params of another format's header that have a place in the header of a profile
			native := adopt(Header{Origin: h.Commit}, h.Params)
			native.Type = cmp.Or(native.Type, "mixed")
			native.Collector.Name = cmp.Or(native.Collector.Name, "perfdata")
			return native
		}),
	}
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r := opening.Reuse[Reader](reuse)
	r.Reset(in)
	r.Name, r.Limits, r.InOrder = o.Name, o.Limits, o.InOrder
	return r, opening.Configure(Format, r, o)
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

// sniff looks for members that no other format has, in the part of the document that s has. Other
// formats also have members resources and header, so their contents decide.
func sniff(s *jsonscan.Scanner) bool {
	s.AllowNaN()

	for name, kind := range s.Glance() {
		if kind == jsonscan.Null { // it is treated as absent
			continue
		}
		isObject := kind == jsonscan.Object
		switch string(name) {
		case "collector_info", "resource_type_map":
			return isObject
		case "postprocessors":
			return kind == jsonscan.Array
		case "snapshots":
			return sniffFirst(s, "resources", "time")
		case "global":
			return isObject && sniffMembers(s, "resources") || sniffFirst(s, "amount", "uid")

		case "resources":
			if !isObject {
				return sniffFirst(s, "amount", "uid")
			}
			if is, empty := sniffTypes(s); !empty {
				return is
			}
		case "header":
			if is := isObject && sniffMembers(s, headerKeys...); is || s.Err() != nil {
				return is
			}
		}
	}
	return false
}

// sniffMembers reports whether the object ahead has one of the members.
func sniffMembers(s *jsonscan.Scanner, names ...string) bool {
	for name := range s.Glance() {
		if slices.Contains(names, string(name)) {
			return true
		}
	}
	return false
}

// sniffFirst reports whether the array ahead begins with an object that has one of the members.
func sniffFirst(s *jsonscan.Scanner, names ...string) bool {
	s.EnterArray()
	return s.Element() && s.Kind() == jsonscan.Object && sniffMembers(s, names...)
}

// sniffTypes reports whether the object ahead has resource types, which are objects with arrays
// of amounts. If it has none, sniffTypes reports whether the object is empty.
func sniffTypes(s *jsonscan.Scanner) (is, empty bool) {
	for _, kind := range s.Glance() {
		if kind != jsonscan.Object {
			return false, false
		}
		for name, kind := range s.Glance() {
			if kind != jsonscan.Array || isCollectable(string(name)) {
				return kind == jsonscan.Array, false
			}
		}
	}
	return false, s.Err() == nil
}
