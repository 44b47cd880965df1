package nanolegacy

import (
	"bytes"
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// Info returns the format's description. Its NewReader follows the specification's rule for options.
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

// sniff goes by the members that no other format has, in what prefix has of the document.
func sniff(prefix []byte) bool {
	s := jsonscan.New(bytes.NewReader(prefix), "", format.Limits{}.WithDefaults())
	if s.Kind() != jsonscan.Object {
		return false
	}
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return false
		}
		if kind == jsonscan.Null { // as if it were not there
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

// sniffResults reads results, an object, as far as it needs to tell whether it fits the format: it has objects of
// objects. The first such test decides. If there is none, some tells whether there is any test.
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
