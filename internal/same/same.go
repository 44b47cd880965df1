// Package same compares strings that usually share their memory, as the params of the records of
// one file do.
package same

import "unsafe"

// Text reports whether a and b are equal, and is fast if they are the same bytes in memory.
func Text(a, b string) bool { return String(a, b) || a == b }

// String reports whether a and b are the same bytes in memory. If it returns false, their contents
// may be equal. Comparing the contents takes a call, which costs more than all else that users of
// this package do with a param that has not changed.
func String(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}
