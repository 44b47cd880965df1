// Package goname has the grammar of the names of Go benchmarks, and the rules for what a name and
// a configuration line can hold.
//
//	name = base {"/" part} ["-" digits]
//	part = key "=" value | value
//
// The base may be empty. The digits at the end are the number of processors.
package goname

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/traceid"
)

// MaxLine is the length of the longest line that Readers accept by default.
const MaxLine = 1 << 20

// ErrLong is the error about a longer line.
var ErrLong = errors.New("the line would be longer than 1 MiB")

// The keys of the params that are not key=value parts of a name.
const (
	Base       = "name"       // the part of the name before the first slash
	Sub        = "sub"        // with a number: a positional part, which has no key
	Gomaxprocs = "gomaxprocs" // the number after the last dash of the name
	Unit       = "unit"
)

// Reserved reports whether no key=value part of a name can have this key.
func Reserved(key string) bool {
	return key == "" || key == Base || key == Gomaxprocs || key == Unit || SubNumber(key) > 0
}

// SubKey returns the key of the n-th positional part, from 1.
func SubKey(n int) string { return Sub + strconv.Itoa(n) }

// SubNumber returns the number of the positional part that has the key, from 1, or 0 for other
// keys.
func SubNumber(key string) int {
	digits, ok := strings.CutPrefix(key, Sub)
	if !ok || digits == "" || digits[0]-'1' > 8 {
		return 0
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// ProcsDash returns the index of the dash before the digits at the end of a name, which are the
// number of processors, or -1.
func ProcsDash[T string | []byte](name T) int {
	i := len(name)
	for i > 0 && name[i-1]-'0' <= 9 {
		i--
	}
	if i == len(name) || i == 0 || name[i-1] != '-' {
		return -1
	}
	return i - 1
}

// SplitPart splits a part of a name into key and value. It returns false for a positional part:
// one without a key, or with a reserved key.
func SplitPart(part string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(part, "=")
	return key, value, ok && !Reserved(key)
}

// CanBePart reports whether a name can hold s between two slashes.
func CanBePart(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '/' || c == ' ' || '\t' <= c && c <= '\r':
			return false
		case c >= utf8.RuneSelf:
			return utf8.ValidString(s) && !strings.ContainsRune(s, '/') && !strings.ContainsFunc(s, unicode.IsSpace)
		}
	}
	return true
}

// CanBePair reports whether a param can be a part key=value of a name.
func CanBePair(p traceid.Param) bool {
	return !Reserved(p.Key) && CanBePart(p.Value) && CanBePart(p.Key) && !strings.Contains(p.Key, "=")
}

// CheckConfig returns why a configuration line cannot hold a param, or nil.
func CheckConfig(p traceid.Param) error {
	first, _ := utf8.DecodeRuneInString(p.Key)
	switch {
	case !utf8.ValidString(p.Key) || !utf8.ValidString(p.Value):
		return errors.New("invalid UTF-8")
	case !unicode.IsLower(first):
		return errors.New("a key must begin with a lower case letter")
	case strings.ContainsFunc(p.Key, func(r rune) bool { return r == ':' || unicode.IsSpace(r) || unicode.IsUpper(r) }):
		return errors.New("a key must not have a colon, white space or an upper case letter")
	case p.Value == "":
		return errors.New("an empty value deletes its key")
	case strings.Contains(p.Value, "\n"):
		return errors.New("a value must not have a line break")
	case p.Value[0] == ' ' || p.Value[0] == '\t':
		return errors.New("white space before a value is lost")
	case len(p.Key)+len(p.Value) > MaxLine-len(": \r"):
		return ErrLong
	}
	return nil
}

// CanBeConfig reports whether a configuration line can hold a param.
func CanBeConfig(p traceid.Param) bool { return CheckConfig(p) == nil }
