package skiav1

import (
	_ "embed"
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

//go:embed schema.json
var schema string

// Schema returns the format's JSON Schema, for editors and other tools: the file schema.json
// beside this package's source. [Validate] needs no schema; it gives the same verdict, and more.
func Schema() string { return schema }

// Info returns the format's description.
func Info() format.Info {
	return format.Info{
		Name:       "skiav1",
		Title:      "Skia Perf format, version 1",
		Extensions: []string{".json"},
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
// holds. Many other formats have a version, or an array called results, but not both.
func sniff(prefix []byte) bool {
	s := jsonscan.OfBytes(prefix)
	if s.Kind() != jsonscan.Object {
		return false
	}

	var version, results, foreign bool
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return version && !foreign
		}
		if kind == jsonscan.Null { // it is treated as absent
			s.Null()
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
			continue

		case "issue", "patchset", "key", "links":
		default:
			foreign = true
		}

		if version && results {
			return true
		}
		s.Skip()
	}
}

// sniffResult reports whether the array ahead begins with a result. If not, it reads the array.
func sniffResult(s *jsonscan.Scanner) bool {
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.Object {
			s.Skip()
			continue
		}
		for s.EnterObject(); ; s.Skip() {
			name, kind, ok := s.Member()
			if !ok {
				break
			}
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
