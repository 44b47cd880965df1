package keyval

import (
	"bytes"
	"io"
	"unicode/utf8"

	"perfdata/format"
)

// Info returns the format's description.
func Info() format.Info {
	return format.Info{
		Name:       "keyval",
		Title:      "Autotest perf keyvals",
		Extensions: []string{".keyval"},
		Sniff:      sniff,
		NewReader: func(in io.Reader, name string, limits format.Limits) format.Reader {
			r := NewReader(in)
			r.Name, r.Limits = name, limits
			return r
		},
		Validate: Validate,
	}
}

// sniff looks for lines with a tag, which no other format has. Lines without tags do not suffice:
// environment files and Autotest's attribute files have them too.
func sniff(prefix []byte) bool {
	prefix = bytes.TrimPrefix(prefix, []byte("\ufeff"))
	var tagged, alike, others int
	for len(prefix) > 0 {
		text, rest, ended := bytes.Cut(prefix, []byte("\n"))
		prefix = rest
		l := trim(text)
		b := l.text[l.start:l.end]
		if len(b) == 0 {
			continue
		}

		switch p := parseLine(b); {
		case tagged+alike+others == 0 && bytes.IndexByte([]byte("{[\""), b[0]) >= 0:
			return false // JSON
		case isGoResult(b):
			return false
		case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
			if ended {
				return false
			}

		case (p.kind == perf || p.kind == attr) && badKeyChar(p.key) < 0:
			tagged++
		case p.kind != noKeyval && looksLikeKey(p.key):
			alike++
		case ended:
			others++ // the last line may be longer than the prefix shows
		}
	}

	return tagged > 0 && tagged+alike >= others
}

// looksLikeKey reports whether key looks like a key with invalid characters: a word, perhaps with
// a tag and space after it.
func looksLikeKey(key []byte) bool {
	key = bytes.TrimRight(key, " \t")
	return len(key) > 0 && !bytes.ContainsAny(key, " \t:/\"'<>")
}

// isGoResult reports whether a line is a result of the Go benchmark format: a name, a count, a
// value and a unit.
func isGoResult(b []byte) bool {
	f := bytes.Fields(b)
	return len(f) >= 4 && bytes.HasPrefix(f[0], []byte("Benchmark")) && len(bytes.Trim(f[1], "0123456789")) == 0
}
