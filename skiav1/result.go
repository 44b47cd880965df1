package skiav1

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A result is read as a whole before anything of it is yielded: only then is it known that it has no fault, and
// what its key is, which may come last. All memory is used again for a later result. So are the strings, where
// they are the same: each is first compared with the one that the result before had in the same place.
//
// What is here reads any result; match.go reads those that resemble the one before, and records.go makes the records.

// A result is what was read of one.
type result struct {
	fault *format.Error // for which the result is left out

	pairs  []traceid.Param // its key, in the order of the file
	base   traceid.Params  // the file's key overlaid with pairs
	slots  []int           // where each of pairs stands in base
	shaped bool            // slots hold for pairs, whatever the values
	keyed  bool            // it has a key

	template jsonscan.Template
	targets  []target // of the template's holes, in the order of the file
	charged  int      // for what the template was made of; see the costs below

	single  single          // "measurement"
	groups  []group         // "measurements"
	laidOut bool            // the groups' params are
	items   []single        // of all groups
	links   []traceid.Param // of all items

	record   format.Record
	merged   format.Links   // of record, if it has any of its own
	shared   traceid.Params // of record, if there are many groups
	problems int            // measurements that are left out
}

// A group is a name in "measurements".
type group struct {
	name  string
	items int // how many it has, those with a problem included

	// Of its records, laid out when the first of them is wanted, if there are few groups:
	params    traceid.Params
	at        int  // of the param with the group's name
	overrides bool // base has that param too
}

// A single is one measurement.
type single struct {
	value   string // of the param that its group names
	number  float64
	has     bool          // a number was there
	links   int           // how many it has of its own
	offset  int64         // of its object
	problem *format.Error // for which it is left out
}

// What is counted against MaxResultBytes, besides the text, of what is held: about the bytes that it takes. The validator
// counts the same, so that what it accepts is read.
const (
	groupCost = 80
	itemCost  = 64
	nameCost  = 16 // of a member that the format doesn't have
	pairCost  = skiadoc.PairCost
)

// readAnyResult reads the result ahead, whatever it is like.
func (r *Reader) readAnyResult() {
	s, res := r.doc.Scan, r.result
	res.fault = nil
	res.keyed, res.laidOut = false, false
	res.problems = 0
	res.groups, res.items, res.links = res.groups[:0], res.items[:0], res.links[:0]
	res.single = single{offset: s.Offset()}
	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case kind == jsonscan.Null && r.MissingAsZero:
		if len(r.doc.Header.Key) == 0 {
			res.single.faulty(s.Error(noParams))
		}
		s.Null()
		return
	default:
		r.faulty(s.SkipTypeError("object"))
		return
	}
	var seen members
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		var m members
		switch string(name) {
		case "key":
			m = memberKey
		case "measurement":
			m = memberMeasurement
		case "measurements":
			m = memberMeasurements
		default:
			if r.firstUnknown(&seen, name, 0) {
				s.Skip()
			}
			continue
		}
		if !r.first(m, &seen, name) {
			return
		}
		switch {
		case m == memberMeasurement:
			if r.readNumber(&res.single, kind) {
				res.addTarget(target{what: singleNumber})
			}
		case kind == jsonscan.Null:
			s.Null()
		case m == memberKey:
			r.readKey()
		case m == memberMeasurements:
			r.readMeasurements(kind)
		}
	}
	if s.Err() == nil && res.fault == nil {
		r.completeResult()
	}
}

// first adds a member of the format, whose name was read just now, to those seen of an object. If it was there
// already, it fails the scanner and returns false.
func (r *Reader) first(m members, seen *members, name []byte) bool {
	if *seen&m == 0 {
		*seen |= m
		return true
	}
	return r.doc.Scan.FailRepeated(name)
}

// firstUnknown is first for a member that the format doesn't have, of an object on the given level.
func (r *Reader) firstUnknown(seen *members, name []byte, level int) bool {
	names := &r.unknown[level]
	if *seen&skiadoc.Unknown == 0 {
		*seen |= skiadoc.Unknown
		names.Reset()
	}
	if !names.Add(r.doc.Scan, name) {
		return r.doc.Scan.FailRepeated(name)
	}
	return r.doc.Scan.Charge(nameCost)
}

// faulty has the result left out because of e.
func (r *Reader) faulty(e *format.Error) {
	e.Recoverable = true
	if r.result.fault == nil {
		r.result.fault = e
	}
}

// faulty has the measurement left out because of e.
func (m *single) faulty(e *format.Error) {
	e.Recoverable = true
	if m.problem == nil {
		m.problem = e
	}
}

// readKey reads the result's key.
func (r *Reader) readKey() {
	res := r.result
	pairs, same, fault := r.readPairs(res.pairs[:0], res.pairs)
	res.pairs = pairs
	res.keyed = true
	for i := range pairs {
		res.addTarget(target{what: pairValue, index: i})
	}
	if fault != nil {
		res.shaped = false
		r.faulty(fault)
		return
	}
	if res.shaped && (same || res.reorder()) {
		for i := range pairs {
			res.base[res.slots[i]].Value = pairs[i].Value
		}
		return
	}
	r.sorted = append(r.sorted[:0], pairs...)
	slices.SortFunc(r.sorted, compareKeys)
	res.base = traceid.AppendMerge(res.base[:0], r.doc.Header.Key, r.sorted)
	res.slots = res.slots[:0]
	for _, p := range pairs {
		i, _ := res.base.Find(p.Key)
		res.slots = append(res.slots, i)
	}
	res.shaped = true
	if max := r.Limits.MaxParams; len(res.base) > max {
		r.doc.Scan.FailLimit(r.doc.Scan.LeftError, "MaxParams", int64(max), "params")
	}
}

// reorder reports whether the pairs have the same keys as those that slots were made for, in whatever order, and puts
// slots in their order.
func (res *result) reorder() bool {
	if len(res.pairs) != len(res.slots) || len(res.pairs) > 16 {
		return false // or it would take longer than to sort them
	}
	for i := range res.pairs {
		j := i
		for res.base[res.slots[j]].Key != res.pairs[i].Key {
			if j++; j == len(res.slots) {
				return false
			}
		}
		res.slots[i], res.slots[j] = res.slots[j], res.slots[i]
	}
	return true
}

// readPairs reads an object whose values are strings, or null, which counts as absent. It appends the pairs to dst,
// in the order of the file. Strings are taken from hint, which may share the memory of dst, where they are the
// same; same tells that the keys of hint are exactly those of the pairs. The fault is a value of a wrong type.
func (r *Reader) readPairs(dst, hint []traceid.Param) (pairs []traceid.Param, same bool, fault *format.Error) {
	s := r.doc.Scan
	if s.Kind() != jsonscan.Object {
		return dst, false, s.SkipTypeError("object")
	}
	first := len(dst)
	tracked := false // the keys go into r.names, to find one that repeats; those of the hint are all different
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if !s.Charge(pairCost) {
			break
		}
		n := len(dst) - first
		if !tracked && !(n < len(hint) && hint[n].Key == string(name)) {
			tracked = true
			r.track(dst[first:])
		}
		var p traceid.Param
		if !tracked {
			p.Key = hint[n].Key
		} else if p.Key = r.strings.String(name); !r.names.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			break
		}
		if kind != jsonscan.String {
			if kind == jsonscan.Null {
				s.Null()
			} else if e := s.SkipTypeError("string"); fault == nil {
				fault = e
			}
			if !tracked {
				tracked = true
				r.track(append(dst[first:len(dst):len(dst)], p))
			}
			continue
		}
		text, ok := s.Text()
		if !ok {
			break
		}
		if n < len(hint) && hint[n].Value == string(text) {
			p.Value = hint[n].Value
		} else {
			p.Value = r.strings.String(text)
		}
		if n >= r.Limits.MaxParams {
			s.FailLimit(s.TokenError, "MaxParams", int64(r.Limits.MaxParams), "params or links")
			break
		}
		dst = append(dst, p)
	}
	return dst, !tracked && len(dst)-first == len(hint), fault
}

// track makes r.names the set of the pairs' keys.
func (r *Reader) track(pairs []traceid.Param) {
	r.names.Reset()
	for _, p := range pairs {
		r.names.Add(r.doc.Scan, []byte(p.Key))
	}
}

// readNumber reads the value of a member "measurement". It returns whether that is a number.
func (r *Reader) readNumber(m *single, kind jsonscan.Kind) bool {
	s := r.doc.Scan
	switch {
	case s.SkipNaN():
		m.faulty(s.TokenError(skiadoc.NaNMessage(s.Token())))
		return false
	case kind == jsonscan.Null:
		s.Null()
		return false
	case kind != jsonscan.Number:
		m.faulty(s.SkipTypeError("number"))
		return false
	}
	m.number, m.has = s.Number()
	if math.IsInf(m.number, 0) {
		m.faulty(s.TokenError("the number is out of float64's range"))
	}
	return true
}

// readMeasurements reads the value of "measurements".
func (r *Reader) readMeasurements(kind jsonscan.Kind) {
	s, res := r.doc.Scan, r.result
	if kind != jsonscan.Object {
		r.faulty(s.SkipTypeError("object"))
		return
	}
	r.groupNames.Reset()
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return
		}
		if !r.groupNames.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			return
		}
		if res.fault != nil {
			s.Skip() // nothing of the result is yielded
			continue
		}
		if !s.Charge(groupCost) {
			return
		}
		n := len(res.groups)
		res.groups = extend(res.groups)
		if g := &res.groups[n]; g.name != string(name) {
			g.name = r.strings.String(name)
		}
		before := len(res.items)
		switch kind {
		case jsonscan.Array:
			for s.EnterArray(); s.Element(); {
				if res.fault == nil {
					r.readSingle()
				} else {
					s.Skip()
				}
			}
		case jsonscan.Null:
			s.Null()
		default:
			r.faulty(s.SkipTypeError("array"))
		}
		res.groups[n].items = len(res.items) - before
	}
}

// extend makes the slice one longer. The new element still has what it had when the slice was longer before.
func extend[E any](s []E) []E {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero E
	return append(s, zero)
}

// maxProblems is how many measurements of a result are left out one by one. A result with more of them is left out
// as a whole, so that it can't take much more memory than its text.
const maxProblems = 1000

// readSingle reads an element of an array in "measurements".
func (r *Reader) readSingle() {
	s, res := r.doc.Scan, r.result
	if !s.Charge(itemCost) {
		return
	}
	index := len(res.items)
	res.items = extend(res.items)
	m := &res.items[index]
	last := m.value
	*m = single{offset: s.Offset()}
	switch kind := s.Kind(); {
	case kind == jsonscan.Object:
	case kind == jsonscan.Null && r.MissingAsZero:
		s.Null()
		return
	default:
		m.faulty(s.SkipTypeError("object"))
		r.countProblem(m)
		return
	}
	var seen members
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		var member members
		switch string(name) {
		case "value":
			member = memberValue
		case "measurement":
			member = memberMeasurement
		case "links":
			member = memberLinks
		default:
			if r.firstUnknown(&seen, name, 1) {
				s.Skip()
			}
			continue
		}
		if !r.first(member, &seen, name) {
			return
		}
		switch {
		case member == memberMeasurement:
			if r.readNumber(m, kind) {
				res.addTarget(target{what: itemNumber, index: index})
			}
		case kind == jsonscan.Null:
			s.Null()
		case member == memberLinks:
			r.readLinks(m)
		case kind != jsonscan.String:
			m.faulty(s.SkipTypeError("string"))
		default:
			if text, _ := s.Text(); string(text) == last {
				m.value = last
			} else {
				m.value = r.strings.String(text)
			}
			res.addTarget(target{what: itemValue, index: index})
		}
	}
	if s.Err() == nil && m.problem == nil && !m.has && !r.MissingAsZero {
		m.faulty(s.LeftError("there is no number: measurement is required"))
	}
	r.countProblem(m)
}

func (r *Reader) countProblem(m *single) {
	res := r.result
	if m.problem == nil || r.doc.Scan.Err() != nil {
		return
	}
	if res.problems++; res.problems > maxProblems {
		e := *m.problem
		e.Message = fmt.Sprintf("more than %d measurements of the result are faulty: all of it is left out", maxProblems)
		r.faulty(&e)
	}
}

func (r *Reader) readLinks(m *single) {
	res := r.result
	before := len(res.links)
	links, _, fault := r.readPairs(res.links, nil)
	if fault != nil {
		m.faulty(fault)
		return
	}
	slices.SortFunc(links[before:], compareKeys)
	res.links, m.links = links, len(links)-before
	if max := r.Limits.MaxParams; mergedLen(r.doc.Header.Links, links[before:], max) > max {
		s := r.doc.Scan
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "links")
	}
}

// mergedLen returns how many pairs base and over have together, or a number that isn't above max if that isn't.
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

// completeResult looks at the result as a whole, which was left just now.
func (r *Reader) completeResult() {
	s, res := r.doc.Scan, r.result
	if len(res.groups) > 0 {
		r.checkGroups()
		return // measurement, if there is one, is not used
	}
	m := &res.single
	switch {
	case m.problem != nil:
	case !m.has && !r.MissingAsZero:
		m.faulty(s.LeftError("there is no number: measurement or measurements is required"))
	case len(r.resultParams()) == 0:
		m.faulty(s.LeftError(noParams))
	}
}

const noParams = "the measurement has no params"

// checkGroups fails if the measurements of a group have too many params, with that which the group names.
func (r *Reader) checkGroups() {
	s, res := r.doc.Scan, r.result
	base, max := r.resultParams(), r.Limits.MaxParams
	if len(base) < max {
		return
	}
	for i := range res.groups {
		if g := &res.groups[i]; g.items > 0 {
			if _, ok := base.Find(g.name); !ok {
				s.FailLimit(s.LeftError, "MaxParams", int64(max), "params")
				return
			}
		}
	}
}
