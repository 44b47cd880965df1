package delta

import (
	"unsafe"

	"perfdata/traceid"
)

// SameText reports whether a and b are equal, and is fast if they are the same bytes in memory.
func SameText(a, b string) bool { return sameString(a, b) || a == b }

// sameString reports whether a and b are the same bytes in memory. If it returns false, their
// contents may be equal. Comparing the contents takes a call, which costs more than all else that
// users of this package do with a param that has not changed.
func sameString(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// SameParams reports whether the strings of p and q are the same bytes in memory. It is one comparison
// of memory: comparing the strings one by one takes five times as long.
func SameParams(p, q []traceid.Param) bool { return memory(p) == memory(q) }

// memory returns the memory of the params, with the addresses and lengths of their strings. It is
// valid as long as they are. The callers compare it at once and keep nothing of it, so that neither
// the garbage collector nor a later change of the params matters. Params without elements may have
// no address; their memory is empty.
func memory(p []traceid.Param) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(traceid.Param{})))
}

// sameParam is SameParams for one.
func sameParam(p, q *traceid.Param) bool {
	return *(*[4]uintptr)(unsafe.Pointer(p)) == *(*[4]uintptr)(unsafe.Pointer(q))
}
