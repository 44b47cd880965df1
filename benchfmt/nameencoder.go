package benchfmt

import (
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
// same params.
type nameEncoder struct {
	text   []byte          // the name
	config []traceid.Param // goos, goarch, pkg and cpu come first

	base, procs string
	subs        []numberedPart
	pairs       []traceid.Param

	shape shape
}

// A shape has the places of the last record's params. In records with the same keys, each param
// gets the same place if its value allows that.
type shape struct {
	valid           bool
	unitAt, procsAt int // indices, or -1
	roles           []role
	parts           []int // indices of the params that are parts of the name, in its order
}

// A role is the place that a param got.
type role byte

const (
	roleUnit role = iota
	roleConfig
	roleBase
	rolePart // positional
	rolePair
	roleProcs
)

// canHave reports whether a param with the role keeps it with another value.
func (r role) canHave(value string) bool {
	switch r {
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
	s := &n.shape
	if !s.valid || unitAt != s.unitAt {
		return false
	}
	for _, c := range changed {
		if role := s.roles[c.Index]; role != roleUnit && !role.canHave(params[c.Index].Value) {
			return false
		}
	}

	n.text = n.text[:0]
	for _, i := range s.parts {
		p := &params[i]
		if s.roles[i] != roleBase {
			n.text = append(n.text, '/')
		}
		if s.roles[i] == rolePair {
			n.text = append(append(n.text, p.Key...), '=')
		}
		n.text = append(n.text, p.Value...)
	}

	if s.procsAt < 0 {
		return goname.ProcsDash(n.text) < 0
	}
	n.text = append(append(n.text, '-'), params[s.procsAt].Value...)
	return true
}

// keepShape remembers the places of the params, if arrangeAgain can use them.
func (n *nameEncoder) keepShape(params traceid.Params, unitAt int) {
	s := &n.shape
	s.valid = false
	s.unitAt, s.procsAt = unitAt, -1
	s.roles = append(s.roles[:0], make([]role, len(params))...)
	s.parts = s.parts[:0]

	mark := func(key string, r role) (index int) {
		i, _ := params.Find(key)
		s.roles[i] = r
		if r != roleConfig && r != roleProcs {
			s.parts = append(s.parts, i)
		}
		return i
	}

	if n.base != "" {
		mark(goname.Base, roleBase)
	}
	for _, sub := range n.subs {
		if strings.Contains(sub.param.Value, "=") {
			return
		}
		mark(sub.param.Key, rolePart)
	}
	for _, p := range n.pairs {
		mark(p.Key, rolePair)
	}

	if n.procs != "" {
		s.procsAt = mark(goname.Gomaxprocs, roleProcs)
	}
	for _, p := range n.config {
		mark(p.Key, roleConfig)
	}
	s.valid = true
}

type numberedPart struct {
	number int
	param  traceid.Param
}

// arrange divides the params, except the one at unitAt. Params whose keys are in config become
// configuration if possible.
func (n *nameEncoder) arrange(params traceid.Params, unitAt int, config map[string]bool) error {
	n.shape.valid = false
	if err := params.CheckSorted(); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if len(params) > maxParams {
		return fmt.Errorf("more than %d params", maxParams)
	}

	// Find a place for each param.
	n.base, n.procs = "", ""
	n.subs, n.pairs, n.config = n.subs[:0], n.pairs[:0], n.config[:0]
	for i, p := range params {
		switch number := goname.SubNumber(p.Key); {
		case i == unitAt:
		case config[p.Key] && goname.CanBeConfig(p):
			n.config = append(n.config, p)
		case p.Key == goname.Base && p.Value != "" && goname.CanBePart(p.Value):
			n.base = p.Value
		case p.Key == goname.Gomaxprocs && isDigits(p.Value):
			n.procs = p.Value

		case number > 0 && goname.CanBePart(p.Value):
			n.subs = append(n.subs, numberedPart{number, p})
		case goname.CanBePair(p):
			n.pairs = append(n.pairs, p)

		default:
			if err := n.addConfig(p); err != nil {
				return err
			}
		}
	}

	if err := n.checkSubs(); err != nil {
		return err
	}
	if err := n.compose(); err != nil {
		return err
	}

	// The known keys of the configuration come first.
	front := 0
	for _, key := range knownConfig {
		for i := front; i < len(n.config); i++ {
			if p := n.config[i]; p.Key == key {
				copy(n.config[front+1:i+1], n.config[front:i])
				n.config[front] = p
				front++
				break
			}
		}
	}

	if err := checkSize(n.config); err != nil {
		return err
	}
	n.keepShape(params, unitAt)
	return nil
}

// addConfig makes configuration of a param that the name cannot hold.
func (n *nameEncoder) addConfig(p traceid.Param) error {
	if !goname.CanBeConfig(p) {
		return fmt.Errorf("param %q, which is %q, fits neither in the name of a benchmark "+
			"nor in a configuration line", p.Key, p.Value)
	}
	n.config = append(n.config, p)
	return nil
}

// checkSubs keeps the positional parts that a Reader will give the same numbers. The other parts
// become configuration.
func (n *nameEncoder) checkSubs() error {
	if len(n.subs) == 0 {
		return nil
	}
	slices.SortFunc(n.subs, func(a, b numberedPart) int { return a.number - b.number })
	good := 0
	for good < len(n.subs) && n.subs[good].number == good+1 && n.positional(n.subs[good].param.Value) {
		good++
	}
	for _, s := range n.subs[good:] {
		if err := n.addConfig(s.param); err != nil {
			return err
		}
	}
	n.subs = n.subs[:good]
	return nil
}

// positional reports whether a part of the name is read as a positional part if it comes after the
// pairs.
func (n *nameEncoder) positional(part string) bool {
	key, _, ok := goname.SplitPart(part)
	return !ok || slices.ContainsFunc(n.pairs, func(p traceid.Param) bool { return p.Key == key })
}

// compose builds the name. The positional parts come before the pairs, unless a positional part
// has the key of a pair.
func (n *nameEncoder) compose() error {
	for {
		hasEqual := func(s numberedPart) bool { return strings.Contains(s.param.Value, "=") }
		pairsFirst := slices.ContainsFunc(n.subs, hasEqual)
		n.text = append(n.text[:0], n.base...)
		if pairsFirst {
			n.appendPairs()
		}
		for _, s := range n.subs {
			n.text = append(n.text, '/')
			n.text = append(n.text, s.param.Value...)
		}
		if !pairsFirst {
			n.appendPairs()
		}

		if n.procs != "" {
			n.text = append(n.text, '-')
			n.text = append(n.text, n.procs...)
			return nil
		}

		if goname.ProcsDash(n.text) < 0 {
			return nil
		}

		// The end would be read as the number of processors. The last part goes elsewhere.
		var p traceid.Param
		switch {
		case len(n.subs) > 0 && (pairsFirst || len(n.pairs) == 0):
			p = n.subs[len(n.subs)-1].param
			n.subs = n.subs[:len(n.subs)-1]
		case len(n.pairs) > 0:
			p = n.pairs[len(n.pairs)-1]
			if !goname.CanBeConfig(p) && n.endWithConfig() {
				continue
			}
			n.pairs = n.pairs[:len(n.pairs)-1]
		default:
			p = traceid.Param{Key: goname.Base, Value: n.base}
			n.base = ""
		}

		if err := n.addConfig(p); err != nil {
			return err
		}
		if err := n.checkSubs(); err != nil { // a pair that a positional part needs may be gone
			return err
		}
	}
}

// endWithConfig moves a param from the configuration to the end of the name, if one can be there.
func (n *nameEncoder) endWithConfig() bool {
	i := slices.IndexFunc(n.config, func(p traceid.Param) bool {
		return goname.CanBePair(p) && goname.ProcsDash([]byte(p.Value)) < 0
	})
	if i < 0 {
		return false
	}
	n.pairs = append(n.pairs, n.config[i])
	n.config = slices.Delete(n.config, i, i+1)
	return true
}

func (n *nameEncoder) appendPairs() {
	for _, p := range n.pairs {
		n.text = append(n.text, '/')
		n.text = append(n.text, p.Key...)
		n.text = append(n.text, '=')
		n.text = append(n.text, p.Value...)
	}
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
	if strings.Count(name, "/") >= maxParams {
		return fmt.Errorf("a name has at most %d parts", maxParams)
	}
	for i := range len(name) {
		if isPlain(name[i]) {
			continue
		}
		switch {
		case !utf8.ValidString(name):
			return errors.New("the name is not UTF-8")
		case strings.ContainsFunc(name, unicode.IsSpace):
			return errors.New("a name must not have spaces")
		}
		break
	}
	return nil
}
