package convert

import (
	"math"
	"slices"
	"strings"

	"perfdata/internal/goname"
	"perfdata/traceid"
)

// Files of nanolegacy, keyval and perun have a name for what was measured where other formats have
// any number of params. The name is made of the params of the measurement alone, like that of a Go
// benchmark:
//
//	Sort/digits/n=10/pkg=example.com/sort-8
//
// The params of machines are not part of it: a file has one of them.

// A name is made of the params of a measurement.
type name struct {
	test, config, sub  string
	hasTest, hasConfig bool // there are params test and config
	hasSub             bool // there is a param sub_result
	unit               string
	base               string // the param that is the test
	joined             bool   // other params became a part of it
}

// A naming says which params are part of a name. The base is the first of the bases that there is.
type naming struct {
	bases []string
	own   traceid.Params // which the file has elsewhere
	parts []traceid.Param
	text  []byte
	id    []byte // the params that tell the last measurement from others
}

// isOfMachine reports whether a param describes a machine.
func isOfMachine(key string) bool {
	switch key {
	case "arch", "cpu", "goarch", "goos", "os":
		return true
	}
	return false
}

// of returns the name of a measurement.
func (n *naming) of(params traceid.Params) (name name) {
	get := func(key string) (string, bool) { return params.Get(key) }
	for _, key := range n.bases {
		if value, ok := get(key); ok {
			name.base, name.test = key, value
			break
		}
	}
	name.hasTest = name.base == "test"
	name.config, name.hasConfig = get("config")
	name.sub, name.hasSub = get("sub_result")
	unitKey := goname.Unit
	unit, ok := get(unitKey)
	if !ok {
		unitKey = paramUnits
		unit, ok = get(unitKey)
	}
	if ok {
		name.unit = unit
		if !name.hasSub {
			name.sub = unit
		}
	}

	n.parts, n.id = n.parts[:0], n.id[:0]
	procs := ""
	for _, p := range params {
		if isOfMachine(p.Key) || p.Key == paramDirection {
			continue
		}
		n.id = append(append(n.id, p.Key...), 0)
		n.id = append(append(n.id, p.Value...), 0)
		switch {
		case p.Key == name.base || p.Key == "config" || p.Key == "sub_result":
		case p.Key == unitKey && !name.hasSub:
		case p.Key == goname.Gomaxprocs:
			procs = p.Value
		default:
			if value, ok := n.own.Get(p.Key); !ok || value != p.Value {
				n.parts = append(n.parts, p)
			}
		}
	}
	slices.SortStableFunc(n.parts, func(a, b traceid.Param) int { return subRank(a.Key) - subRank(b.Key) })

	text := append(n.text[:0], name.config...)
	for _, p := range n.parts {
		if len(text) > 0 {
			text = append(text, '/')
		}
		if goname.SubNumber(p.Key) == 0 {
			text = append(append(text, p.Key...), '=')
		}
		text = append(text, p.Value...)
	}
	if procs != "" {
		text = append(append(text, '-'), procs...)
	}
	n.text = text
	name.joined = len(n.parts) > 0 || procs != ""
	name.config = cutName(string(text))
	return name
}

// subRank puts the positional parts first, in their order.
func subRank(key string) int {
	if n := goname.SubNumber(key); n > 0 {
		return n
	}
	return math.MaxInt32
}

// join returns the test and config as one text.
func (n *name) join() string {
	if n.test == "" || n.config == "" || strings.HasPrefix(n.config, "-") {
		return cutName(n.test + n.config)
	}
	return cutName(n.test + "/" + n.config)
}
