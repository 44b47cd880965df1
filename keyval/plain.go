package keyval

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/internal/lines"
	"perfdata/traceid"
)

// ReadPlain reads a plain keyval file: the attributes of a job, a test or a host. A line is
// key=value; # begins a comment, and white space at the end is ignored. Keys consist of letters,
// digits and . - _. The last value of a repeated key is used. Values are strings, verbatim.
//
// ReadPlain returns the values that it could read, and all errors. A line that is not a keyval is
// left out with a recoverable error. An input that cannot be read, more than a thousand errors,
// and an exceeded limit (MaxLineBytes for a line, MaxParams for the keys, MaxHeaderBytes for the
// whole file) end the reading. The name is for errors.
func ReadPlain(in io.Reader, name string, limits format.Limits) (traceid.Params, []*format.Error) {
	const maxFaults = 1000
	var r lines.File
	r.Open(in, name, limits)
	var faults []*format.Error
	report := func(e *format.Error) bool {
		if len(faults) == maxFaults {
			e.Message = fmt.Sprintf("more than %d errors: the rest of the file is left out", maxFaults)
			e.Severity = format.Fatal
		}
		faults = append(faults, e)
		return e.Severity == format.Recoverable
	}

	values := make(map[string]string)
	var strings buffer.Strings
	size := int64(0)
	for text, ok := r.Next(); ok; text, ok = r.Next() {
		var key, value []byte
		var e *format.Error
		if r.TooLong() {
			e = r.TooLongError()
		} else if size += int64(len(text)) + 1; size > r.Limits.MaxHeaderBytes {
			e = r.LimitError(0, "MaxHeaderBytes", r.Limits.MaxHeaderBytes, "bytes in the file")
		} else {
			key, value, e = parsePlain(&r, text)
		}

		if key != nil {
			k := strings.String(key)
			if _, known := values[k]; known || len(values) < r.Limits.MaxParams {
				values[k] = strings.String(value)
			} else {
				e = r.LimitError(0, "MaxParams", int64(r.Limits.MaxParams), "keys in the file")
			}
		}

		if e != nil && !report(e) {
			return traceid.FromMap(values), faults
		}
	}
	if e := r.ReadError(name); e != nil {
		report(e)
	}
	return traceid.FromMap(values), faults
}

// parsePlain parses a line. It returns no key for a blank line and for a comment.
func parsePlain(in *lines.File, text []byte) (key, value []byte, e *format.Error) {
	b, _, _ := bytes.Cut(text, []byte("#"))
	l := trim(b)
	if l.start == l.end {
		return nil, nil, nil
	}
	if !utf8.Valid(text) {
		return nil, nil, in.ErrorAt(chars.InvalidUTF8(text), notUTF8)
	}

	key, value, ok := bytes.Cut(b[:l.end], []byte("="))
	if !ok {
		return nil, nil, in.ErrorAt(0, `missing "=": want key=value`)
	}
	if at := badKeyChar(key); at >= 0 {
		return nil, nil, in.ErrorAt(at, badKeyMessage(key))
	}
	return key, value, nil
}
