package nanolegacy

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/opening"
	"perfdata/internal/skiadoc"
)

// Format returns the format, for programs that read several. Without a setting, its Readers
// follow the specification's rule for options.
//
// Its Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - members with values of the wrong type, including null; options of the file that are not
//     strings; missing results;
//   - a measurement out of the range of float32, in which Skia Perf stores it, a sample or a
//     number in options out of the range of float64, and a trace that the file measures twice, by
//     the specification's rule for options;
//   - duplicate members of an object;
//   - warnings about a missing gitHash, without which Skia Perf can't tell which commit was
//     measured; about unknown members of the document; and about keys and values that change in
//     canonical trace IDs, each once;
//   - last, the error that ends the reading, such as a syntax error.
//
// A file is valid if Validate yields only warnings. Like a [Reader], it looks ahead for the
// header. It remembers up to Limits.MaxUniqueTraces different traces, and finds no duplicates of
// others. The name of the file is for errors.
func Format() format.Format {
	return format.Format{
		Name:       "nanolegacy",
		Title:      "Skia Perf legacy format",
		Holds:      "measurements of one commit, with options and samples",
		Aliases:    []string{"nanobench"},
		Extensions: []string{".json"},
		Detect:     jsondoc.Detect(sniff, clues, "git_hash of Skia Perf"),
		Validate:   opening.Validating(open, (*Reader).validate),
		Open:       opening.With(open),
		NewWriter: opening.Writing(NewWriter, func(h format.Header) Header {
			return Header{GitHash: h.Commit, Issue: h.Issue, Patchset: h.Patchset, Key: h.Params}
		}),
		Settings: []format.Setting{skiadoc.Branches(func(r *Reader) *[]string { return &r.Branches }), {
			Name:  "options-as-params",
			Usage: "true reads options as params, as Skia Perf's ingester does",
			Set:   opening.Bool(func(r *Reader) *bool { return &r.OptionsAsParams }),
		}},
	}
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r := opening.Reuse[Reader](reuse)
	r.Reset(in)
	r.Name, r.Limits, r.InOrder = o.Name, o.Limits, o.InOrder
	r.Branches, r.OptionsAsParams = nil, false
	return r, opening.Configure(Format, r, o)
}

// clues are what speaks for the format in a document that sniff does not recognize.
var clues = []jsondoc.Clue{
	{Name: "gitHash", Kinds: []jsonscan.Kind{jsonscan.String}},
	{Name: "results", Kinds: []jsonscan.Kind{jsonscan.Array, jsonscan.Object}},
}

// sniff looks for members that no other format has, in the part of the document that s has.
func sniff(s *jsonscan.Scanner) bool {
	for name, kind := range s.Glance() {
		if kind == jsonscan.Null { // null is treated as absent
			continue
		}

		switch string(name) {
		case "version":
			if kind == jsonscan.Number {
				return false // another version of the format
			}
		case "gitHash":
			return kind == jsonscan.String
		case "results":
			if kind != jsonscan.Object {
				return false
			}
			if some, fit := sniffResults(s); some || !fit {
				return fit
			}
		}
	}
	return false
}

// sniffResults reads results, an object, until it knows whether they fit the format: whether they
// have objects of objects. The first test with a configuration decides. If no test has one, the
// results fit, and some reports whether they have any test.
func sniffResults(s *jsonscan.Scanner) (some, fit bool) {
	for _, kind := range s.Glance() {
		switch kind {
		case jsonscan.Null:
			continue
		case jsonscan.Object:
		default:
			return some, false
		}
		some = true
		for _, kind := range s.Glance() {
			if kind != jsonscan.Null {
				return some, kind == jsonscan.Object
			}
		}
	}
	return some, true
}
