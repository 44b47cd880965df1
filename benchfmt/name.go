package benchfmt

import (
	"strconv"
	"strings"

	"perfdata/internal/goname"
)

// The params that a result has besides its configuration and the key=value parts of its name.
const (
	paramName       = "name"       // the name's base
	paramSub        = "sub"        // with a number: a part of the name that is no key=value
	paramGomaxprocs = "gomaxprocs" // what stands behind the name's last dash
	paramUnit       = "unit"
)

// splitProcs cuts the number of processors off a name: the digits behind its last character, if that is a dash.
func splitProcs(name string) (rest, procs string) {
	i := len(name)
	for i > 0 && name[i-1]-'0' <= 9 {
		i--
	}
	if i == len(name) || i == 0 || name[i-1] != '-' {
		return name, ""
	}
	return name[:i-1], name[i:]
}

// cutPart cuts the first part off what follows a name's base, which begins with a slash if it isn't empty.
func cutPart(parts string) (part, rest string) {
	parts = parts[1:]
	if i := strings.IndexByte(parts, '/'); i >= 0 {
		return parts[:i], parts[i:]
	}
	return parts, ""
}

// splitPart splits a part of a name into key and value. A part that has no key, or one that is the key of another
// kind of param, is positional.
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
