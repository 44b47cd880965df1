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
// values that differ are read. In files without repeated names, that saves a third of the
// instructions.
type parsedName struct {
	of     *stream        // the stream that uses it; nil after the stream ended
	valid  bool           // for the configuration in force
	text   []byte         // the name
	own    []nameParam    // the params that the name gives, in the order of the name
	pairs  traceid.Params // own and an empty unit, sorted
	params traceid.Params // pairs merged with the configuration
	unitAt int            // index of the unit in params

	str    string // text, if hasStr
	hasStr bool
}

// A nameParam is a param that a name gives.
type nameParam struct {
	key, value string
	part       bool // it is a part key=value of the name
	at         int  // index in parsedName.params
	end        int  // where its value ends in the name
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
// and the same configuration applies. It returns the length of the name. For any other name, or
// one with unusual characters, it returns -1, and p is not valid.
func (p *parsedName) match(line []byte, strings *intern.Table) int {
	if n := len(p.text); n < len(line) && isBlank(line[n]) && string(line[:n]) == string(p.text) {
		return n
	}

	p.valid = false
	parts := p.own
	hasProcs := len(parts) > 0 && parts[len(parts)-1].key == paramGomaxprocs
	if hasProcs {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return -1
	}

	// The part begins at i in line, and began at old in p.text. The bytes of line from i up to
	// same repeat p.text.
	i, old, same := 0, 0, commonPrefix(p.text, line)
	for j := range parts {
		o := &parts[j]
		isLast := j == len(parts)-1
		repeatEnd := i + o.end - old // where the part ends if all of it repeats
		old = o.end
		if repeatEnd < same && !isLast {
			o.end, i = repeatEnd, repeatEnd
			continue
		}

		start := o.valueStart(line, i, same)
		if start < 0 {
			return -1
		}
		i = partEnd(line, max(start, min(same, repeatEnd)))
		if i == len(line) {
			return -1
		}

		// A slash ends a part. White space ends the last part, perhaps after the number of
		// processors.
		end := i
		if !isLast {
			if line[i] != '/' {
				return -1
			}
			same = i + commonPrefix(p.text[old:], line[i:])
		} else {
			dash := procsDash(line[start:i])
			if !isBlank(line[i]) || hasProcs != (dash >= 0) {
				return -1
			}

			if hasProcs {
				end = start + dash
				procs := &p.own[j+1]
				procs.end = i
				if value := line[end+1 : i]; string(value) != procs.value {
					p.setValue(procs, strings.New(value))
				}
			}
		}

		o.end = end
		if value := line[start:end]; string(value) != o.value {
			if len(value) == 0 && o.key == paramName || !o.part && o.key != paramName && slices.Contains(value, '=') {
				return -1
			}
			p.setValue(o, strings.New(value))
		}
	}

	p.text = append(p.text[:0], line[:i]...)
	p.hasStr = false
	p.valid = true
	return i
}

// valueStart returns the index of the value of the part at byte i, or -1 if the part does not have
// o's key. The bytes of line up to same are known to repeat the text that o was made from.
func (o *nameParam) valueStart(line []byte, i, same int) int {
	switch {
	case o.key == paramName:
		return i
	case i >= len(line) || line[i] != '/':
		return -1
	case !o.part:
		return i + len("/")
	}

	start := i + len("/=") + len(o.key)
	if start > same && (start > len(line) || line[start-1] != '=' || string(line[i+1:start-1]) != o.key) {
		return -1
	}
	return start
}

// setValue sets the value of o, which is one of p.own.
func (p *parsedName) setValue(o *nameParam, value string) {
	o.value = value
	p.params[o.at].Value = value
}

// commonPrefix returns the length of the longest common prefix of a and b.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	if n >= 8 { // compare the last eight bytes, although the first of them are known to be equal
		i = n - 8
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		return i + bits.TrailingZeros64(x)/8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
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
	p.pairs = append(p.pairs[:0], traceid.Param{Key: paramUnit})
	for i := range own {
		p.pairs = append(p.pairs, traceid.Param{Key: own[i].key, Value: own[i].value})
	}
	slices.SortFunc(p.pairs, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })

	p.params = traceid.AppendMerge(p.params[:0], config, p.pairs)
	for i := range own {
		own[i].at, _ = p.params.Find(own[i].key)
	}
	p.unitAt, _ = p.params.Find(paramUnit)
	p.valid = true
	return true
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
		own = append(own, nameParam{key: paramName, value: base, end: len(base)})
	}

	end := len(base)
	var seen map[string]struct{} // the keys, if there are more than a few
	positional := 0
	for parts != "" {
		var part string
		part, parts = cutPart(parts)
		end += len("/") + len(part)

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
		own = append(own, nameParam{key: key, value: value, part: ok, end: end})
	}

	if procs != "" {
		own = append(own, nameParam{key: paramGomaxprocs, value: procs, end: len(name)})
	}
	if len(name) > longName {
		for i := range own[start:] {
			o := &own[start+i]
			o.key, o.value = strings.Clone(o.key), strings.Clone(o.value)
		}
	}
	return own, true
}
