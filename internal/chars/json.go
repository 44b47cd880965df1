package chars

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends s as a JSON string. An invalid UTF-8 byte becomes U+FFFD.
//
// Most strings are written as they are.
func AppendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if Plain(s) {
		return append(append(dst, s...), '"')
	}
	for _, r := range s { // U+FFFD for an invalid byte
		switch {
		case r == '"', r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// AppendJSONObject appends an object with the members, in the given order.
func AppendJSONObject(dst []byte, members iter.Seq2[string, string]) []byte {
	dst = append(dst, '{')
	for name, value := range members {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(AppendJSON(dst, name), ':')
		dst = AppendJSON(dst, value)
	}
	return append(dst, '}')
}

// A JSONNumber is a number in JSON. NaN and infinities, which JSON does not have, are null.
type JSONNumber float64

// MarshalJSON returns n as JSON.
func (n JSONNumber) MarshalJSON() ([]byte, error) {
	if x := float64(n); x-x != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// JSON returns v, which has a form in JSON, on one line, without escapes for HTML.
func JSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // there is no error: each value that the callers have can be written, and memory takes all
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// TextOrNull returns a text as a member that is null if the text is empty.
func TextOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
