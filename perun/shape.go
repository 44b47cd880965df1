package perun

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// This is the fast path for resources that are objects, and for the entries of the resource type
// map. Most of a profile's resources differ from an earlier one only in numbers and some strings,
// so they are read by comparing text: see package forms. A uid or trace is one field, whatever
// its text: see nested.go. The slow path is readResource and layOut. With it alone, reading
// snapshots takes 4 times as many instructions.
//
// Invariants of a shape that was laid out without a fault:
//
//   - keys and texts are the flattened fields of the resource that was read or matched last, field by
//     field: those of fields[i] begin at members[i].first. A text is where it is needed, in attrs, so
//     a match only writes texts;
//   - where they are depends only on the keys, which are those of all resources that match, and on the
//     keys of the extras. If these change, arrange finds other places;
//   - fields has the values that were read, and not those that matched. Only its keys, and the kinds
//     of its values, are used.

// A shape is an object of fields that was read, with what a record of it has.
type shape struct {
	resource
	members []member  // of fields
	keys    []string  // of the flattened fields
	texts   []*string // in attrs, or in own
	own     []string  // for each of the flattened fields; the fields in attrs are not up to date

	uid, typ, subtype *string // nil: there is none
	extraKeys         []string
	extras            []*string // their places in attrs; nil: a field overrides the extra
	params, attrs     traceid.Params
	ids               delta.Layout // of params
	record            format.Record

	// What params was made of, and the place of the uid in it.
	profile      int
	ofTyp, ofSub string
	uidParam     int

	flat, depth int // bytes of nested values when they are flattened; arrays and objects in each other
}

// A member is what a field of a shape has in the flattened fields.
type member struct {
	first int         // index of its first entry
	match *nestedText // of an array or object that matched
}

// shapes has the shapes that were read.
type shapes struct {
	*grammar
	forms   jsonscan.Forms[shape]
	flat    Fields // scratch
	nested  nestedTable
	limits  format.Limits // with which the shapes were laid out
	profile int           // its number
}

// begin prepares for another profile. It keeps the shapes of earlier ones, on which headers have no
// effect.
func (t *shapes) begin(g *grammar) {
	if t.grammar == nil {
		t.grammar, t.forms.Nested = g, t.matchNested
	}
	t.profile++
	if g.limits != t.limits {
		t.forms.Reset()
		t.nested.values, t.limits = nil, g.limits
	}
}

// read reads the object ahead and lays it out with the extras.
func (t *shapes) read(s *jsonscan.Scanner, needAmount bool) *shape {
	sh, match := t.forms.Next(s)
	if match != nil {
		if (sh.hasAmount || !needAmount) && t.update(sh, match, s) {
			t.fill(sh)
			return sh
		}
		sh = t.forms.Refuse(s)
	}

	sh.forRecord = true
	t.readResource(&sh.resource, s)
	if sh.fault == nil && s.Err() == nil && t.layOut(sh, s) {
		t.fill(sh)
	}
	t.forms.Keep(s, sh.fault == nil)
	return sh
}

// layOut flattens the fields. It fails s, and returns false, if they are too large.
func (t *shapes) layOut(sh *shape, s *jsonscan.Scanner) bool {
	var err *format.Error
	t.flat, err = t.flatten(t.flat[:0], &sh.resource, s, len(t.inherited.fields))
	if err != nil {
		s.Fail(err)
		return false
	}

	sh.members, sh.depth, sh.flat = sh.members[:0], 1, t.limits.MaxStringBytes-t.flattener.budget
	for i := range sh.fields {
		first := 0
		if i > 0 {
			first = t.ends[i-1]
		}
		sh.members = append(sh.members, member{first: first})
		sh.depth = max(sh.depth, 1+sh.fields[i].Value.depth())
	}

	sh.keys, sh.own, sh.texts = sh.keys[:0], slices.Grow(sh.own[:0], len(t.flat)), sh.texts[:0]
	for i, f := range t.flat {
		sh.keys, sh.own = append(sh.keys, f.Key), append(sh.own, f.Value.String())
		sh.texts = append(sh.texts, &sh.own[i])
	}
	t.arrange(sh)
	return true
}

// arrange makes attrs of the flattened fields and of the extras, and finds the ones that become
// params.
//
// Several of these may have the same key: the field "uid:line" and the member line of the field uid,
// or a column with such a name. The last one wins: so extras, which come last, win over flattened
// fields, and later fields over earlier ones.
func (t *shapes) arrange(sh *shape) {
	type attr struct {
		traceid.Param
		place **string // that points to its value
	}
	var attrs []attr
	sh.uid, sh.typ, sh.subtype, sh.profile = nil, nil, nil, 0
	for i, key := range sh.keys {
		sh.own[i] = *sh.texts[i]
		sh.texts[i] = &sh.own[i]
		to := &sh.uid

		switch key {
		case "uid":
		case "type":
			to = &sh.typ
		case "subtype":
			to = &sh.subtype
		case "amount":
			continue
		default:
			attrs = append(attrs, attr{traceid.Param{Key: key, Value: sh.own[i]}, &sh.texts[i]})
			continue
		}

		if v, _ := sh.fields.Get(key); v.kind != kindNull { // it makes no param
			*to = sh.texts[i]
		}
	}

	x := &t.inherited
	sh.extraKeys, sh.extras = sh.extraKeys[:0], slices.Grow(sh.extras[:0], len(x.fields))[:len(x.fields)]
	clear(sh.extras)
	for i, f := range x.fields {
		sh.extraKeys = append(sh.extraKeys, f.Key)
		// A field with the key of an extra overrides it, even if its value is null.
		if _, own := sh.fields.Get(f.Key); !own && f.Key != "amount" {
			attrs = append(attrs, attr{traceid.Param{Key: f.Key}, &sh.extras[i]})
		}
	}

	slices.SortStableFunc(attrs, func(a, b attr) int { return strings.Compare(a.Key, b.Key) })
	sh.attrs = slices.Grow(sh.attrs[:0], len(attrs)) // append must not move what places point to
	for i, a := range attrs {
		if i+1 < len(attrs) && attrs[i+1].Key == a.Key {
			continue
		}
		sh.attrs = append(sh.attrs, a.Param)
		*a.place = &sh.attrs[len(sh.attrs)-1].Value
	}
}

// fill sets the attrs to the texts of the extras, and makes params of the texts and the header.
func (t *shapes) fill(sh *shape) {
	x := &t.inherited
	if !slices.EqualFunc(sh.extraKeys, x.fields, func(key string, f Field) bool { return key == f.Key }) {
		t.arrange(sh)
	}
	for i, to := range sh.extras {
		if to != nil {
			*to = x.texts[i]
		}
	}

	typ, subtype := t.header.Type, ""
	if sh.typ != nil {
		typ = cmp.Or(*sh.typ, typ)
	}
	if sh.subtype != nil {
		subtype = *sh.subtype
	}
	if sh.profile != t.profile || typ != sh.ofTyp || subtype != sh.ofSub {
		sh.profile, sh.ofTyp, sh.ofSub = t.profile, typ, subtype
		t.makeParams(sh)
	}
	if sh.uid != nil {
		sh.params[sh.uidParam].Value = *sh.uid
	}
}

// makeParams makes the params of a record with the type and subtype.
func (t *shapes) makeParams(sh *shape) {
	h := &t.header
	sh.params = sh.params[:0]
	add := func(key, value string, present bool) {
		if present {
			sh.params = append(sh.params, traceid.Param{Key: key, Value: value})
		}
	}
	add("args", h.Args, h.Args != "")
	add("cmd", h.Cmd, h.Cmd != "")
	add("collector", h.Collector.Name, h.Collector.Name != "")
	add("subtype", sh.ofSub, sh.subtype != nil)
	add("type", sh.ofTyp, sh.ofTyp != "")
	sh.uidParam = len(sh.params)
	add("uid", "", sh.uid != nil)
	unit := h.Unit(sh.ofTyp, sh.ofSub)
	add("unit", unit, unit != "")
	add("workload", h.Workload, h.Workload != "")
	sh.record.Unit, sh.record.Commit, sh.record.Source = unit, h.Origin, sh.ids.Source(sh.params)
}

// update updates the texts with the changes of an object that matches the one that was read. It
// returns false if the object may exceed a limit: only readResource can report where.
func (t *shapes) update(sh *shape, match *forms.Match, s *jsonscan.Scanner) bool {
	// A change is in a field that was bound: a number, a string without escape sequences, or a nested
	// value that has the same entries. Nulls, booleans and other values are in the text of the form.
	cost, depth := sh.flat, sh.depth
	for i := range match.Changes() {
		at := match.Tag(i).Index
		m, f := &sh.members[at], &sh.fields[at]
		text := sh.texts[m.first]
		switch {
		case f.Value.kind >= kindList:
			cost, depth = cost+m.match.cost, max(depth, 1+m.match.depth)
			for j, text := range m.match.texts { // matchNested compared the keys
				*sh.texts[m.first+j] = text
			}
		case f.Key == "amount":
			sh.amount = match.Number(i)
		case f.Value.kind == kindNumber:
			// Most numbers are new, such as addresses. They are not worth a search in a table.
			*text = pythonNumber(t.strings.New(match.Text(i)))
		case *text != string(match.Text(i)): // comparing the text costs less than finding its string
			*text = t.strings.String(match.Text(i))
		}
	}

	// The form charged what the object that was learned did, without what nested values differ in. The
	// sum counts some values twice, and both memory and flattened bytes, so it is an upper bound of
	// each. Above a limit, the slow path decides. It may leave the shape to later objects, so the
	// shape is consistent by now.
	return int64(cost) <= s.Left() && cost <= t.limits.MaxStringBytes &&
		s.Depth()+depth <= t.limits.MaxDepth && len(sh.texts)+len(t.inherited.fields) <= t.limits.MaxParams
}

// matchNested returns the length of the nested value that b begins with, if it has the same
// entries as the value that was read for the shape's field with the tag. It is a
// forms.NestedFunc.
func (t *shapes) matchNested(sh *shape, tag forms.Tag, b []byte) (length int) {
	m, key := &sh.members[tag.Index], sh.fields[tag.Index].Key
	if key == "trace" && b[0] != '[' {
		return 0 // readResource reports it
	}
	end := len(sh.keys)
	if next := tag.Index + 1; next < len(sh.members) {
		end = sh.members[next].first
	}

	v, length := t.nested.find(t.grammar, key, b)
	switch {
	case length == 0:
		return -1
	case v == nil || !slices.Equal(v.keys, sh.keys[m.first:end]):
		return 0
	}
	m.match = v
	return length
}
