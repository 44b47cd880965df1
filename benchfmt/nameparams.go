package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"perfdata/internal/intern"
	"perfdata/traceid"
)

// A parsedName is the name of one result, with the params of its records. It is kept for the
// results that follow, because most of them have the same name, or one with the same keys in the
// same order, and the same configuration. Then nothing has to be sorted and merged, and only the
// values that differ are read. That saves a third of the instructions if all names differ, and a
// twelfth if each is on ten consecutive lines.
type parsedName struct {
	of     *stream        // the stream that uses it; nil after the stream ended
	valid  bool           // for the configuration in force
	text   []byte         // the name
	own    []nameParam    // the params that the name gives, in the order of the name
	order  []int          // indices in own, by key; -1 is the unit
	params traceid.Params // of own, the unit and the configuration
	unitAt int            // index of the unit in params

	str    string // text, if hasStr
	hasStr bool
}

// A nameParam is a param that a name gives.
type nameParam struct {
	key, value string
	part       bool // it is a part key=value of the name
	at         int  // index in parsedName.params
	start, end int  // of the value in a name that matches, if it is another value; otherwise, end is 0
}

// names holds the parsed names of streams.
type names struct {
	current *stream // the stream of the result line read last
	all     []*parsedName
	next    int // index in all of the name that the next new stream takes over
}

// At most maxNames streams have a parsed name, and while a stream is not the current one, its
// name's buffer is at most maxText bytes. Without these bounds, parsed names could take hundreds
// of megabytes.
const (
	maxNames = 64
	maxText  = 4 << 10
)

// enter makes s the current stream and gives it a parsedName, which it may take from another
// stream.
func (r *Reader) enter(s *stream) {
	n := &r.names
	if before := n.current; before != nil && before.name != nil && cap(before.name.text) > maxText {
		*before.name = parsedName{of: before}
	}
	n.current = s
	if s.name != nil {
		return
	}

	if len(n.all) < maxNames {
		s.name = &parsedName{of: s}
		n.all = append(n.all, s.name)
		return
	}
	name := n.all[n.next]
	n.next = (n.next + 1) % maxNames
	if name.of != nil {
		name.of.name = nil
	}
	name.of, name.valid = s, false
	s.name = name
}

// string returns the name.
func (p *parsedName) string(strings *intern.Table) string {
	if !p.hasStr {
		p.str, p.hasStr = strings.New(p.text), true
	}
	return p.str
}

// match reads the name at the beginning of line if it has the same keys as p in the same order,
// and the same configuration applies. It returns the length of the name. For any other name, a
// long one, or one with unusual characters, it returns -1, and p is not valid.
func (p *parsedName) match(line []byte, strings *intern.Table) int {
	if n := len(p.text); n < len(line) && isBlank(line[n]) && string(line[:n]) == string(p.text) {
		return n
	}

	p.valid = false
	parts, hasProcs := p.own, false
	if last := len(parts) - 1; last >= 0 && parts[last].key == paramGomaxprocs {
		parts, hasProcs = parts[:last], true
	}
	if len(parts) == 0 {
		return -1
	}

	// Find the parts, and those with another value.
	i := 0
	for j := range parts {
		o := &parts[j]
		start := o.valueStart(line, i)
		if start < 0 {
			return -1
		}
		i = partEnd(line, start)
		if i == len(line) {
			return -1
		}
		if j < len(parts)-1 {
			if line[i] != '/' || !o.set(line, start, i) {
				return -1
			}
			continue
		}

		// White space ends the last part, perhaps after the number of processors.
		end := i
		dash := procsDash(line[start:i])
		if i > longName || !isBlank(line[i]) || hasProcs != (dash >= 0) {
			return -1
		}
		if hasProcs {
			end = start + dash
			p.own[j+1].set(line, end+1, i)
		}
		if !o.set(line, start, end) {
			return -1
		}
	}

	// All new values share one string.
	p.text = append(p.text[:0], line[:i]...)
	p.str, p.hasStr = strings.New(line[:i]), true
	p.valid = true
	for j := range p.own {
		if o := &p.own[j]; o.end > 0 {
			o.value = p.str[o.start:o.end]
			p.params[o.at].Value = o.value
		}
	}
	return i
}

// set notes where the value of o is in the line, if it is another one. It returns false if the part
// would have another key with that value.
func (o *nameParam) set(line []byte, start, end int) bool {
	value := line[start:end]
	if string(value) == o.value {
		o.end = 0
		return true
	}
	o.start, o.end = start, end
	switch {
	case o.key == paramName:
		return len(value) > 0
	case o.part || o.key == paramGomaxprocs:
		return end > 0
	}
	return !slices.Contains(value, '=')
}

// valueStart returns the index of the value of the part at byte i, or -1 if the part does not have
// o's key.
func (o *nameParam) valueStart(line []byte, i int) int {
	if o.key == paramName {
		return i
	}
	if i >= len(line) || line[i] != '/' {
		return -1
	}
	i++
	if !o.part {
		return i
	}

	end := i + len(o.key)
	if end >= len(line) || line[end] != '=' || string(line[i:end]) != o.key {
		return -1
	}
	return end + 1
}

// partEnd returns the index of the first byte from i on that may end a part of a name: a slash,
// white space, a control character, or a byte that is not ASCII.
func partEnd(line []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for i+8 <= len(line) {
		x := binary.LittleEndian.Uint64(line[i:])
		// The lowest high bit that is set marks the first such byte. A borrow can disturb the bits
		// above it.
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

// set parses a name, for records with the configuration. If the name has more than max parts, set
// returns false and p is not valid.
func (p *parsedName) set(name string, config traceid.Params, max int) bool {
	p.valid = false
	own, ok := appendNameParams(p.own[:0], name, max)
	p.own = own
	if !ok {
		return false
	}

	p.text = append(p.text[:0], name...)
	p.str, p.hasStr = name, true
	p.sort()
	p.merge(config)
	p.valid = true
	return true
}

// sort makes p.order of p.own.
func (p *parsedName) sort() {
	order := append(p.order[:0], -1)
	for i := range p.own {
		order = append(order, i)
	}

	// Names usually have a few parts, and few keys begin with the same letter.
	if len(order) > fewParams {
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(p.key(a), p.key(b)) })
	} else {
		for i := range order {
			for j := i; j > 0 && comesBefore(p.key(order[j]), p.key(order[j-1])); j-- {
				order[j], order[j-1] = order[j-1], order[j]
			}
		}
	}
	p.order = order
}

// key returns the key of an index in p.order.
func (p *parsedName) key(i int) string {
	if i < 0 {
		return paramUnit
	}
	return p.own[i].key
}

// merge makes p.params of p.own, in p.order, and the configuration. A key of the name overrides one
// of the configuration.
func (p *parsedName) merge(config traceid.Params) {
	params := p.params[:0]
	for _, i := range p.order {
		x := traceid.Param{Key: paramUnit}
		if i >= 0 {
			x = traceid.Param{Key: p.own[i].key, Value: p.own[i].value}
		}
		for len(config) > 0 && comesBefore(config[0].Key, x.Key) {
			params = append(params, config[0])
			config = config[1:]
		}
		if len(config) > 0 && config[0].Key == x.Key {
			config = config[1:]
		}

		if i >= 0 {
			p.own[i].at = len(params)
		} else {
			p.unitAt = len(params)
		}
		params = append(params, x)
	}
	p.params = append(params, config...)
}

// comesBefore reports whether a < b. Usually, their first bytes say so.
func comesBefore(a, b string) bool {
	if a != "" && b != "" && a[0] != b[0] {
		return a[0] < b[0]
	}
	return a < b
}

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
