package benchfmt

import (
	"slices"
	"strings"
)

// longName is the length from which on the params of a name get copies of their parts: a caller
// that keeps one part would keep the whole name.
const longName = 1 << 10

// fewParams is the number of params up to which appendNameParams looks for a key one by one.
const fewParams = 30

// appendNameParams appends the params of a name: its base, its parts and the number of processors.
// A part whose key is taken becomes positional, so that nothing is lost. appendNameParams returns
// false if there are more than max.
func appendNameParams(own []nameParam, name string, max int) ([]nameParam, bool) {
	start := len(own)
	base, procs := splitProcs(name)
	parts := ""
	if i := strings.IndexByte(base, '/'); i >= 0 {
		base, parts = base[:i], base[i:]
	}
	if base != "" {
		own = append(own, nameParam{key: paramName, value: base})
	}

	var seen map[string]struct{} // the keys, if there are more than a few
	positional := 0
	for parts != "" {
		var part string
		part, parts = cutPart(parts)

		key, value, ok := splitPart(part)
		if ok && seen == nil && len(own)-start > fewParams {
			seen = make(map[string]struct{})
			for i := range own[start:] {
				seen[own[start+i].key] = struct{}{}
			}
		}

		switch {
		case !ok:
		case seen == nil:
			ok = !slices.ContainsFunc(own[start:], func(o nameParam) bool { return o.key == key })
		default:
			_, repeated := seen[key]
			seen[key] = struct{}{}
			ok = !repeated
		}

		if !ok {
			positional++
			key, value = subKey(positional), part
		}
		if len(own)-start >= max {
			return own, false
		}
		own = append(own, nameParam{key: key, value: value, part: ok})
	}

	if procs != "" {
		own = append(own, nameParam{key: paramGomaxprocs, value: procs})
	}
	if len(name) > longName {
		for i := range own[start:] {
			o := &own[start+i]
			o.key, o.value = strings.Clone(o.key), strings.Clone(o.value)
		}
	}
	return own, true
}
