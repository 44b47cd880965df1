package skiav1

import (
	"bytes"
	_ "embed"
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

//go:embed schema.json
var schema string

// Schema returns the format's JSON Schema, for editors and other tools: the file schema.json beside this package's
// source. [Validate] needs no schema; it gives the same verdict, and more.
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
			return kind == jsonscan.Number
		case "git_hash":
			return kind == jsonscan.String
		case "results":
			return kind == jsonscan.Array // an object is the legacy format's
		}
		s.Skip()
	}
}
