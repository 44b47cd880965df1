package skiav1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file is the grammar of results. A result is read as a whole before its measurements are
// yielded, because its key may come last, and an error may be anywhere.
//
// Fast path: if a result repeats the text of an earlier one, except for the fields that are bound
// here, update takes these fields. The slow path is read. An indented result with four
// measurements takes 4,500 instructions by the fast path, and 15,000 by the slow one (callgrind).

// A result is an element of the file's results.
type result struct {
	fault *format.Error // for which the result is left out

	pairs  []traceid.Param // of its key, in the order of the file
	single measurement     // "measurement"
	groups []group         // "measurements"
	items  []measurement   // of all groups
	links  []traceid.Param // of all items, each item's in the order of the file

	problems int // number of measurements that are left out
}

// A group is a name in "measurements".
type group struct {
	name  string
	items int // number of items, including those with a problem
}

// A measurement is one number, or an error about it.
type measurement struct {
	value   string // of the param that its group names
	number  float64
	offset  int64         // of its object
	links   int32         // number of its own links
	has     bool          // it has a number
	problem *format.Error // for which it is left out
}

// The members of a result and of a measurement in an array.
var (
	resultMembers = []string{resultKey: "key", resultMeasurement: "measurement", resultMeasurements: "measurements"}
	itemMembers   = []string{itemParam: "value", itemMeasurement: "measurement", itemLinks: "links"}
)

const (
	resultKey = iota
	resultMeasurement
	resultMeasurements
)

const (
	itemParam = iota
	itemMeasurement
	itemLinks
)

// The fields that may differ between a result and a later one that is read by comparing text.
const (
	keyValue     = iota // a value of the key
	singleNumber        // the number of the result itself
	itemValue
	itemNumber
	linkValue
)

// The costs are charged to MaxResultBytes, in addition to the text: about the bytes of memory
// that each element takes. The validator charges the same, so that the Reader can read every file
// that it accepts.
const (
	groupCost = 80
	itemCost  = 64
	nameCost  = 16 // of a member that is not part of the format
	pairCost  = skiadoc.PairCost
)

// A grammar reads results.
type grammar struct {
	limits        format.Limits
	missingAsZero bool

	// The file's key and links, which results inherit. MaxParams includes them.
	key, links traceid.Params

	strings intern.Table

	// The member names of the objects that are open.
	inResult, inGroups, inItem, inPairs jsonscan.Names
}

// read reads the result ahead into res.
func (g *grammar) read(s *jsonscan.Scanner, res *result) {
	*res = result{pairs: res.pairs[:0], groups: res.groups[:0], items: res.items[:0], links: res.links[:0]}
	res.single.offset = s.Offset()

	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case kind == jsonscan.Null && g.missingAsZero:
		if len(g.key) == 0 {
			res.single.faulty(s.Error(noParams))
		}
		s.Null()
		return
	default:
		res.faulty(s.SkipTypeError("object"))
		return
	}

	for member, kind := range s.KnownMembers(resultMembers, &g.inResult) {
		switch member {
		case resultKey:
			g.readKey(s, res, kind)
		case resultMeasurement:
			g.readNumber(s, &res.single, kind, forms.Tag{Field: singleNumber})
		case resultMeasurements:
			g.readMeasurements(s, res, kind)
		default:
			s.Charge(nameCost)
			s.Skip()
		}
	}

	if s.Err() == nil && res.fault == nil {
		g.check(s, res)
	}
}

// update takes the fields of a result that matches the one that res was read from.
func (g *grammar) update(res *result, match *forms.Match) {
	res.single.offset = match.Offset()
	for i := range match.Changes() {
		switch tag := match.Tag(i); tag.Field {
		case keyValue:
			g.setText(&res.pairs[tag.Index].Value, match.Text(i))
		case singleNumber:
			res.single.number = match.Number(i)
		case itemValue:
			res.items[tag.Index].setValue(g, match.Text(i))
		case itemNumber:
			m := &res.items[tag.Index]
			m.number, m.offset = match.Number(i), match.Start(i)
		case linkValue:
			g.setText(&res.links[tag.Index].Value, match.Text(i))
		}
	}
}

// setValue sets the value of the param that the measurement's group names.
func (m *measurement) setValue(g *grammar, text []byte) {
	if m.value != string(text) {
		m.value = g.strings.String(text)
	}
}

// setText sets the string to the text. Most texts are equal to the string already.
func (g *grammar) setText(s *string, text []byte) {
	if *s != string(text) {
		*s = g.strings.String(text)
	}
}

// isSound reports whether all measurements have a number and no problem. Only then can the result
// be updated.
func (res *result) isSound() bool {
	switch {
	case res.fault != nil || res.single.problem != nil:
		return false
	case len(res.groups) == 0:
		return res.single.has
	}
	return !slices.ContainsFunc(res.items, func(m measurement) bool { return !m.has || m.problem != nil })
}

// faulty makes e the reason why the result is left out.
func (res *result) faulty(e *format.Error) {
	e.Severity = format.Recoverable
	if res.fault == nil {
		res.fault = e
	}
}

// faulty makes e the reason why the measurement is left out.
func (m *measurement) faulty(e *format.Error) {
	e.Severity = format.Recoverable
	if m.problem == nil {
		m.problem = e
	}
}

// readKey reads the result's key.
func (g *grammar) readKey(s *jsonscan.Scanner, res *result, kind jsonscan.Kind) {
	if kind == jsonscan.Null {
		s.Null()
		return
	}
	pairs, fault := g.readPairs(s, res.pairs, keyValue)
	res.pairs = pairs
	if fault != nil {
		res.faulty(fault)
		return
	}
	if max := g.limits.MaxParams; mergedLen(g.key, pairs, max) > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "params")
	}
}

// pairsName is what an error calls the members of a key or links.
const pairsName = "params or links"

// readPairs reads an object whose values are strings, or null, which means that the key is
// absent. It appends the pairs to dst, in the order of the file, and binds the values to the
// field. The fault is about a value of another type.
func (g *grammar) readPairs(
	s *jsonscan.Scanner, dst []traceid.Param, field int,
) (pairs []traceid.Param, fault *format.Error) {
	if s.Kind() != jsonscan.Object {
		return dst, s.SkipTypeError("object")
	}

	first := len(dst)
	if dst == nil {
		dst = make([]traceid.Param, 0, 8)
	}
	for name, kind := range s.Members(&g.inPairs) {
		if !s.Charge(pairCost) {
			break
		}

		p := traceid.Param{Key: g.strings.String(name)}
		switch kind {
		case jsonscan.String:
		case jsonscan.Null:
			s.Null()
			continue
		default:
			if e := s.SkipTypeError("string"); fault == nil {
				fault = e
			}
			continue
		}

		text, ok := s.Text()
		if !ok {
			break
		}
		p.Value = g.strings.String(text)
		s.Bind(forms.Tag{Field: field, Index: len(dst)}, 0)
		if len(dst)-first >= g.limits.MaxParams {
			s.FailLimit(s.TokenError, "MaxParams", int64(g.limits.MaxParams), pairsName)
			break
		}
		dst = append(dst, p)
	}
	return dst, fault
}

// readNumber reads the value of a member "measurement" and binds it.
func (g *grammar) readNumber(s *jsonscan.Scanner, m *measurement, kind jsonscan.Kind, tag forms.Tag) {
	switch {
	case s.SkipNaN():
		m.faulty(s.TokenError(skiadoc.NaNMessage(s.Token())))
		return
	case kind == jsonscan.Null:
		s.Null()
		return
	case kind != jsonscan.Number:
		m.faulty(s.SkipTypeError("number"))
		return
	}
	if m.number, m.has = s.Number(); !m.has {
		return
	}
	s.Bind(tag, m.offset)
	if math.IsInf(m.number, 0) {
		m.faulty(s.TokenError("the number is out of float64's range"))
	}
}

// readMeasurements reads the value of "measurements".
func (g *grammar) readMeasurements(s *jsonscan.Scanner, res *result, kind jsonscan.Kind) {
	switch kind {
	case jsonscan.Object:
	case jsonscan.Null:
		s.Null()
		return
	default:
		res.faulty(s.SkipTypeError("object"))
		return
	}

	for name, kind := range s.Members(&g.inGroups) {
		if res.fault != nil {
			s.Skip() // nothing of the result is yielded
			continue
		}
		if !s.Charge(groupCost) {
			return
		}

		res.groups = append(res.groups, group{name: g.strings.String(name)})
		before := len(res.items)

		switch kind {
		case jsonscan.Array:
			for s.EnterArray(); s.Element(); {
				if res.fault == nil {
					g.readItem(s, res)
				} else {
					s.Skip()
				}
			}
		case jsonscan.Null:
			s.Null()
		default:
			res.faulty(s.SkipTypeError("array"))
		}

		res.groups[len(res.groups)-1].items = len(res.items) - before
	}
}

// maxProblems is the largest number of measurements of a result that are left out one by one. A
// result with more problems is left out as a whole, so it can't take much more memory than its
// text.
const maxProblems = 1000

// readItem reads an element of an array in "measurements".
func (g *grammar) readItem(s *jsonscan.Scanner, res *result) {
	if !s.Charge(itemCost) {
		return
	}

	index := len(res.items)
	res.items = slices.Grow(res.items, 1)[:index+1]
	m := &res.items[index]
	*m = measurement{offset: s.Offset()}

	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case kind == jsonscan.Null && g.missingAsZero:
		s.Null()
		return
	default:
		m.faulty(s.SkipTypeError("object"))
		res.countProblem(s, m)
		return
	}

	for member, kind := range s.KnownMembers(itemMembers, &g.inItem) {
		switch member {
		case itemParam:
			g.readValue(s, m, kind, forms.Tag{Field: itemValue, Index: index})
		case itemMeasurement:
			g.readNumber(s, m, kind, forms.Tag{Field: itemNumber, Index: index})
		case itemLinks:
			g.readLinks(s, res, m, kind)
		default:
			s.Charge(nameCost)
			s.Skip()
		}
	}

	if s.Err() == nil && m.problem == nil && !m.has && !g.missingAsZero {
		m.faulty(s.LeftError("missing number: measurement is required"))
	}
	res.countProblem(s, m)
}

// readValue reads the value of the param that a measurement's group names, and binds it.
func (g *grammar) readValue(s *jsonscan.Scanner, m *measurement, kind jsonscan.Kind, tag forms.Tag) {
	switch kind {
	case jsonscan.String:
		if text, ok := s.Text(); ok {
			m.setValue(g, text)
			s.Bind(tag, m.offset)
		}
	case jsonscan.Null:
		m.value = ""
		s.Null()
	default:
		m.faulty(s.SkipTypeError("string"))
	}
}

// countProblem counts the measurement's problem, if it has one.
func (res *result) countProblem(s *jsonscan.Scanner, m *measurement) {
	if m.problem == nil || s.Err() != nil {
		return
	}
	if res.problems++; res.problems > maxProblems {
		e := *m.problem
		e.Message = fmt.Sprintf("more than %d measurements of the result are faulty: all of it is left out",
			maxProblems)
		res.faulty(&e)
	}
}

// readLinks reads the links of a measurement.
func (g *grammar) readLinks(s *jsonscan.Scanner, res *result, m *measurement, kind jsonscan.Kind) {
	if kind == jsonscan.Null {
		s.Null()
		return
	}
	before := len(res.links)
	links, fault := g.readPairs(s, res.links, linkValue)
	if fault != nil {
		m.faulty(fault)
		return
	}
	res.links, m.links = links, int32(len(links)-before)
	if max := g.limits.MaxParams; mergedLen(g.links, links[before:], max) > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "links")
	}
}

const noParams = "the measurement has no params"

// check checks the result that was just left.
func (g *grammar) check(s *jsonscan.Scanner, res *result) {
	if len(res.groups) > 0 {
		g.checkGroups(s, res)
		return // "measurement" is not used
	}
	m := &res.single
	switch {
	case m.problem != nil:
	case !m.has && !g.missingAsZero:
		m.faulty(s.LeftError("missing number: measurement or measurements is required"))
	case len(g.key) == 0 && len(res.pairs) == 0:
		m.faulty(s.LeftError(noParams))
	}
}

// checkGroups fails if the measurements of a group have too many params, including the one that
// the group names.
func (g *grammar) checkGroups(s *jsonscan.Scanner, res *result) {
	max := g.limits.MaxParams
	if mergedLen(g.key, res.pairs, max-1) < max {
		return
	}
	for i := range res.groups {
		name := res.groups[i].name
		inKey := func(p traceid.Param) bool { return p.Key == name }
		if res.groups[i].items == 0 || slices.ContainsFunc(res.pairs, inKey) {
			continue
		}
		if _, ok := g.key.Find(name); !ok {
			s.FailLimit(s.LeftError, "MaxParams", int64(max), "params")
			return
		}
	}
}

// mergedLen returns the number of pairs in the merge of base and over. If it cannot exceed max,
// mergedLen may return a larger number, up to max.
func mergedLen(base, over traceid.Params, max int) int {
	n := len(base) + len(over)
	if n > max {
		for _, p := range over {
			if _, ok := base.Find(p.Key); ok {
				n--
			}
		}
	}
	return n
}

func compareKeys(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) }
