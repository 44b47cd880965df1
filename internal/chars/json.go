package chars

import (
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
	const hex = "0123456789abcdef"
	done := 0 // s[:done] is appended
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[done:i]...)
				dst = append(dst, "\ufffd"...)
				done = i + 1
			}
			i += size
			continue
		}

		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}

		dst = append(dst, s[done:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}

		i++
		done = i
	}
	dst = append(dst, s[done:]...)
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
