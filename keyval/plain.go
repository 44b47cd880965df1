package keyval

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// ReadPlain reads a plain keyval file, such as those with the attributes of a job, a test or a host. A line is key=value; what
// comes after # is a comment, and white space at the end doesn't count. Keys are made of letters, digits and . - _. Of
// repeated keys, the last one wins. Values are strings, verbatim.
//
// It returns what it could read, and all that is wrong: lines that are no keyvals are left out with recoverable errors; what
// exceeds limits (MaxLineBytes for a line, MaxParams for the keys, MaxHeaderBytes for the whole file, and a thousand
// errors) ends the reading, as does an input that can't be read. The name is for errors.
func ReadPlain(in io.Reader, name string, limits format.Limits) (traceid.Params, []*format.Error) {
	r := NewReader(in)
	r.Name, r.Limits = name, limits
	var faults []*format.Error
	report := func(e *format.Error) bool {
		if len(faults) == maxPlainFaults {
			e.Message = fmt.Sprintf("more than %d faults: the rest of the file is left out", maxPlainFaults)
			e.Recoverable = false
		}
		faults = append(faults, e)
		return e.Recoverable
	}
	r.use(report)
	values := make(map[string]string)
	var strings intern.Table
	for size := int64(0); ; {
		text, ok := r.lines.Next()
		if !ok {
			break
		}
		if r.lines.TooLong() {
			if !report(r.limitAt(0, "MaxLineBytes", int64(r.Limits.MaxLineBytes), "bytes in one line")) {
				return traceid.FromMap(values), faults
			}
			continue
		}
		if size += int64(len(text)) + 1; size > r.Limits.MaxHeaderBytes {
			r.fail(report, r.limitAt(0, "MaxHeaderBytes", r.Limits.MaxHeaderBytes, "bytes in the file"))
			return traceid.FromMap(values), faults
		}
		key, value, e := r.parsePlain(text)
		switch {
		case e != nil:
			if !report(e) {
				return traceid.FromMap(values), faults
			}
		case key != nil:
			k := strings.String(key)
			if _, ok := values[k]; !ok && len(values) == r.Limits.MaxParams {
				r.fail(report, r.limitAt(0, "MaxParams", int64(r.Limits.MaxParams), "keys in the file"))
				return traceid.FromMap(values), faults
			}
			values[k] = strings.String(value)
		}
	}
	if err := r.lines.Err(); err != nil {
		r.fail(report, r.readError(err))
	}
	return traceid.FromMap(values), faults
}

const maxPlainFaults = 1000

// parsePlain parses a line. It returns nothing if that is blank, or a comment.
func (r *Reader) parsePlain(text []byte) (key, value []byte, e *format.Error) {
	b, _, _ := bytes.Cut(text, []byte("#"))
	l := trim(b)
	if l.start == l.end {
		return nil, nil, nil
	}
	b = b[:l.end]
	if !utf8.Valid(text) {
		return nil, nil, r.errorAt(invalidUTF8(text), notUTF8)
	}
	key, value, ok := bytes.Cut(b, []byte("="))
	if !ok {
		return nil, nil, r.errorAt(0, "there is no =, as in key=value")
	}
	switch at := badKeyChar(key); {
	case len(key) == 0:
		return nil, nil, r.errorAt(0, "the key is empty")
	case at >= 0:
		return nil, nil, r.errorAt(at, badKeyMessage(key))
	}
	return key, value, nil
}

// AppendPlain appends the text of a plain keyval file, sorted by key, to dst and returns the extended slice. If a key or a
// value can't be written so that [ReadPlain] finds it again, it appends nothing and returns an error: such as a value with #.
func AppendPlain(dst []byte, values traceid.Params) ([]byte, error) {
	for _, p := range values {
		err := checkAttr(p.Key, p.Value)
		if err == nil && strings.Contains(p.Value, "#") {
			err = fmt.Errorf("attribute %s: %s has a #, which begins a comment", message.Quote(p.Key), message.Quote(p.Value))
		}
		if err != nil {
			return dst, err
		}
	}
	if !values.Sorted() {
		return dst, values.CheckSorted()
	}
	for _, p := range values {
		dst = append(dst, p.Key...)
		dst = append(dst, '=')
		dst = append(dst, p.Value...)
		dst = append(dst, '\n')
	}
	return dst, nil
}
