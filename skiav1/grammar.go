package skiav1

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/forms"
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
	items int  // number of items, including those with a problem
	means bool // the param that it names says what its values mean
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
// that each element takes.
const (
	groupCost = 80
	itemCost  = 64
	nameCost  = 16 // of a member that is not part of the format
	pairCost  = skiadoc.PairCost
)

// A grammar reads results. In validation, it reports to the Validation, and leaves nothing out:
// faults and problems are nil.
type grammar struct {
	skiadoc.Grammar
	missingAsZero bool

	// The file's key and links, which results inherit. MaxParams includes them.
	key, links traceid.Params

	indices []int // in validation, of the result's items in their arrays
}

// read reads the result ahead into res.
func (g *grammar) read(s *jsonscan.Scanner, res *result) {
	*res = result{pairs: res.pairs[:0], groups: res.groups[:0], items: res.items[:0], links: res.links[:0]}
	res.single.offset = s.Offset()

	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case g.isZero(kind):
		if len(g.key) == 0 {
			leaveOut(&res.single.problem, s.Error(noParams))
		}
		s.Null()
		return
	default:
		leaveOut(&res.fault, g.WrongType(s, "object"))
		return
	}

	var seen members
	for member, kind := range s.KnownMembers(resultMembers) {
		seen.add(member)

		switch member {
		case resultKey:
			g.readKey(s, res, kind)
		case resultMeasurement:
			g.readNumber(s, &res.single, kind, forms.Tag{Field: singleNumber})
		case resultMeasurements:
			g.readMeasurements(s, res, kind)
			if kind == jsonscan.Object && len(res.groups) == 0 {
				seen &^= 1 << resultMeasurements // it is treated as absent
			}
		default:
			g.skipUnknown(s)
		}
	}

	if s.Err() == nil && res.fault == nil {
		g.check(s, res, seen)
	}
}

// A members is a set of known members of an object.
type members uint

func (m *members) add(member int)     { *m |= 1 << uint(member) } // no bit for -1, an unknown one
func (m members) has(member int) bool { return m&(1<<uint(member)) != 0 }

// isZero reports whether a result or measurement of the kind is read as one whose number is 0.
func (g *grammar) isZero(kind jsonscan.Kind) bool {
	return kind == jsonscan.Null && g.missingAsZero && g.Validation == nil
}

// skipUnknown reads the value of a member of a result that is not part of the format.
func (g *grammar) skipUnknown(s *jsonscan.Scanner) {
	if v := g.Validation; v != nil && v.Listing() {
		message := fmt.Sprintf("Additional property %s is not allowed", s.Name())
		v.Add(s.ErrorAt(s.NamePosition(), s.OpenError("").Path, message))
	}
	s.Charge(nameCost)
	s.Skip()
}

// update takes the fields of a result that matches the one that res was read from.
func (g *grammar) update(res *result, match *forms.Match) {
	res.single.offset = match.Offset()
	for i := range match.Changes() {
		switch tag := match.Tag(i); tag.Field {
		case keyValue:
			g.SetText(&res.pairs[tag.Index].Value, match.Text(i))
		case singleNumber:
			res.single.number = match.Number(i)
		case itemValue:
			g.SetText(&res.items[tag.Index].value, match.Text(i))
		case itemNumber:
			m := &res.items[tag.Index]
			m.number, m.offset = match.Number(i), match.Start(i)
		case linkValue:
			g.SetText(&res.links[tag.Index].Value, match.Text(i))
		}
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

// leaveOut makes e, if it is not nil, the reason why a result or measurement is left out, unless it has one.
func leaveOut(reason **format.Error, e *format.Error) {
	if e != nil && *reason == nil {
		e.Severity = format.Recoverable
		*reason = e
	}
}

// readKey reads the result's key.
func (g *grammar) readKey(s *jsonscan.Scanner, res *result, kind jsonscan.Kind) {
	if g.Absent(s, kind) {
		return
	}
	var fault *format.Error
	res.pairs, fault = g.ReadPairs(s, res.pairs, keyValue, true)
	if max := g.Limits.MaxParams; fault == nil && mergedLen(g.key, res.pairs, max) > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "params")
	}
	leaveOut(&res.fault, fault)
}

// readNumber reads the value of a member "measurement" and binds it.
func (g *grammar) readNumber(s *jsonscan.Scanner, m *measurement, kind jsonscan.Kind, tag forms.Tag) {
	skipped, fault := g.SkipNaN(s)
	switch {
	case skipped:
	case kind == jsonscan.Null && g.missingAsZero && g.Validation != nil:
		g.Validation.AddWarning(s.Error("null is read as 0"))
		m.has = s.Null()
	case g.Absent(s, kind):
	default:
		if m.number, m.has, fault = g.ReadNumber(s, kind, skiadoc.Measured); m.has {
			s.Bind(tag, m.offset)
		}
	}
	leaveOut(&m.problem, fault)
}

// readMeasurements reads the value of "measurements".
func (g *grammar) readMeasurements(s *jsonscan.Scanner, res *result, kind jsonscan.Kind) {
	if g.Absent(s, kind) {
		return
	}
	if kind != jsonscan.Object {
		leaveOut(&res.fault, g.WrongType(s, "object"))
		return
	}

	for name, kind := range s.Members() {
		if res.fault != nil {
			s.SkipForgiving() // nothing of the result is yielded
			continue
		}
		if !s.Charge(groupCost) {
			return
		}

		group := group{name: g.Strings.String(name)}
		group.means = skiadoc.IsMeaning(group.name)
		res.groups = append(res.groups, group)
		g.WarnName(s, group.name)
		before := len(res.items)

		switch {
		case kind == jsonscan.Array:
			s.EnterArray()
			for i := 0; s.Element(); i++ {
				if res.fault != nil {
					s.SkipForgiving()
					continue
				}
				links := len(res.links)
				g.readItem(s, res)
				// Validation keeps only what has a trace: there may be many others.
				switch n := len(res.items) - 1; {
				case g.Validation == nil || n < 0:
				case res.items[n].has:
					g.indices = append(g.indices[:n], i)
				default:
					res.items, res.links = res.items[:n], res.links[:links]
				}
			}
		case !g.Absent(s, kind):
			leaveOut(&res.fault, g.WrongType(s, "array"))
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
	res.items = append(res.items, measurement{offset: s.Offset()})
	m := &res.items[index]

	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case g.isZero(kind):
		s.Null()
		return
	default:
		leaveOut(&m.problem, g.WrongType(s, "object"))
		res.countProblem(s, m)
		return
	}

	var seen members
	for member, kind := range s.KnownMembers(itemMembers) {
		seen.add(member)
		switch member {
		case itemParam:
			g.readValue(s, m, kind, forms.Tag{Field: itemValue, Index: index})
		case itemMeasurement:
			g.readNumber(s, m, kind, forms.Tag{Field: itemNumber, Index: index})
		case itemLinks:
			g.readLinks(s, res, m, kind)
		default:
			g.skipUnknown(s)
		}
	}

	switch {
	case s.Err() != nil:
	case g.Validation != nil:
		g.reportItem(s, m, seen)
	case m.problem == nil && !m.has && !g.missingAsZero:
		leaveOut(&m.problem, s.LeftError("missing number: measurement is required"))
	}
	res.countProblem(s, m)
}

// readValue reads the value of the param that a measurement's group names, and binds it.
func (g *grammar) readValue(s *jsonscan.Scanner, m *measurement, kind jsonscan.Kind, tag forms.Tag) {
	switch {
	case kind == jsonscan.String:
		if text, ok := s.Text(); ok {
			g.SetText(&m.value, text)
			s.Bind(tag, m.offset)
			g.WarnText(s, m.value)
		}
	case g.Absent(s, kind):
		m.value = ""
	default:
		leaveOut(&m.problem, g.WrongType(s, "string"))
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
		leaveOut(&res.fault, &e)
	}
}

// readLinks reads the links of a measurement.
func (g *grammar) readLinks(s *jsonscan.Scanner, res *result, m *measurement, kind jsonscan.Kind) {
	if g.Absent(s, kind) {
		return
	}
	before := len(res.links)
	links, fault := g.ReadPairs(s, res.links, linkValue, false)
	if fault != nil {
		leaveOut(&m.problem, fault)
		return
	}
	res.links, m.links = links, int32(len(links)-before)
	if max := g.Limits.MaxParams; mergedLen(g.links, links[before:], max) > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "links")
	}
}

const noParams = "the measurement has no params"

// check checks the result that was just left. It has the members that were seen.
func (g *grammar) check(s *jsonscan.Scanner, res *result, seen members) {
	// The measurements of a group have the param that the group names, too.
	if max := g.Limits.MaxParams; mergedLen(g.key, res.pairs, max-1) >= max {
		for i := range res.groups {
			name := res.groups[i].name
			_, has := g.key.Find(name)
			has = has || slices.ContainsFunc(res.pairs, func(p traceid.Param) bool { return p.Key == name })
			if res.groups[i].items > 0 && !has {
				s.FailLimit(s.LeftError, "MaxParams", int64(max), "params")
				return
			}
		}
	}

	m := &res.single
	switch {
	case s.Err() != nil:
	case g.Validation != nil:
		g.reportResult(s, res, seen)
	case len(res.groups) > 0: // "measurement" is not used
	case m.problem != nil:
	case !m.has && !g.missingAsZero:
		leaveOut(&m.problem, s.LeftError("missing number: measurement or measurements is required"))
	case len(g.key) == 0 && len(res.pairs) == 0:
		leaveOut(&m.problem, s.LeftError(noParams))
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
