package nanolegacy

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// Info returns the format's description. Its NewReader follows the specification's rule for
// options.
func Info() format.Info {
	return format.Info{
		Name:       "nanolegacy",
		Title:      "Skia Perf legacy format",
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

// sniff looks for members that no other format has, in the part of the document that prefix holds.
func sniff(prefix []byte) bool {
	s := jsonscan.OfBytes(prefix)
	if s.Kind() != jsonscan.Object {
		return false
	}

	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return false
		}
		if kind == jsonscan.Null { // null is treated as absent
			s.Null()
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
			continue // it was read
		}
		s.Skip()
	}
}

// sniffResults reads results, an object, until it knows whether they fit the format: whether they
// have objects of objects. The first test with a configuration decides. If no test has one, the
// results fit, and some reports whether they have any test.
func sniffResults(s *jsonscan.Scanner) (some, fit bool) {
	for s.EnterObject(); ; {
		_, kind, ok := s.Member()
		switch {
		case !ok:
			return some, true
		case kind == jsonscan.Null:
			s.Null()
			continue
		case kind != jsonscan.Object:
			return some, false
		}
		some = true
		for s.EnterObject(); ; {
			_, kind, ok := s.Member()
			if !ok {
				break
			}
			if kind != jsonscan.Null {
				return some, kind == jsonscan.Object
			}
			s.Null()
		}
	}
}
