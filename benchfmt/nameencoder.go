package benchfmt

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// A nameEncoder divides params between a result's name and its configuration. To read the two gives the
// same params. In records with the same keys, each param gets the same place if its value allows that.
type nameEncoder struct {
	text   []byte          // the name
	config []traceid.Param // goos, goarch, pkg and cpu come first

	valid         bool   // the places of the last record can be used for the next one
	unitAt        int    // index of the unit in the params, or -1
	base, procs   int    // indices in the params, or -1
	subs, pairs   []int  // indices of the other parts of the name, in its order
	pairsFirst    bool   // the pairs come before the subs
	configuration []int  // indices of the params that are configuration
	roles         []role // of the params
}

// A role is the place that a param got.
type role byte

const (
	roleConfig role = iota
	roleUnit
	roleBase
	rolePart // positional
	rolePair
	roleProcs
)

// canHave reports whether a param with the role keeps it with another value.
func (r role) canHave(value string) bool {
	switch r {
	case roleUnit:
		return true
	case roleBase:
		return value != "" && goname.CanBePart(value)
	case rolePart:
		return !strings.Contains(value, "=") && goname.CanBePart(value)
	case rolePair:
		return goname.CanBePart(value)
	case roleProcs:
		return isDigits(value)
	}
	return false
}

// arrangeAgain is arrange for params that have the keys of the last ones, and some changed values. It
// returns false if that is not enough.
func (n *nameEncoder) arrangeAgain(params traceid.Params, unitAt int, changed []delta.Change) bool {
	if !n.valid || unitAt != n.unitAt {
		return false
	}
	for _, c := range changed {
		if !n.roles[c.Index].canHave(params[c.Index].Value) {
			return false
		}
	}
	n.compose(params)
	return n.procs >= 0 || goname.ProcsDash(n.text) < 0
}

// arrange divides the params, except the one at unitAt. Params whose keys are in config become
// configuration if possible.
func (n *nameEncoder) arrange(params traceid.Params, unitAt int, config map[string]bool) error {
	n.valid = false
	if err := params.CheckSorted(); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if len(params) > maxParams {
		return fmt.Errorf("more than %d params", maxParams)
	}

	// Find a place for each param.
	n.unitAt, n.base, n.procs = unitAt, -1, -1
	n.subs, n.pairs, n.configuration = n.subs[:0], n.pairs[:0], n.configuration[:0]
	for i, p := range params {
		switch {
		case i == unitAt:
		case config[p.Key] && goname.CanBeConfig(p):
			n.configuration = append(n.configuration, i)
		case p.Key == goname.Base && p.Value != "" && goname.CanBePart(p.Value):
			n.base = i
		case p.Key == goname.Gomaxprocs && isDigits(p.Value):
			n.procs = i

		case goname.SubNumber(p.Key) > 0 && goname.CanBePart(p.Value):
			n.subs = append(n.subs, i)
		case goname.CanBePair(p):
			n.pairs = append(n.pairs, i)

		default:
			if err := n.addConfig(params, i); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(n.subs, func(a, b int) int {
		return goname.SubNumber(params[a].Key) - goname.SubNumber(params[b].Key)
	})

	// A name whose end would be read as the number of processors loses its last part.
	for {
		if err := n.checkSubs(params); err != nil {
			return err
		}
		if n.compose(params); n.procs >= 0 || goname.ProcsDash(n.text) < 0 {
			break
		}
		if err := n.moveLast(params); err != nil {
			return err
		}
	}

	// The known keys of the configuration come first.
	rank := func(i int) uint { return uint(slices.Index(knownConfig[:], params[i].Key)) } // of -1, the largest
	slices.SortStableFunc(n.configuration, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	n.config = n.config[:0]
	for _, i := range n.configuration {
		n.config = append(n.config, params[i])
	}
	if err := checkSize(n.config); err != nil {
		return err
	}
	n.keepRoles(params)
	return nil
}

// keepRoles remembers the roles of the params, if arrangeAgain can use them.
func (n *nameEncoder) keepRoles(params traceid.Params) {
	n.roles = append(n.roles[:0], make([]role, len(params))...) // roleConfig
	set := func(r role, indices ...int) {
		for _, i := range indices {
			if i >= 0 {
				n.roles[i] = r
			}
		}
	}
	set(roleUnit, n.unitAt)
	set(roleBase, n.base)
	set(rolePart, n.subs...)
	set(rolePair, n.pairs...)
	set(roleProcs, n.procs)
	n.valid = !n.pairsFirst
}

// addConfig makes configuration of the i-th param, which the name cannot hold.
func (n *nameEncoder) addConfig(params traceid.Params, i int) error {
	if p := params[i]; !goname.CanBeConfig(p) {
		return fmt.Errorf("param %q, which is %q, fits neither in the name of a benchmark "+
			"nor in a configuration line", p.Key, p.Value)
	}
	n.configuration = append(n.configuration, i)
	return nil
}

// checkSubs keeps the positional parts that a Reader will give the same numbers. The other parts
// become configuration.
func (n *nameEncoder) checkSubs(params traceid.Params) error {
	good := 0
	for good < len(n.subs) && params[n.subs[good]].Key == goname.SubKey(good+1) && n.positional(params, n.subs[good]) {
		good++
	}
	for _, i := range n.subs[good:] {
		if err := n.addConfig(params, i); err != nil {
			return err
		}
	}
	n.subs = n.subs[:good]
	return nil
}

// positional reports whether a part of the name is read as a positional part if it comes after the
// pairs.
func (n *nameEncoder) positional(params traceid.Params, i int) bool {
	key, _, ok := goname.SplitPart(params[i].Value)
	return !ok || slices.ContainsFunc(n.pairs, func(i int) bool { return params[i].Key == key })
}

// compose builds the name. The positional parts come before the pairs, unless a positional part
// has the key of a pair.
func (n *nameEncoder) compose(params traceid.Params) {
	n.text = n.text[:0]
	if n.base >= 0 {
		n.text = append(n.text, params[n.base].Value...)
	}
	n.pairsFirst = slices.ContainsFunc(n.subs, func(i int) bool { return strings.Contains(params[i].Value, "=") })
	if n.pairsFirst {
		n.appendPairs(params)
	}
	for _, i := range n.subs {
		n.text = append(append(n.text, '/'), params[i].Value...)
	}
	if !n.pairsFirst {
		n.appendPairs(params)
	}
	if n.procs >= 0 {
		n.text = append(append(n.text, '-'), params[n.procs].Value...)
	}
}

func (n *nameEncoder) appendPairs(params traceid.Params) {
	for _, i := range n.pairs {
		n.text = append(append(append(n.text, '/'), params[i].Key...), '=')
		n.text = append(n.text, params[i].Value...)
	}
}

// moveLast makes configuration of the last part of the name. If that cannot be, it moves a param of the
// configuration to the end of the name.
func (n *nameEncoder) moveLast(params traceid.Params) error {
	list := &n.pairs
	if n.pairsFirst || len(n.pairs) == 0 {
		list = &n.subs
	}
	last := len(*list) - 1
	if last < 0 {
		i := n.base
		n.base = -1
		return n.addConfig(params, i)
	}

	i := (*list)[last]
	if list == &n.pairs && !goname.CanBeConfig(params[i]) {
		at := slices.IndexFunc(n.configuration, func(i int) bool {
			return goname.CanBePair(params[i]) && goname.ProcsDash(params[i].Value) < 0
		})
		if at >= 0 {
			n.pairs = append(n.pairs, n.configuration[at])
			n.configuration = slices.Delete(n.configuration, at, at+1)
			return nil
		}
	}
	*list = (*list)[:last]
	return n.addConfig(params, i)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}

// checkName returns why a name can't be written.
func checkName(name string) error {
	switch {
	case strings.Count(name, "/") >= maxParams:
		return fmt.Errorf("a name has at most %d parts", maxParams)
	case !utf8.ValidString(name):
		return errors.New("the name is not UTF-8")
	case strings.ContainsFunc(name, unicode.IsSpace):
		return errors.New("a name must not have spaces")
	}
	return nil
}
