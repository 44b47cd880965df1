package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// This file reads names and makes the params of their records. Most names have the keys of an
// earlier name, in the same order: these names have a pattern in common, which has the params of
// the last of them. The values of a name are put into the params of its pattern: nothing has to be
// sorted, merged or allocated. If the patterns were made for each name, reading would take three
// times as many instructions if all names differ, in groups of five with the same keys.
//
// That is possible because the keys of the params, which of them are positional, and their order
// depend only on the keys of the name's parts and their order.

// A nameDecoder reads the names of results. It has the last name, with the params of its records, which
// have the configuration of one stream: the results of another one outdate them.
type nameDecoder struct {
	text     string              // the last name
	pattern  *pattern            // of the last name; nil before the first name
	patterns map[string]*pattern // of earlier names, by their keys
	size     int                 // about the memory that patterns take, in bytes
	keys     []byte              // scratch: the keys of a name

	version     int // of the configuration
	keysVersion int // the version in which the configuration got its keys
}

// A pattern is what the names with the same keys in the same order have in common, and the params
// of the last of these names.
type pattern struct {
	keys   string         // of the parts of the name, with their equals signs
	own    []nameParam    // of the parts of the name
	procs  bool           // the last part is the number of processors
	order  []int          // indices of own, by key; -1 is the unit
	params traceid.Params // of own, the unit and the configuration
	unitAt int            // index of the unit in params

	commitAt int          // index of the commit in params; -1: there is none
	config   []int        // of each key of the configuration, its index in params; -1 if the name overrides it
	version  int          // of the configuration that params have; -1 without one
	ids      delta.Layout // of params
}

// A nameParam is the param of a part of a name.
type nameParam struct {
	key   string // of the param
	whole bool   // the value is the whole part: no param has its key
	at    int    // index in pattern.params; -1 for an empty base
}

// The bounds of the patterns that are remembered. With one, reading takes 20% more instructions if
// all names differ, because each benchmark has its own keys.
const (
	maxPatterns     = 32
	maxPatternBytes = 1 << 20
	paramBytes      = 100 // of a pattern, for each param
)

// outdate notes a change of the configuration.
func (n *nameDecoder) outdate(c change) {
	n.version++
	if c == newKeys {
		n.keysVersion = n.version
	}
}

// nameParts are the places of the parts of a name in its line: of the base, the other parts, and the
// number of processors.
type nameParts struct {
	spaces bool // white space does not end the name: the name is a Result's
	all    []span
	procs  bool // the last one is the number of processors
	ascii  bool // the name has only ASCII characters
	end    int  // of the name
}

// A span is the place of a part. Its value follows a key and an equals sign, if the part has them.
type span struct{ start, value, end int }

// find finds the parts of the name in a line, which has room after it.
func (parts *nameParts) find(line []byte) {
	text, all, ascii := line[:len(line)+room], parts.all[:0], true
	part := span{len(prefix), len(prefix), 0}
	i := len(prefix)
	for {
		// Look for the next byte that may end a part or a key.
		found := separators(binary.LittleEndian.Uint64(text[i:]))
		if found == 0 && i < len(line) {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(found) / 8; i >= len(line) {
			i = len(line)
			break
		}

		switch c := text[i]; {
		case c == '/':
			part.end = i
			all = append(all, part)
			i++
			part = span{i, i, 0}
			continue
		case c == '=':
			if i++; part.value == part.start && len(all) > 0 {
				part.value = i
			}
			continue
		}

		r, size := utf8.DecodeRune(line[i:])
		if unicode.IsSpace(r) && !parts.spaces {
			break
		}
		ascii = ascii && size == 1 && r < utf8.RuneSelf
		i += size
	}

	parts.ascii, parts.end, part.end = ascii, i, i
	dash := goname.ProcsDash(line[part.value:i])
	if parts.procs = dash >= 0; !parts.procs {
		parts.all = append(all, part)
		return
	}
	part.end = part.value + dash
	parts.all = append(all, part, span{part.end + 1, part.end + 1, i})
}

// separators returns a word in which the highest bit of each byte of x is set that is a slash, an
// equals sign, white space, a control character, or not ASCII.
func separators(x uint64) uint64 {
	// Without their highest bits, the sum of two bytes carries into no other byte. A sum has its
	// highest bit set unless the byte is 0 (xor: equal to the separator), or less than '!'. So all
	// eight bits are exact, not only the first. Bytes that have the highest bit are added by x.
	const slashes, equals = '/' * lowest, '=' * lowest
	low := x &^ highest
	others := (low ^ slashes + 0x7f*lowest) & (low ^ equals + 0x7f*lowest) & (low + (0x80-'!')*lowest)
	return (^others | x) & highest
}

// read makes the name that has these parts in a line the last one. The strings of the params share the
// memory of text, which is the name, unless it is long.
func (n *nameDecoder) read(parts *nameParts, line []byte, text string, config traceid.Params) {
	n.keys = parts.appendKeys(n.keys[:0], line)
	p := n.pattern
	if p == nil || string(n.keys) != p.keys {
		p = n.find(parts, len(config))
	}

	switch {
	case p.version < n.keysVersion:
		p.merge(config)
	case p.version < n.version:
		for i, at := range p.config {
			if at >= 0 && p.params[at].Value != config[i].Value {
				p.params[at].Value = config[i].Value
			}
		}
	}
	p.version = n.version
	n.text, n.pattern = text, p

	// A value that stays the same string is cheaper for users who compare it. Often the base and the
	// number of processors stay.
	last := len(parts.all) - 1
	own := p.own[:len(parts.all)]
	for i := range own {
		o, x := &own[i], &parts.all[i]
		if o.at < 0 {
			continue
		}

		start := x.value
		if o.whole {
			start = x.start
		}
		value, s := &p.params[o.at].Value, text[start-len(prefix):x.end-len(prefix)]
		if i > 0 && (i < last || !p.procs) || *value != s {
			if len(text) > longName {
				s = strings.Clone(s)
			}
			*value = s
		}
	}
}

// longName is the length from which on the params of a name get copies of their parts: a caller
// that keeps one part would keep the whole name.
const longName = 1 << 10

// appendKeys appends the keys of the parts, with their equals signs, and what the other parts are.
func (parts *nameParts) appendKeys(dst, line []byte) []byte {
	kind := byte('a')
	if parts.procs {
		kind |= 2
	}
	if parts.hasBase() {
		kind |= 4
	}
	dst = append(dst, kind)
	for i := range parts.all {
		x := &parts.all[i]
		dst = append(append(dst, line[x.start:x.value]...), '/')
	}
	return dst
}

// find returns the pattern of a name with these parts and n.keys, which may be a new one.
func (n *nameDecoder) find(parts *nameParts, config int) *pattern {
	p := n.patterns[string(n.keys)]
	if p == nil {
		n.size += parts.end + len(n.keys) + paramBytes*(len(parts.all)+config)
		if n.patterns == nil || len(n.patterns) == maxPatterns || n.size > maxPatternBytes {
			n.patterns, n.size = make(map[string]*pattern), 0
		}
		p = newPattern(parts, string(n.keys))
		n.patterns[p.keys] = p
	}
	return p
}

// count returns the number of parts, without an empty base and the number of processors.
func (parts *nameParts) count() int {
	n := len(parts.all)
	if !parts.hasBase() {
		n--
	}
	if parts.procs {
		n--
	}
	return n
}

func (parts *nameParts) hasBase() bool { return parts.all[0].end > len(prefix) }

// newPattern returns the pattern of a name with these parts. Its params are to be merged with the
// configuration. A part whose key is taken becomes positional, so that nothing is lost.
func newPattern(parts *nameParts, keys string) *pattern {
	p := &pattern{keys: keys, procs: parts.procs, order: []int{-1}, version: -1}
	seen := map[string]bool{goname.Base: true}
	positional := 0

	for i, before := range strings.Split(keys[1:len(keys)-1], "/") {
		key, isPair := strings.CutSuffix(before, "=")
		isPair = isPair && !goname.Reserved(key) && !seen[key]
		seen[key] = true
		o := nameParam{key: key}
		switch {
		case i == 0:
			o.key = goname.Base
		case parts.procs && i == len(parts.all)-1:
			o.key = goname.Gomaxprocs
		case !isPair:
			positional++
			o = nameParam{key: goname.SubKey(positional), whole: true}
		}

		p.own = append(p.own, o)
		if i > 0 || parts.hasBase() {
			p.order = append(p.order, i)
		}
	}
	slices.SortFunc(p.order, func(a, b int) int { return strings.Compare(p.key(a), p.key(b)) })
	return p
}

// key returns the key of an index in p.order.
func (p *pattern) key(i int) string {
	if i < 0 {
		return goname.Unit
	}
	return p.own[i].key
}

// merge makes the params of a pattern and the configuration, without the values of the name. A key of
// the name overrides one of the configuration.
func (p *pattern) merge(config traceid.Params) {
	params := slices.Grow(p.params[:0], len(p.order)+len(config))
	p.config = p.config[:0]
	for i := range p.own {
		p.own[i].at = -1
	}

	for _, i := range p.order {
		key := p.key(i)
		for len(config) > 0 && config[0].Key < key {
			p.config = append(p.config, len(params))
			params = append(params, config[0])
			config = config[1:]
		}
		if len(config) > 0 && config[0].Key == key {
			p.config = append(p.config, -1)
			config = config[1:]
		}

		if i >= 0 {
			p.own[i].at = len(params)
		} else {
			p.unitAt = len(params)
		}
		params = append(params, traceid.Param{Key: key})
	}

	for _, x := range config {
		p.config = append(p.config, len(params))
		params = append(params, x)
	}
	p.params = params
	p.commitAt = -1
	if i, ok := params.Find(commitConfig); ok {
		p.commitAt = i
	}
}
