package keyval

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/opening"
)

// Format returns the format of keyval files, for programs that read several.
//
// Its Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - the errors of a [Reader]: lines that are not keyvals, unknown tags, values that are not
//     numbers, and so on;
//   - keys with characters other than letters, digits and . - _, which the reference's writer
//     rejects;
//   - duplicate keys in an iteration: the first value is lost;
//   - as warnings: the first untyped line, key=value, which is read as a performance value, and a
//     last line without a line end, because the file may be truncated;
//   - last, an error that ends the reading, such as an exceeded limit.
//
// A file is valid if Validate yields nothing except warnings. Validate takes as much memory as a
// Reader. The name is for errors.
func Format() format.Format {
	return format.Format{
		Name:        "keyval",
		Title:       "Autotest perf keyvals",
		Holds:       "values of the iterations of a test",
		Aliases:     []string{"autotest"},
		Extensions:  []string{".keyval"},
		Detect:      detect,
		TakesParams: true,

		Open:     opening.With(open),
		Validate: opening.Validating(open, (*Reader).validate),
		NewWriter: opening.Writing(NewWriter, func(h format.Header) Header {
			return Header{Params: h.Params}
		}),
	}
}

// open returns a Reader with the options. It uses the memory of reuse, if that is a *Reader.
func open(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
	r := opening.Reuse[Reader](reuse)
	r.Reset(in)
	r.Name, r.Limits, r.Params = o.Name, o.Limits, o.Params
	return r, opening.Configure(Format, r, o)
}

func detect(prefix []byte) format.Match {
	if sniff(prefix) {
		return format.Match{Yes: true}
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(prefix, " \t\r\n"), []byte("\n")) // the first one that is not blank
	key, _, ok := bytes.Cut(line, []byte("="))
	if ok && len(key) > 0 && !bytes.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return format.Match{Reason: "lines of key=value without a tag such as {perf}", Likely: 1}
	}
	return format.Match{}
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

		p := parseLine(b)
		word := bytes.TrimRight(p.key, " \t") // a key, perhaps with invalid characters, or a tag with space after it
		switch {
		case tagged+alike+others == 0 && bytes.IndexByte([]byte("{[\""), b[0]) >= 0:
			return false // JSON
		case bytes.HasPrefix(b, []byte("Benchmark")) && isGoResult(b):
			return false
		case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
			if ended {
				return false
			}

		case (p.kind == perf || p.kind == attr) && badKeyChar(p.key) < 0:
			tagged++
		case p.kind != noKeyval && len(word) > 0 && !bytes.ContainsAny(word, " \t:/\"'<>"):
			alike++
		case ended:
			others++ // the last line may be longer than the prefix shows
		}
	}

	return tagged > 0 && tagged+alike >= others
}

// isGoResult reports whether a line that begins with Benchmark is a result of the Go benchmark format:
// a name, a count, a value and a unit. It splits the line, which may have megabytes.
func isGoResult(b []byte) bool {
	f := bytes.Fields(b)
	return len(f) >= 4 && len(bytes.Trim(f[1], "0123456789")) == 0
}
