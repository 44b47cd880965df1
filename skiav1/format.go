package skiav1

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/opening"
	"perfdata/internal/skiadoc"
)

// Format returns the format, for programs that read several.
//
// Its Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - each violation of the published schema, in the words of the reference's validation, with
//     [format.ErrSchema] as the cause;
//   - errors that the schema allows: a version other than 1, a result with both or neither of
//     measurement and measurements, a measurement without params, or out of the range of float32,
//     in which Skia Perf stores it, and a trace that the file measures twice;
//   - duplicate members of an object;
//   - warnings about keys and values that change in canonical trace IDs, each once;
//   - last, the error that ends the reading, such as a syntax error.
//
// A file is valid if Validate yields only warnings. Like a [Reader], it looks ahead for the
// header. It remembers up to Limits.MaxUniqueTraces different traces, and finds no duplicates of
// others. The name of the file is for errors.
func Format() format.Format {
	return format.Format{
		Name:       "skiav1",
		Title:      "Skia Perf format, version 1",
		Holds:      "measurements of one commit, with links",
		Aliases:    []string{"skia"},
		Extensions: []string{".json"},
		Detect:     jsondoc.Detect(sniff, clues, "git_hash of Skia Perf"),
		Validate:   opening.Validating(open, (*Reader).validate),
		Open:       opening.With(open),
		NewWriter: opening.Writing(NewWriter, func(h format.Header) Header {
			return Header{GitHash: h.Commit, Issue: h.Issue, Patchset: h.Patchset, Key: h.Params, Links: h.Links}
		}),
		Settings: []format.Setting{skiadoc.Branches(func(r *Reader) *[]string { return &r.Branches }), {
			Name:  "missing-as-zero",
			Usage: "true reads a measurement without a number as 0, as Skia Perf does",
			Set:   opening.Bool(func(r *Reader) *bool { return &r.MissingAsZero }),
		}},
	}
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r := opening.Reuse[Reader](reuse)
	r.Reset(in)
	r.Name, r.Limits, r.InOrder = o.Name, o.Limits, o.InOrder
	r.Branches, r.MissingAsZero = nil, false
	return r, opening.Configure(Format, r, o)
}

// clues are what speaks for the format in a document that sniff does not recognize.
var clues = []jsondoc.Clue{
	{Name: "version", Kinds: []jsonscan.Kind{jsonscan.Number}, Weak: true},
	{Name: "git_hash", Kinds: []jsonscan.Kind{jsonscan.String}},
	{Name: "results", Kinds: []jsonscan.Kind{jsonscan.Array, jsonscan.Object}},
}

// sniff looks for members that no other format has, in the part of the document that s
// has. Many other formats have a version, or an array called results, but not both.
func sniff(s *jsonscan.Scanner) bool {
	var version, results, foreign bool
	for name, kind := range s.Glance() {
		if kind == jsonscan.Null { // it is treated as absent
			continue
		}

		switch string(name) {
		case "git_hash":
			return kind == jsonscan.String
		case "version":
			version = kind == jsonscan.Number
		case "results":
			if results = kind == jsonscan.Array; !results {
				return false // an object is the legacy format's
			}
			if version || sniffResult(s) {
				return true
			}
		case "issue", "patchset", "key", "links":
		default:
			foreign = true
		}
		if version && results {
			return true
		}
	}
	return version && !foreign
}

// sniffResult reports whether the array ahead begins with a result. If not, it reads the array.
func sniffResult(s *jsonscan.Scanner) bool {
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.Object {
			s.Skip()
			continue
		}
		for name, kind := range s.Glance() {
			switch string(name) {
			case "measurement":
				return kind == jsonscan.Number
			case "key", "measurements":
				return kind == jsonscan.Object
			}
		}
	}
	return false
}
