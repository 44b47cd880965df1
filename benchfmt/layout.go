package benchfmt

import (
	"slices"
	"strings"

	"perfdata/traceid"
)

// A layout is the params of one result's records. It is kept for the results that follow, since mostly they have the
// same name, or one with the same keys in the same order, and the same configuration: then there is nothing to sort
// and to merge.
type layout struct {
	valid  bool // for the configuration in force
	name   string
	own    []ownParam     // what the name gives, in its order
	spare  []ownParam     // the memory of another own
	pairs  traceid.Params // own and an empty unit, sorted
	params traceid.Params // with the configuration
	unitAt int            // in params
}

// An ownParam is a param that a result's name gives.
type ownParam struct {
	key, value string
	at         int // in params
}

// set makes l the layout for a name and a configuration. It returns false, and changes nothing, if the name has more than max parts.
func (l *layout) set(name string, config traceid.Params, max int) bool {
	own, ok := appendOwn(l.spare[:0], name, max)
	if !ok {
		return false
	}
	same := l.valid && len(own) == len(l.own)
	for i := 0; i < len(own) && same; i++ {
		same = own[i].key == l.own[i].key
		own[i].at = l.own[i].at
	}
	l.name = name
	l.own, l.spare = own, l.own
	if same {
		for i := range own {
			l.params[own[i].at].Value = own[i].value
		}
		return true
	}
	l.pairs = append(l.pairs[:0], traceid.Param{Key: paramUnit})
	for i := range own {
		l.pairs = append(l.pairs, traceid.Param{Key: own[i].key, Value: own[i].value})
	}
	slices.SortFunc(l.pairs, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	l.params = traceid.AppendMerge(l.params[:0], config, l.pairs)
	for i := range own {
		own[i].at, _ = l.params.Find(own[i].key)
	}
	l.unitAt, _ = l.params.Find(paramUnit)
	l.valid = true
	return true
}

// longName is from where on the parts of a name don't share its memory: who keeps one part keeps the whole name.
const longName = 1 << 10

// appendOwn appends what a name gives: its base, its parts and the number of processors. A part whose key
// there is already is positional, so that nothing gets lost. It returns false if there are more than max parts.
func appendOwn(own []ownParam, name string, max int) ([]ownParam, bool) {
	start := len(own)
	base, procs := name, ""
	parts := ""
	if i := strings.IndexByte(name, '/'); i >= 0 {
		base = name[:i]
		parts, procs = splitProcs(name[i:])
	} else {
		base, procs = splitProcs(name)
	}
	if base != "" {
		own = append(own, ownParam{key: paramName, value: base})
	}
	var seen map[string]struct{} // the keys, from where on looking for one in own takes too long
	positional := 0
	for parts != "" {
		var part string
		part, parts = cutPart(parts)
		key, value, ok := splitPart(part)
		if ok && seen == nil && len(own)-start > 30 {
			seen = make(map[string]struct{})
			for i := range own[start:] {
				seen[own[start+i].key] = struct{}{}
			}
		}
		switch {
		case !ok:
		case seen == nil:
			ok = !slices.ContainsFunc(own[start:], func(o ownParam) bool { return o.key == key })
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
		own = append(own, ownParam{key: key, value: value})
	}
	if procs != "" {
		own = append(own, ownParam{key: paramGomaxprocs, value: procs})
	}
	if len(name) > longName {
		for i := range own[start:] {
			o := &own[start+i]
			o.key, o.value = strings.Clone(o.key), strings.Clone(o.value)
		}
	}
	return own, true
}
