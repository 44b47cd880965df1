package nanolegacy

import (
	"errors"
	"fmt"

	"perfdata/traceid"
)

// The params that a measurement's place in the file gives it.
const (
	testParam      = "test"
	configParam    = "config"
	subResultParam = "sub_result"
)

// LegacyKey returns the colon-joined key of the measurement that has the params: their values, in the order of their
// keys, and last the value of sub_result, as the specification makes it:
//
//	x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms
//
// It refuses params without sub_result, and a value that is empty or holds anything but 0-9, a-z, A-Z and _.
// [LenientLegacyKey] takes those too. Which params there are is not in such a key: only keys of the same params can
// be compared.
func LegacyKey(p traceid.Params) (string, error) {
	i, ok := p.Find(subResultParam)
	if !ok {
		return "", errors.New("legacy key: there is no param " + subResultParam)
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
	return joinKey(p, i), nil
}

// LenientLegacyKey returns what LegacyKey returns, with each character that it may not have replaced by _, with
// _ for an empty value, and without the last part if the params have no sub_result.
func LenientLegacyKey(p traceid.Params) string {
	i, ok := p.Find(subResultParam)
	if !ok {
		i = -1
	}
	return joinKey(p, i)
}

// joinKey makes the key. The sub-result's param has the index, or if that is negative, there is none.
func joinKey(p traceid.Params, subResult int) string {
	var dst []byte
	for i, x := range p {
		if i != subResult {
			dst = appendPart(dst, x.Value)
		}
	}
	if subResult >= 0 {
		dst = appendPart(dst, p[subResult].Value)
	}
	if len(dst) == 0 {
		return ""
	}
	return string(dst[:len(dst)-1])
}

func appendPart(dst []byte, value string) []byte {
	if value == "" {
		dst = append(dst, '_')
	}
	for _, c := range value {
		if !isKeyRune(c) {
			c = '_'
		}
		dst = append(dst, byte(c))
	}
	return append(dst, ':')
}

func isKeyRune(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
