package benchfmt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/delta"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// A nameEncoder divides params between a result's name and its configuration. To read the two gives the
// same params. In records with the same keys, each param gets the same place if its value allows that.
type nameEncoder struct {
	text   []byte          // the name
	config []traceid.Param // goos, goarch, pkg and cpu come first

	valid  bool   // the roles of the last record can be used for the next one
	unitAt int    // index of the unit in the params, or -1
	roles  []role // of the params
	parts  []int  // indices of the params in the name, in its order
}

// A role is the place that a param got. The roles from roleBase on are in the order of the name.
type role byte

const (
	roleConfig role = iota
	roleUnit
	roleBase
	rolePart // positional
	rolePair
	roleLastPair // after all others
	roleLatePart // positional, and after the pairs because one of these parts has the key of a pair
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
	return n.compose(params)
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
	n.unitAt = unitAt
	n.roles = append(n.roles[:0], make([]role, len(params))...) // roleConfig
	for i, p := range params {
		switch {
		case i == unitAt:
			n.roles[i] = roleUnit
		case config[p.Key] && goname.CanBeConfig(p):
		case p.Key == goname.Base && roleBase.canHave(p.Value):
			n.roles[i] = roleBase
		case p.Key == goname.Gomaxprocs && isDigits(p.Value):
			n.roles[i] = roleProcs

		case goname.SubNumber(p.Key) > 0 && goname.CanBePart(p.Value):
			n.roles[i] = rolePart
		case goname.CanBePair(p):
			n.roles[i] = rolePair

		default:
			if err := n.makeConfig(params, i); err != nil {
				return err
			}
		}
	}

	// A name whose end would be read as the number of processors loses its last part.
	for {
		if err := n.order(params); err != nil {
			return err
		}
		if n.compose(params) {
			break
		}
		if err := n.moveLast(params); err != nil {
			return err
		}
	}

	// The known keys of the configuration come first.
	n.config = n.config[:0]
	for i, r := range n.roles {
		if r == roleConfig {
			n.config = append(n.config, params[i])
		}
	}
	rank := func(p traceid.Param) uint { return uint(slices.Index(knownConfig[:], p.Key)) } // of -1, the largest
	slices.SortStableFunc(n.config, func(a, b traceid.Param) int { return cmp.Compare(rank(a), rank(b)) })
	if err := checkSize(n.config); err != nil {
		return err
	}
	n.valid = true
	return nil
}

// makeConfig makes configuration of the i-th param, which the name cannot hold.
func (n *nameEncoder) makeConfig(params traceid.Params, i int) error {
	if p := params[i]; !goname.CanBeConfig(p) {
		return fmt.Errorf("param %q, which is %q, fits neither in the name of a benchmark "+
			"nor in a configuration line", p.Key, p.Value)
	}
	n.roles[i] = roleConfig
	return nil
}

// order puts the parts of the name in order. It keeps the positional parts that a Reader will give the
// same numbers; the others become configuration.
func (n *nameEncoder) order(params traceid.Params) error {
	isPositional := func(i int) bool { return n.roles[i] == rolePart || n.roles[i] == roleLatePart }
	kept, role := 0, rolePart
	for {
		i, ok := params.Find(goname.SubKey(kept + 1))
		if !ok || !isPositional(i) {
			break
		}
		key, _, ok := goname.SplitPart(params[i].Value)
		if at, isPair := params.Find(key); ok && !(isPair && (n.roles[at] == rolePair || n.roles[at] == roleLastPair)) {
			break
		}
		if strings.Contains(params[i].Value, "=") {
			role = roleLatePart
		}
		kept++
	}

	n.parts = n.parts[:0]
	for i := range n.roles {
		if isPositional(i) {
			n.roles[i] = role
			if goname.SubNumber(params[i].Key) > kept {
				if err := n.makeConfig(params, i); err != nil {
					return err
				}
			}
		}
		if n.roles[i] >= roleBase {
			n.parts = append(n.parts, i)
		}
	}
	slices.SortStableFunc(n.parts, func(a, b int) int {
		byNumber := goname.SubNumber(params[a].Key) - goname.SubNumber(params[b].Key)
		return cmp.Or(cmp.Compare(n.roles[a], n.roles[b]), byNumber)
	})
	return nil
}

// compose builds the name. It returns false if the end of its last part would be read as the number
// of processors.
func (n *nameEncoder) compose(params traceid.Params) bool {
	n.text = n.text[:0]
	last := roleConfig
	for _, i := range n.parts {
		switch last = n.roles[i]; last {
		case rolePart, roleLatePart:
			n.text = append(n.text, '/')
		case rolePair, roleLastPair:
			n.text = append(append(append(n.text, '/'), params[i].Key...), '=')
		case roleProcs:
			n.text = append(n.text, '-')
		}
		n.text = append(n.text, params[i].Value...)
	}
	return last == roleProcs || goname.ProcsDash(n.text) < 0
}

// moveLast makes configuration of the last part of the name. If that cannot be, it moves a param of the
// configuration to the end of the name.
func (n *nameEncoder) moveLast(params traceid.Params) error {
	last := n.parts[len(n.parts)-1]
	if n.roles[last] == rolePair && !goname.CanBeConfig(params[last]) {
		for i, r := range n.roles {
			if r == roleConfig && goname.CanBePair(params[i]) && goname.ProcsDash(params[i].Value) < 0 {
				n.roles[i] = roleLastPair
				return nil
			}
		}
	}
	return n.makeConfig(params, last)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
