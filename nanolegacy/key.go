package nanolegacy

import (
	"cmp"
	"fmt"
	"strings"

	"perfdata/traceid"
)

// The params that a measurement's place in the file gives it.
const (
	testParam      = "test"
	configParam    = "config"
	subResultParam = "sub_result"
)

// LegacyKey returns the key of the measurement with the params, as the specification makes it:
// the values of the params in the order of their keys, except that the value of sub_result is
// last. The values are joined by colons:
//
//	x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms
//
// It refuses params without sub_result, and a value that is empty or has characters other than
// 0-9, a-z, A-Z and _. [LenientLegacyKey] accepts them. A legacy key does not name its params, so
// it can only be compared with keys of the same params.
func LegacyKey(p traceid.Params) (string, error) {
	if _, ok := p.Find(subResultParam); !ok {
		return "", fmt.Errorf("legacy key: missing param %q", subResultParam)
	}
	for _, x := range p {
		if x.Value == "" {
			return "", fmt.Errorf("legacy key: param %q is empty", x.Key)
		}
		for _, c := range x.Value {
			if !isKeyRune(c) {
				return "", fmt.Errorf("legacy key: param %q is %q, which holds %q", x.Key, x.Value, c)
			}
		}
	}
	return LenientLegacyKey(p), nil
}

// LenientLegacyKey is like LegacyKey, but accepts all params. It replaces characters that
// LegacyKey refuses by _, and an empty value by _. Without sub_result, the key ends with the last
// param.
func LenientLegacyKey(p traceid.Params) string {
	fit := func(c rune) rune {
		if isKeyRune(c) {
			return c
		}
		return '_'
	}
	var parts, last []string
	for _, x := range p {
		part := cmp.Or(strings.Map(fit, x.Value), "_")
		if x.Key == subResultParam {
			last = append(last, part)
		} else {
			parts = append(parts, part)
		}
	}
	return strings.Join(append(parts, last...), ":")
}

func isKeyRune(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
