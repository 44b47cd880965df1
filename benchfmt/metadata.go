package benchfmt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"perfdata/format"
)

// startMetadata begins reading a Unit line, whose first field ends at i.
func (r *Reader) startMetadata(line []byte, i int) *format.Error {
	if !utf8.Valid(line) {
		return r.failUTF8(line)
	}
	i = skipSpace(line, i)
	end := fieldEnd(line, i)
	if end == i {
		return r.fail(i, "missing unit")
	}
	r.unitText = string(line[i:end])
	r.unitLine, r.unitAt = line, skipSpace(line, end)
	return nil
}

// nextMetadata reads on in a Unit line, up to its next error. One line can have very many.
func (r *Reader) nextMetadata() *format.Error {
	for line := r.unitLine; r.unitAt < len(line); {
		start := r.unitAt
		end := fieldEnd(line, start)
		r.unitAt = skipSpace(line, end)
		key, value, ok := bytes.Cut(line[start:end], []byte("="))
		if !ok || len(key) == 0 {
			return r.fail(start, "expected key=value")
		}
		if have, ok := r.addMetadata(r.unitText, string(key), string(value)); !ok {
			e := r.fail(start, fmt.Sprintf("metadata %s of unit %s already set to %s", shorten(string(key)), shorten(r.unitText), shorten(have)))
			e.Err = format.ErrDuplicate
			return e
		}
		if r.err != nil {
			return nil
		}
	}
	r.unitLine = nil
	return nil
}
