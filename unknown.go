package perfdata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// otherFiles are files that people take for results, by their beginnings.
var otherFiles = [...]struct{ magic, reason string }{
	{"\xfd7zXZ\x00", "xz data, which has to be decompressed first"},
	{"BZh", "bzip2 data, which has to be decompressed first"},
	{"\x04\x22\x4d\x18", "lz4 data, which has to be decompressed first"},
	{"PK\x03\x04", "a ZIP archive, whose files have to be unpacked first"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive, whose files have to be unpacked first"},
	{"\xff\xfe", "the input is UTF-16: it has to be UTF-8"},
	{"\xfe\xff", "the input is UTF-16: it has to be UTF-8"},
}

// whyUnknown returns one reason why no format is recognized in an input that begins with prefix.
func whyUnknown(prefix []byte) string {
	for _, other := range otherFiles {
		if bytes.HasPrefix(prefix, []byte(other.magic)) {
			return other.reason
		}
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(prefix, []byte("\ufeff")))
	switch {
	case len(prefix) == 0:
		return "the input is empty"
	case len(text) == 0:
		return "the input is blank"
	case !isText(text):
		return "the input is not text"
	case text[0] == '{':
		return whyNotObject(prefix)
	case text[0] == '[':
		return "the input is a JSON array, not an object"
	}
	return "no line is a benchmark result or a keyval"
}

// escape begins the colors of a terminal, which logs may have.
const escape = 0x1b

// isText reports whether a text has only printable characters and white space. Its last character
// may be incomplete.
func isText(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			return !utf8.FullRune(text)
		case c < '\b' || '\r' < c && c < ' ' && c != escape:
			return false
		}
		text = text[size:]
	}
	return true
}

// members are the members that identify JSON documents, with the kinds of their values.
var members = [...]struct {
	name  string
	kinds []jsonscan.Kind
}{
	{"version", []jsonscan.Kind{jsonscan.Number}},
	{"git_hash", []jsonscan.Kind{jsonscan.String}},
	{"gitHash", []jsonscan.Kind{jsonscan.String}},
	{"results", []jsonscan.Kind{jsonscan.Array, jsonscan.Object}},
	{"header", []jsonscan.Kind{jsonscan.Object}},
	{"collector_info", []jsonscan.Kind{jsonscan.Object}},
	{"postprocessors", []jsonscan.Kind{jsonscan.Array}},
	{"snapshots", []jsonscan.Kind{jsonscan.Array}},
	{"global", []jsonscan.Kind{jsonscan.Object}},
	{"resources", []jsonscan.Kind{jsonscan.Object, jsonscan.Array}},
	{"resource_type_map", []jsonscan.Kind{jsonscan.Object}},
}

// whyNotObject returns the reason that the JSON object at the beginning of an input has no known
// format.
func whyNotObject(prefix []byte) string {
	s := jsonscan.New(bytes.NewReader(prefix), "", format.Limits{}.WithDefaults())
	s.AllowNaN()
	found := "" // a known member with a value of the right kind
	for s.EnterObject(); ; s.Skip() {
		name, kind, ok := s.Member()
		if !ok {
			break
		}

		for _, m := range members {
			switch {
			case m.name != string(name) || kind == jsonscan.Null || kind == jsonscan.None:
			case !slices.Contains(m.kinds, kind):
				return fmt.Sprintf("%s is %s: want %s", m.name, kindName(kind), kindNames(m.kinds))
			case found == "":
				found = m.name
			}
		}
	}

	var fault *format.Error
	if errors.As(s.Err(), &fault) && !errors.Is(fault, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("invalid JSON in line %d, column %d: %s", fault.Line, fault.Column, fault.Message)
	}
	if found != "" {
		return fmt.Sprintf("a JSON object whose %s is not as in any known format", found)
	}
	return "a JSON object without any known member, such as version, gitHash or resources"
}

func kindNames(kinds []jsonscan.Kind) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = kindName(kind)
	}
	return strings.Join(names, " or ")
}

func kindName(kind jsonscan.Kind) string {
	switch kind {
	case jsonscan.Object:
		return "an object"
	case jsonscan.Array:
		return "an array"
	case jsonscan.String:
		return "a string"
	case jsonscan.Number:
		return "a number"
	case jsonscan.Null:
		return "null"
	}
	return "a boolean"
}
