package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// This file reads names and makes the params of their records. Most names have the keys of an
// earlier name, in the same order: these names have a pattern in common, which has the params of
// the last of them. The fast path finds the parts of a name, and puts their values into the params
// of the pattern: nothing has to be sorted, merged or allocated.
//
// The slow path is nameDecoder.set, which makes a pattern. It reads any name; the fast path reads
// only names for which it gives the same params. That holds because the keys of the params, which of
// them are positional, and their order depend only on the keys of the name's parts and their order.
// They are what the names of a pattern have in common. With the slow path only, reading takes three
// times as many instructions if all names differ, in groups of five with the same keys.

// A nameDecoder reads the names of a stream's results. It has the last name, with the params of its
// records.
type nameDecoder struct {
	owner    **nameDecoder         // where the stream has it; nil after the stream ended
	text     string                // the last name
	pattern  *pattern              // of the last name; nil before the first name
	patterns [maxPatterns]*pattern // of earlier names, by a hash of the keys
	other    *pattern              // of the last name that has no place in patterns
}

// A pattern is what the names with the same keys in the same order have in common, and the params
// of the last of these names.
type pattern struct {
	own    []nameParam    // the params that the name gives, in the order of the name
	base   bool           // the first of own is the base of the name
	procs  bool           // the last of own is the number of processors
	order  []int          // indices of own, by key; -1 is the unit
	params traceid.Params // of own, the unit and the configuration
	unitAt int            // index of the unit in params

	commitAt int           // index of the commit in params; -1: there is none
	config   []configParam // of the keys of the configuration, in its order
	change   change        // of the configuration, since params have it
	ids      delta.Layout  // of params
}

// A nameParam is a param that a name gives.
type nameParam struct {
	key, value string // the value is that of the first name of the pattern
	at         int    // index in pattern.params
	length     int    // of the key, for a part key=value; otherwise, 0
}

// A configParam is the param of a pattern that a key of the configuration gives.
type configParam struct {
	at int // index in pattern.params; -1 if the name overrides it
}

// maxPatterns is the number of patterns that are remembered. With one, reading takes 20% more
// instructions if all names differ, because each benchmark has its own keys.
const (
	maxPatterns = 32
	maxProbes   = 4 // places that are looked at for a pattern
)

// nameDecoders holds the nameDecoders of streams.
type nameDecoders struct {
	current **nameDecoder // of the result line read last
	all     []*nameDecoder
	next    int       // index in all of the one that the next new stream takes over
	parts   nameParts // of the name being read
}

// At most maxNames streams have a nameDecoder, and while a stream is not the current one, its last
// name is at most maxText bytes long. Without these bounds, they could take hundreds of megabytes.
const (
	maxNames = 64
	maxText  = 4 << 10
)

// enter makes owner, which belongs to a stream, the current one, and gives it a nameDecoder. It may
// take that from another stream.
func (n *nameDecoders) enter(owner **nameDecoder) {
	if n.current != nil {
		if last := *n.current; last != nil && len(last.text) > maxText {
			*last = nameDecoder{owner: n.current}
		}
	}
	n.current = owner
	if *owner != nil {
		return
	}

	if len(n.all) < maxNames {
		*owner = &nameDecoder{owner: owner}
		n.all = append(n.all, *owner)
		return
	}
	name := n.all[n.next]
	n.next = (n.next + 1) % maxNames
	if name.owner != nil {
		*name.owner = nil
	}
	*owner, name.owner = name, owner
	name.outdate(newKeys)
}

// outdate notes a change of the configuration.
func (n *nameDecoder) outdate(c change) {
	for _, p := range n.patterns {
		if p != nil {
			p.change = max(p.change, c)
		}
	}
	if n.other != nil {
		n.other.change = max(n.other.change, c)
	}
}

// repeats reports whether the name at the beginning of text is the last one, and its params are
// complete.
func (n *nameDecoder) repeats(text []byte) bool {
	size := len(n.text)
	return size < len(text) && isBlank(text[size]) && string(text[:size]) == n.text &&
		n.pattern != nil && n.pattern.change == noChange
}

// A nameText is a name without the prefix, and what comes after it.
type nameText [len(window{}) - len(prefix)]byte

// maxName is the length of the longest name that the fast path reads.
const maxName = 400

// nameParts are the places of the parts of a name in a nameText.
type nameParts struct {
	all   [maxParts + 2]span // the base, the other parts, and the number of processors
	count int                // of all
	procs bool               // the last of all is the number of processors
	end   int                // of the name
}

// maxParts is the number of parts of a name, in addition to the base, for which there is room.
const maxParts = 14

// A span is the place of a part's value, which may follow a key and an equals sign.
type span struct {
	value, end int
	key        int // length of the key; 0 for none
}

// find finds the parts of the name at the beginning of text, and their pattern. If no name had
// the same keys before, it returns no pattern, and the place for a new one. It returns false for
// a name that only the slow path reads: a long one, one without a base or with many parts, and
// one that is not followed by a blank or has other characters than visible ASCII.
func (n *nameDecoder) find(parts *nameParts, text *nameText) (p *pattern, place **pattern, ok bool) {
	if !parts.find(text) {
		return nil, nil, false
	}

	if p := n.pattern; p != nil && p.fits(parts, text) { // usually
		return p, nil, true
	}

	// The keys decide on the place of a pattern. Of a long key, its first eight bytes and its
	// length do, and fits compares the rest.
	hash := uint64(parts.count)
	for _, x := range parts.all[:parts.count] {
		hash = (hash ^ text.word(x.value-x.key-1)&firstBytes(x.key) ^ uint64(x.key)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	for i := range uint64(maxProbes) {
		place := &n.patterns[(hash+i)%maxPatterns]
		if p := *place; p == nil || p.fits(parts, text) {
			return p, place, true
		}
	}
	return nil, &n.patterns[hash%maxPatterns], true
}

// find finds the parts of the name at the beginning of text. It returns false if only the slow path
// reads the name.
func (parts *nameParts) find(text *nameText) bool {
	start := 0
	for n := 0; n <= maxParts; n++ {
		value, key := start, 0
		end := text.endOfPart(start, equals)
		if text[end&mask] == '=' {
			switch {
			case n == 0: // the base has no key
				value = start
			case end == start:
				return false
			default:
				key, value = end-start, end+1
			}
			end = text.endOfPart(end+1, slashes)
		}

		// endOfPart stops at maxName or beyond if it finds nothing. Then the byte there is an
		// accident, and end is too large.
		parts.all[n] = span{value, end, key}
		if c := text[end&mask]; c != '/' {
			return isBlank(c) && end <= maxName && parts.splitProcs(text, n)
		}
		start = end + 1
	}
	return false
}

// splitProcs splits the number of processors from the last part. It returns false if the base is
// empty.
func (parts *nameParts) splitProcs(text *nameText, last int) bool {
	part := &parts.all[last]
	parts.count, parts.end = last+1, part.end
	dash := goname.ProcsDash(text[part.value:part.end])
	parts.procs = dash >= 0
	if parts.procs {
		dash += part.value
		parts.all[parts.count] = span{value: dash + 1, end: part.end}
		part.end = dash
		parts.count++
	}
	return parts.all[0].end > 0
}

// word returns the eight bytes from byte i on as an integer.
func (text *nameText) word(i int) uint64 { return binary.LittleEndian.Uint64(text[i&mask:]) }

// endOfPart returns the index in text, from i on, of the first byte that is a slash, the byte that
// also repeats, or not visible ASCII. It returns maxName or more if the first maxName bytes have
// none.
func (text *nameText) endOfPart(i int, also uint64) int {
	for i < maxName {
		if found := separators(text.word(i), also); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	return i
}

// separators returns a word in which the highest bit of each byte of x is set that is a slash, the
// byte that also repeats, white space, a control character, or not ASCII.
func separators(x, also uint64) uint64 {
	// Without their highest bits, the sum of two bytes carries into no other byte. A sum has its
	// highest bit set unless the byte is 0 (xor: equal to the separator), or less than '!'. So all
	// eight bits are exact, not only the first. Bytes that have the highest bit are added by x.
	low := x &^ highest
	others := (low ^ slashes + 0x7f*lowest) & (low ^ also + 0x7f*lowest) & (low + (0x80-'!')*lowest)
	return (^others | x) & highest
}

// Eight slashes and eight equals signs, as integers.
const (
	slashes = '/' * lowest
	equals  = '=' * lowest
)

// firstBytes returns the bits of the first n bytes of an integer, or of all eight.
func firstBytes(n int) uint64 { return ^uint64(0) >> (64 - 8*min(n, 8)) }

// fits reports whether a name with these parts has the pattern.
//
// If the keys are the same in the same order, set would make the same params. A part whose key is
// reserved, or repeats that of an earlier part, is positional in a pattern, so it has no length
// there: it fits no part that has a key, and such names are left to the slow path.
func (p *pattern) fits(parts *nameParts, text *nameText) bool {
	if parts.count != len(p.own) || parts.procs != p.procs || !p.base {
		return false
	}
	for i := range p.own {
		x, o := &parts.all[i], &p.own[i]
		if x.key != o.length || x.key > 0 && string(text[x.value-1-x.key:x.value-1]) != o.key {
			return false
		}
	}
	return true
}

// take makes the name that text begins with the last one. It has the pattern and these parts.
func (n *nameDecoder) take(p *pattern, parts *nameParts, text string, config traceid.Params) {
	switch p.change {
	case newKeys:
		p.merge(config)
	case newValues:
		p.update(config)
	}
	n.text, n.pattern = text[:parts.end], p

	// A value that stays the same string is cheaper for users who compare it. Often the base and the
	// number of processors stay.
	last := parts.count - 1
	for i, x := range parts.all[:parts.count] {
		value, s := &p.params[p.own[i].at].Value, text[x.value:x.end]
		if i > 0 && (i < last || !p.procs) || *value != s {
			*value = s
		}
	}
}

// set makes a name the last one, for records with the configuration, and makes its pattern in the
// given place. If the name has more than max parts, set returns false.
func (n *nameDecoder) set(place **pattern, name string, config traceid.Params, max int) bool {
	if *place == nil {
		*place = new(pattern)
	}
	p := *place
	own, ok := appendNameParams(p.own[:0], name, max)
	if !ok {
		own = own[:0]
	}

	last := len(own) - 1
	*p = pattern{own: own, order: p.order, params: p.params, config: p.config, ids: p.ids}
	p.base = last >= 0 && own[0].key == goname.Base
	p.procs = last >= 0 && own[last].key == goname.Gomaxprocs
	p.sort()
	p.merge(config)
	if ok {
		n.text, n.pattern = name, p
	} else if n.pattern == p {
		n.pattern = nil // its params no longer belong to n.text
	}
	return ok
}

// longName is the length from which on the params of a name get copies of their parts: a caller
// that keeps one part would keep the whole name.
const longName = 1 << 10

// fewParams is the number of params up to which keys are compared one by one.
const fewParams = 30

// appendNameParams appends the params of a name to own, which is empty: its base, its parts and
// the number of processors. A part whose key is taken becomes positional, so that nothing is
// lost. appendNameParams returns false if there are more than max.
func appendNameParams(own []nameParam, name string, max int) ([]nameParam, bool) {
	path, procs := goname.SplitProcs(name)
	base, parts, more := strings.Cut(path, "/")
	if base != "" {
		own = append(own, nameParam{key: goname.Base, value: base})
	}

	var seen map[string]bool // the keys, if there are more than a few
	positional := 0
	for more {
		var part string
		part, parts, more = strings.Cut(parts, "/")

		key, value, ok := goname.SplitPart(part)
		switch {
		case !ok:
		case len(own) <= fewParams:
			ok = !slices.ContainsFunc(own, func(o nameParam) bool { return o.key == key })
		default:
			if seen == nil {
				seen = make(map[string]bool)
				for i := range own {
					seen[own[i].key] = true
				}
			}
			ok = !seen[key]
			seen[key] = true
		}

		o := nameParam{key: key, value: value}
		if ok {
			o.length = len(key)
		} else {
			positional++
			o.key, o.value = goname.SubKey(positional), part
		}
		if len(own) >= max {
			return own, false
		}
		own = append(own, o)
	}

	if procs != "" {
		own = append(own, nameParam{key: goname.Gomaxprocs, value: procs})
	}
	if len(name) > longName {
		for i := range own {
			o := &own[i]
			o.key, o.value = strings.Clone(o.key), strings.Clone(o.value)
		}
	}
	return own, true
}

// sort makes p.order.
func (p *pattern) sort() {
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
func (p *pattern) key(i int) string {
	if i < 0 {
		return goname.Unit
	}
	return p.own[i].key
}

// comesBefore reports whether a < b. Usually, their first bytes say so.
func comesBefore(a, b string) bool {
	if a != "" && b != "" && a[0] != b[0] {
		return a[0] < b[0]
	}
	return a < b
}

// merge makes the params of a pattern and the configuration. A key of the name overrides one of
// the configuration. The params have the values of the first name of the pattern.
func (p *pattern) merge(config traceid.Params) {
	params := slices.Grow(p.params[:0], len(p.order)+len(config))
	p.config = p.config[:0]
	for _, i := range p.order {
		x := traceid.Param{Key: p.key(i)}
		if i >= 0 {
			x.Value = p.own[i].value
		}

		for len(config) > 0 && comesBefore(config[0].Key, x.Key) {
			p.config = append(p.config, configParam{at: len(params)})
			params = append(params, config[0])
			config = config[1:]
		}
		if len(config) > 0 && config[0].Key == x.Key {
			p.config = append(p.config, configParam{at: -1})
			config = config[1:]
		}

		if i >= 0 {
			p.own[i].at = len(params)
		} else {
			p.unitAt = len(params)
		}
		params = append(params, x)
	}

	for _, x := range config {
		p.config = append(p.config, configParam{at: len(params)})
		params = append(params, x)
	}
	p.params, p.change = params, noChange
	p.commitAt = -1
	if i, ok := params.Find(commitConfig); ok {
		p.commitAt = i
	}
}

// update gives the params the values of the configuration, whose keys are the same. If each
// package has 60 names, to merge them instead takes 4% more instructions, and 12% more if trace
// IDs are made.
func (p *pattern) update(config traceid.Params) {
	for i := range p.config {
		c := &p.config[i]
		if c.at < 0 || p.params[c.at].Value == config[i].Value {
			continue
		}
		p.params[c.at].Value = config[i].Value
	}
	p.change = noChange
}
