package benchfmt

import (
	"encoding/binary"
	"math/bits"
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
	of     *stream        // whose results it is for; nil if that has ended
	valid  bool           // for the configuration in force
	text   []byte         // the name
	own    []ownParam     // what the name gives, in its order
	pairs  traceid.Params // own and an empty unit, sorted
	params traceid.Params // with the configuration
	unitAt int            // in params

	name    string // text, if it has been asked for
	hasName bool
}

// maxLayouts is how many streams have a layout, and maxText how long the name may be that one keeps while another stream has
// results. With this many names of any length, layouts would take hundreds of megabytes.
const (
	maxLayouts = 64
	maxText    = 4 << 10
)

// enter makes s the stream of which a result is read, and sees to it that it has a layout, which another stream may lose.
func (r *Reader) enter(s *stream) {
	if before := r.current; before != nil && before.layout != nil && cap(before.layout.text) > maxText {
		*before.layout = layout{of: before}
	}
	r.current = s
	if s.layout != nil {
		return
	}
	if len(r.layouts) < maxLayouts {
		s.layout = &layout{of: s}
		r.layouts = append(r.layouts, s.layout)
		return
	}
	l := r.layouts[r.turn]
	r.turn = (r.turn + 1) % maxLayouts
	if l.of != nil {
		l.of.layout = nil
	}
	l.of, l.valid = s, false
	s.layout = l
}

// An ownParam is a param that a result's name gives.
type ownParam struct {
	key, value string
	part       bool // that is key=value
	at         int  // in params
	end        int  // of the value, in the name
}

// nameString returns the name.
func (l *layout) nameString(strings *intern.Table) string {
	if !l.hasName {
		l.name, l.hasName = strings.New(l.text), true
	}
	return l.name
}

// match reads the name that line begins with, if it has the keys of the name before, in the same order. It returns its length,
// or -1 if it is another kind of name, or not all plain; l is not valid then.
func (l *layout) match(line []byte, strings *intern.Table) int {
	if n := len(l.text); n < len(line) && isBlank(line[n]) && string(line[:n]) == string(l.text) {
		return n
	}
	l.valid = false
	same := commonPrefix(l.text, line) // bytes of line that are known to be those of text, from where i was then
	own := l.own
	hasProcs := len(own) > 0 && own[len(own)-1].key == paramGomaxprocs
	if hasProcs {
		own = own[:len(own)-1]
	}
	i, before := 0, 0 // where the part begins, and began in text
	for j := range own {
		o := &own[j]
		oldEnd := i + o.end - before // where it would end if it were the same
		before = o.end
		if oldEnd < same && j < len(own)-1 {
			o.end, i = oldEnd, oldEnd
			continue
		}
		start := i
		switch {
		case o.key == paramName:
		case i >= len(line) || line[i] != '/':
			return -1
		case !o.part:
			start++
		default:
			start += len("/=") + len(o.key)
			if start > same && (start > len(line) || line[start-1] != '=' || string(line[i+1:start-1]) != o.key) {
				return -1
			}
		}
		i = partEnd(line, max(start, min(same, oldEnd)))
		if i == len(line) {
			return -1
		}
		end := i
		if j < len(own)-1 {
			if line[i] != '/' {
				return -1
			}
		} else {
			if !isBlank(line[i]) {
				return -1
			}
			for end > start && line[end-1]-'0' <= 9 {
				end--
			}
			if found := start < end && end < i && line[end-1] == '-'; found != hasProcs {
				return -1
			}
			if !hasProcs {
				end = i
			} else {
				procs := &l.own[j+1]
				if string(line[end:i]) != procs.value {
					procs.value = strings.New(line[end:i])
					l.params[procs.at].Value = procs.value
				}
				procs.end = i
				end--
			}
		}
		o.end = end
		if value := line[start:end]; string(value) != o.value {
			if len(value) == 0 && o.key == paramName || !o.part && o.key != paramName && slices.Contains(value, '=') {
				return -1
			}
			o.value = strings.New(value)
			l.params[o.at].Value = o.value
		}
		if j < len(own)-1 {
			same = i + commonPrefix(l.text[before:], line[i:])
		}
	}
	if len(own) == 0 {
		return -1
	}
	l.text = append(l.text[:0], line[:i]...)
	l.hasName = false
	l.valid = true
	return i
}

// commonPrefix returns how many bytes a and b have in common at their beginning.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	if n >= 8 { // the last eight bytes, of which some are known to be the same
		i = n - 8
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		return i + bits.TrailingZeros64(x)/8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// partEnd returns the index, from i on, of the first byte that isn't certain to be in a part of a name: a slash, white
// space, a control character, or one that isn't ASCII.
func partEnd(line []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for i+8 <= len(line) {
		x := binary.LittleEndian.Uint64(line[i:])
		// The lowest high bit that is set is that of the first such byte; above it, some may be wrong.
		slash := x ^ '/'*ones
		if found := ((x-'!'*ones)&^x | (slash-ones)&^slash | x) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(line) && isPlain(line[i]) && line[i] != '/' {
		i++
	}
	return i
}

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
