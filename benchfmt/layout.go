package benchfmt

import (
	"slices"
	"strings"

	"perfdata/internal/intern"
	"perfdata/traceid"
)

// A layout is the params of one result's records. It is kept for the results that follow, since mostly they have the
// same name, or one with the same keys in the same order, and the same configuration: then there is nothing to sort
// and to merge, and only what differs needs to be looked at. For names that are all different that took a third of the
// instructions.
type layout struct {
	valid  bool           // for the configuration in force
	text   []byte         // the name
	own    []ownParam     // what the name gives, in its order
	pairs  traceid.Params // own and an empty unit, sorted
	params traceid.Params // with the configuration
	unitAt int            // in params

	name    string // text, if it has been asked for
	hasName bool
}

// An ownParam is a param that a result's name gives.
type ownParam struct {
	key, value string
	part       bool // that is key=value
	at         int  // in params
	end        int  // of the value, in the name
}

// nameString returns the name.
func (l *layout) nameString() string {
	if !l.hasName {
		l.name, l.hasName = string(l.text), true
	}
	return l.name
}

// match reads the name that line begins with, if it has the keys of the name before, in the same order. It returns its length, or
// -1 if it is another kind of name, or not all plain; l has to be set then.
func (l *layout) match(line []byte, strings *intern.Table) int {
	n := len(l.text)
	if n < len(line) && isBlank(line[n]) && string(line[:n]) == string(l.text) {
		return n
	}
	own := l.own
	hasProcs := len(own) > 0 && own[len(own)-1].key == paramGomaxprocs
	if hasProcs {
		own = own[:len(own)-1]
	}
	if len(own) == 0 {
		return -1
	}
	i, before, procs := 0, 0, 0 // before is where the part began in the name before
	for j := range own {
		o := &own[j]
		last := j == len(own)-1
		// Most parts are the same as before.
		if n := o.end - before; !last && i+n < len(line) && line[i+n] == '/' && string(line[i:i+n]) == string(l.text[before:o.end]) {
			before = o.end
			i += n
			o.end = i
			continue
		}
		before = o.end
		switch {
		case o.key == paramName:
		case i >= len(line) || line[i] != '/':
			return -1
		case !o.part:
			i++
		default:
			value := i + len("/=") + len(o.key)
			if value > len(line) || line[value-1] != '=' || string(line[i+1:value-1]) != o.key {
				return -1
			}
			i = value
		}
		start := i
		for i < len(line) && partByte[line[i]] {
			i++
		}
		if i == len(line) || line[i] == '/' && last || line[i] != '/' && !isBlank(line[i]) {
			return -1
		}
		end := i
		if last {
			for end > start && line[end-1]-'0' <= 9 {
				end--
			}
			found := end > start && end < i && line[end-1] == '-'
			if found != hasProcs {
				return -1
			}
			procs = end
			if found {
				end--
			} else {
				end = i
			}
		}
		o.end = end
		value := line[start:end]
		if string(value) == o.value {
			continue
		}
		if len(value) == 0 && o.key == paramName || !o.part && slices.Contains(value, '=') {
			return -1
		}
		o.value = strings.New(value)
		l.params[o.at].Value = o.value
	}
	if hasProcs {
		o := &l.own[len(l.own)-1]
		if string(line[procs:i]) != o.value {
			o.value = strings.New(line[procs:i])
			l.params[o.at].Value = o.value
		}
		o.end = i
	}
	l.text = append(l.text[:0], line[:i]...)
	l.hasName = false
	return i
}

// partByte says which bytes are certain to be in a part of a name.
var partByte = func() (in [256]bool) {
	for c := byte('!'); c <= '~'; c++ {
		in[c] = c != '/'
	}
	return in
}()

// set makes l the layout for a name and a configuration. It returns false, and leaves l invalid, if the name has more than max
// parts.
func (l *layout) set(name string, config traceid.Params, max int) bool {
	l.valid = false
	own, ok := appendOwn(l.own[:0], name, max)
	l.own = own
	if !ok {
		return false
	}
	l.text = append(l.text[:0], name...)
	l.name, l.hasName = name, true
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
	base, procs := splitProcs(name)
	parts := ""
	if i := strings.IndexByte(base, '/'); i >= 0 {
		base, parts = base[:i], base[i:]
	}
	if base != "" {
		own = append(own, ownParam{key: paramName, value: base, end: len(base)})
	}
	end := len(base)
	var seen map[string]struct{} // the keys, from where on looking for one in own takes too long
	positional := 0
	for parts != "" {
		var part string
		part, parts = cutPart(parts)
		end += len("/") + len(part)
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
		own = append(own, ownParam{key: key, value: value, part: ok, end: end})
	}
	if procs != "" {
		own = append(own, ownParam{key: paramGomaxprocs, value: procs, end: len(name)})
	}
	if len(name) > longName {
		for i := range own[start:] {
			o := &own[start+i]
			o.key, o.value = strings.Clone(o.key), strings.Clone(o.value)
		}
	}
	return own, true
}
