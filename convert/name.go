package convert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/internal/goname"
	"perfdata/traceid"
)

// Files of nanolegacy, keyval and perun have a name for a measurement, where other formats have
// any number of params. The documentation of these packages has the recipe.

// A name is made of the params of a measurement.
type name struct {
	test, config, sub  string
	hasTest, hasConfig bool   // there are params test and config
	hasSub             bool   // there is a param sub_result
	base, unit         string // the params that are the test, and the sub-result if that is a unit
	joined             bool   // other params became a part of it
}

// A naming says which params are part of a name. The base is the first of the bases that there is.
type naming struct {
	bases []string
	given traceid.Params // by the header of the first input: not part of a name
	parts []traceid.Param
	text  []byte
}

// outside reports whether a param is not part of a name.
func (n *naming) outside(p traceid.Param) bool {
	value, ok := n.given.Get(p.Key)
	isGiven := ok && (value == p.Value || traceid.CanonicalString(value) == traceid.CanonicalString(p.Value))
	return p.Key == paramDirection || isGiven && p.Key != "pkg"
}

// of returns the name of a measurement.
func (n *naming) of(params traceid.Params) (name name) {
	get := params.Get
	for _, key := range n.bases {
		if value, ok := get(key); ok {
			name.base, name.test = key, value
			break
		}
	}

	name.hasTest = name.base == "test"
	name.config, name.hasConfig = get("config")
	name.sub, name.hasSub = get("sub_result")
	for _, key := range [...]string{goname.Unit, paramUnits} {
		if unit, ok := get(key); ok && !name.hasSub {
			name.unit, name.sub = key, unit
			break
		}
	}

	n.parts = n.parts[:0]
	procs := ""
	for _, p := range params {
		switch {
		case name.has(p.Key):
		case p.Key == goname.Gomaxprocs && !n.outside(p):
			procs = p.Value
		case !n.outside(p):
			n.parts = append(n.parts, traceid.Param{Key: p.Key, Value: cmp.Or(p.Value, "_")})
		}
	}
	slices.SortStableFunc(n.parts, func(a, b traceid.Param) int { return subRank(a.Key) - subRank(b.Key) })

	if len(n.parts) > 0 && name.hasConfig {
		name.config = cmp.Or(name.config, "_")
	}
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

// has reports whether a param has a place of its own in the name.
func (n *name) has(key string) bool {
	return key == n.base || key == n.unit || key == "config" || key == "sub_result"
}

// subRank puts the positional parts first, in their order.
func subRank(key string) int {
	if n := goname.SubNumber(key); n > 0 {
		return n
	}
	return math.MaxInt32
}

// join returns the test and config as one text, in which an empty one of the params is _.
func (n *name) join() string {
	test, config := n.test, n.config
	if n.base != "" {
		test = cmp.Or(test, "_")
	}
	if n.hasConfig {
		config = cmp.Or(config, "_")
	}
	if test == "" || config == "" || strings.HasPrefix(config, "-") {
		return cutName(test + config)
	}
	return cutName(test + "/" + config)
}

// with returns the params with another value of the key, in the memory of room.
func with(room *[]traceid.Param, p traceid.Params, key, value string) traceid.Params {
	i, has := p.Find(key)
	if has && p[i].Value == value {
		return p
	}
	*room = append(append((*room)[:0], p[:i]...), traceid.Param{Key: key, Value: value})
	if has {
		i++
	}
	*room = append(*room, p[i:]...)
	return *room
}

// validPair returns a pair with _ in place of bytes that are not UTF-8.
func validPair(p traceid.Param) traceid.Param {
	if utf8.ValidString(p.Key) && utf8.ValidString(p.Value) {
		return p
	}
	return traceid.Param{Key: strings.ToValidUTF8(p.Key, "_"), Value: strings.ToValidUTF8(p.Value, "_")}
}

// mapPairs returns the pairs that fit makes of pairs, sorted, and counts the pairs that it
// changes. If a changed key exists already, _ is appended to it.
func mapPairs(out *sink, pairs traceid.Params, fit func(traceid.Param) traceid.Param) traceid.Params {
	// Usually, all fit.
	i := 0
	for i < len(pairs) && fit(pairs[i]) == pairs[i] {
		i++
	}
	if i == len(pairs) && pairs.CheckSorted() == nil {
		return pairs
	}

	fitted := pairs.Clone()
	sameKeys := pairs.CheckSorted() == nil
	for j := range fitted[i:] {
		p, q := pairs[i+j], &fitted[i+j]
		if *q = fit(p); *q != p {
			out.count(changedCharacters, p.Key)
			sameKeys = sameKeys && q.Key == p.Key
		}
	}
	if sameKeys {
		return fitted
	}

	used := make(map[string]bool, len(pairs))
	for i, p := range pairs {
		used[p.Key] = used[p.Key] || fitted[i].Key == p.Key
	}
	for i := range fitted {
		if q := &fitted[i]; q.Key != pairs[i].Key {
			for used[q.Key] {
				q.Key += "_"
			}
			used[q.Key] = true
		}
	}
	return traceid.FromPairs(fitted...)
}

// maxName is how long a name is that is made of the values of params. The readers of the formats
// refuse strings and lines of more than 1 MiB.
const maxName = 64 << 10

// cutName returns a name that is short enough. A hash tells names apart that begin with the same text.
func cutName(name string) string {
	if len(name) <= maxName {
		return name
	}
	hash := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:maxName-2*len(hash)], "") + hex.EncodeToString(hash[:])
}
