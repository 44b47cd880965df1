package benchfmt

import (
	"strconv"
	"strings"

	"perfdata/internal/goname"
)

// The params of a result in addition to its configuration and the key=value parts of its name.
const (
	paramName       = "name"       // the base of the name
	paramSub        = "sub"        // followed by a number: a part of the name that is not key=value
	paramGomaxprocs = "gomaxprocs" // the number after the name's last dash
	paramUnit       = "unit"
)

// splitProcs splits the number of processors from a name: the digits at its end, if a dash is
// before them.
func splitProcs(name string) (rest, procs string) {
	i := procsDash(name)
	if i < 0 {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// procsDash returns the index of the dash before the digits at the end of a name, or -1.
func procsDash[T string | []byte](name T) int {
	i := len(name)
	for i > 0 && name[i-1]-'0' <= 9 {
		i--
	}
	if i == len(name) || i == 0 || name[i-1] != '-' {
		return -1
	}
	return i - 1
}

// cutPart cuts the first part from the parts of a name, which begin with a slash.
func cutPart(parts string) (part, rest string) {
	parts = parts[1:]
	if i := strings.IndexByte(parts, '/'); i >= 0 {
		return parts[:i], parts[i:]
	}
	return parts, ""
}

// splitPart splits a part of a name into key and value. It returns false for a positional part:
// one without a key, or with a reserved key.
func splitPart(part string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(part, "=")
	return key, value, ok && !goname.Reserved(key)
}

// subKey returns the key of the n-th positional part.
func subKey(n int) string {
	if n <= len(subKeys) {
		return subKeys[n-1]
	}
	return paramSub + strconv.Itoa(n)
}

var subKeys = [...]string{"sub1", "sub2", "sub3", "sub4", "sub5", "sub6", "sub7", "sub8", "sub9"}
