package perfdata

import (
	"bytes"
	"io"

	"perfdata/format"
	"perfdata/internal/lines"
)

// Detect returns the format of an input that begins with prefix, in UTF-8 without a byte order
// mark. Some kilobytes are enough for most files, and 64 KiB for all files with a short header.
// Detect requires what only one format has, and does not guess.
func Detect(prefix []byte) (format.Format, bool) {
	// A log may mix keyvals and benchmark results. Its first line decides, because the first line
	// of a stream may arrive long before the others.
	if first := firstLine(prefix); len(first) > 0 && first[0] != '{' && first[0] != '[' {
		if f, ok := detect(first); ok {
			return f, true
		}
	}
	return detect(prefix)
}

func detect(text []byte) (format.Format, bool) {
	for i := range known {
		if f := &known[i]; f.Detect != nil && f.Detect(text).Yes {
			return *f, true
		}
	}
	return format.Format{}, false
}

// detectReader returns the format of an input with the given content, both as decompress returned
// them. It also returns a reader of the whole input: in itself, at its present offset, if in is
// seekable.
//
// Lines of benchmark results and keyvals are recognized as they arrive: of a stream, detectReader
// reads no further than the first such line. A line of up to 4 MiB does not hide the lines after
// it. The name is for the error, whose cause is [format.ErrUnknown] if no format is recognized. It
// says why. Settings may say what an input is that no format recognizes: see [format.Format].Unmarked.
func detectReader(
	in io.Reader, name string, c content, settings map[string]string,
) (format.Format, io.Reader, error) {
	var err error
	prefix, whole := c.prefix, in
	if prefix == nil {
		var sniffer lineSniffer
		prefix, whole, err = peek(in, sniffer.enough, nil)
	}

	info, ok := Detect(prefix)
	if !ok && err == nil && len(prefix) == sniffBytes {
		prefix, whole, err = peekLong(whole)
		info, ok = Detect(prefix)
	}
	if ok {
		return info, keepType(in, whole), nil
	}
	if err != nil {
		return format.Format{}, nil, readError(name, err)
	}

	for i := range known {
		if f := &known[i]; f.Unmarked != "" && settings[f.Name+"."+f.Unmarked] != "" && len(prefix) > 0 {
			return *f, keepType(in, whole), nil
		}
	}
	return format.Format{}, nil, lines.FileError(name, whyUnknown(prefix), format.ErrUnknown)
}

// A lineSniffer looks for a line that decides the format of an input, whatever comes after it. It
// looks at each byte once, because a stream may arrive byte by byte.
type lineSniffer struct {
	searched int // bytes that were searched for a line end
	seen     int // bytes of the lines that do not decide
	began    bool
	document bool // the input is a JSON document of several lines, not events of go test -json
}

// enough reports whether the lines in prefix, which is longer with each call, decide.
func (s *lineSniffer) enough(prefix []byte) bool {
	i := bytes.LastIndexByte(prefix[s.searched:], '\n')
	end := s.searched + i + 1
	s.searched = len(prefix)
	if i < 0 || s.document {
		return false
	}

	lines := prefix[s.seen:end]
	s.seen = end
	if !s.began {
		first := firstLine(lines)
		if len(first) == 0 {
			return false
		}

		s.began = true
		if s.document = first[0] == '{' && first[len(first)-1] != '}'; s.document {
			return false
		}
		if _, ok := Detect(first); ok {
			return true
		}
	}
	for i := range known {
		if f := &known[i]; f.AnyLine && f.Detect(lines).Yes {
			return true
		}
	}
	return false
}

// firstLine returns the first line of text that is not blank, without white space around it.
func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return bytes.TrimRight(line, " \t\r")
}

// A typed input knows the type of the profile that it holds, as a stored object does. The Reader
// of the profile compares it with the type in the header.
type typed interface{ CheckType(ofProfile string) error }

// keepType returns whole, which reads all of in, as a typed input if in is one.
func keepType(in, whole io.Reader) io.Reader {
	if t, ok := in.(typed); ok {
		return struct {
			io.Reader
			typed
		}{whole, t}
	}
	return whole
}
