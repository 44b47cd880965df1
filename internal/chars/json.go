package chars

import (
	"fmt"
	"iter"
	"unicode/utf8"
)

// AppendJSON appends s as a JSON string. An invalid UTF-8 byte becomes U+FFFD.
//
// Most strings are written as they are.
func AppendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if !Plain(s) {
		return appendAnyString(dst, s)
	}
	return append(append(dst, s...), '"')
}

// appendAnyString appends the rest of a JSON string after its first quote.
func appendAnyString(dst []byte, s string) []byte {
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
	first := true
	for name, value := range members {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(AppendJSON(dst, name), ':')
		dst = AppendJSON(dst, value)
	}
	return append(dst, '}')
}
