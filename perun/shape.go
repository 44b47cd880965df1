package perun

import (
	"cmp"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
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
//   - flat has the flattened fields of the resource that was read or matched last, field by field:
//     members[i] says which of them are from fields[i];
//   - params and attrs hold the texts of flat, of the header, and of the extras with the shape's
//     version of them. Each text has one place at most, to which flat[i].to points;
//   - which places there are depends only on the keys, on whether there is a type, and on whether
//     it has a unit. While these stay the same, a match only writes texts. Otherwise place makes
//     all places, from flat;
//   - fields has the values that were read, and not those that matched. Only its keys are used.

// A shape is an object of fields that was read, laid out as a record.
type shape struct {
	resource
	members []member // of fields

	flat          []flatField
	params, attrs traceid.Params
	pairs         []pair // scratch

	// The type and subtype, and the places of the type and the unit; nil: there is none.
	typ, subtype        string
	typeField, subField int // indices in flat; negative: none
	typeParam, unit     *string

	extras        []*string // places of the extras, in attrs; nil: a field overrides the extra
	extraKeys     []string
	extrasVersion int // of the extras' values

	usage  usage // of the object that was read; the memory that it charged is not in it
	record format.Record
	ids    delta.Layout // of params
}

// A flatField is an entry of the flattened fields.
type flatField struct {
	key, text string
	absent    bool    // a null that makes no param
	to        *string // its place in params or attrs; nil: there is none
}

func (f *flatField) set(text string) {
	f.text = text
	if f.to != nil {
		*f.to = text
	}
}

// A member has the properties of a shape's field.
type member struct {
	first, count int         // its entries in flat
	match        *nestedText // in the hole of a nested value
	role         role
}

// A role is the purpose of a field's value in a record.
type role byte

const (
	textRole   role = 1 << iota // a string, or a nested value
	numberRole                  // a number
	typeRole                    // with one of these: type or subtype, on which the unit depends
	amountRole
)

// shapes has the shapes that were read.
type shapes struct {
	*grammar
	forms  jsonscan.Forms[shape]
	flat   Fields // scratch
	nested nestedTable

	// What the shapes were laid out with.
	of       headerParams
	ofLimits format.Limits
}

// headerParams are the values of a header that records depend on.
type headerParams struct {
	params [5]traceid.Param
	units  traceid.Params
}

// begin prepares for a profile with the header. It keeps shapes of earlier profiles if they have
// the same meaning in this one.
func (t *shapes) begin(g *grammar) {
	if t.grammar == nil {
		t.grammar, t.forms.Nested = g, t.matchNested
	}
	h := &g.header
	p := headerParams{h.params(), h.Units}
	if g.limits != t.ofLimits {
		t.nested.values = nil
	} else if p.params == t.of.params && slices.Equal(p.units, t.of.units) {
		return
	}
	t.forms.Reset()
	t.of, t.ofLimits = p, g.limits
}

// read reads the object ahead and lays it out with the extras.
func (t *shapes) read(s *jsonscan.Scanner, needAmount bool) *shape {
	sh, match := t.forms.Next(s)
	if match != nil {
		if (sh.hasAmount || !needAmount) && t.update(sh, match, s) {
			return sh
		}
		sh = t.forms.Refuse(s)
	}

	sh.forRecord = true
	t.readResource(&sh.resource, s)
	if sh.fault == nil && s.Err() == nil {
		t.layOut(sh, s)
	}
	t.forms.Keep(s, sh.fault == nil)
	return sh
}

// layOut flattens the fields, and makes params and attrs of them and of the extras.
func (t *shapes) layOut(sh *shape, s *jsonscan.Scanner) {
	sh.members, sh.usage = sh.members[:0], usage{depth: 1}
	first, left := 0, t.limits.MaxStringBytes
	var e *format.Error
	t.flat, e = t.flatten(t.flat[:0], &sh.resource, s, len(t.inherited.fields), func(n, budget int) {
		f := &sh.fields[len(sh.members)]
		sh.members = append(sh.members, member{first: first, count: n - first, role: roleOf(f)})
		sh.usage.depth = max(sh.usage.depth, 1+f.Value.depth())
		if f.Value.kind >= KindList {
			sh.usage.flat += left - budget
		}
		first, left = n, budget
	})
	if e != nil {
		s.Fail(e)
		return
	}

	sh.flat = sh.flat[:0]
	for _, f := range t.flat {
		absent := f.Value.kind == KindNull && (f.Key == "uid" || f.Key == "type" || f.Key == "subtype")
		sh.flat = append(sh.flat, flatField{key: f.Key, text: f.Value.String(), absent: absent || f.Key == "amount"})
	}
	t.place(sh)
}

func roleOf(f *Field) role {
	role := textRole
	if f.Value.kind == KindNumber {
		role = numberRole
	}
	switch f.Key {
	case "amount":
		return amountRole
	case "type", "subtype":
		role |= typeRole
	}
	return role
}

// A pair is a param or attr with the place that points to its value.
type pair struct {
	traceid.Param
	place **string // nil: none needs it
}

// place makes params and attrs of the flattened fields, the extras and the header.
//
// Several of these may have the same key: the field "uid:line" and the member line of the field uid,
// or a column with such a name. They are sorted in a stable way, and the last one wins: so extras,
// which are added last, win over flattened fields, and later fields over earlier ones. Those that
// lose have no place, and later changes of their text have no effect, as in the slow path.
func (t *shapes) place(sh *shape) {
	h, x := &t.header, &t.inherited
	sh.typ, sh.subtype, sh.typeField, sh.subField = h.Type, "", -1, -1
	params, attrs := make([]pair, 0, 8), sh.pairs[:0]
	for i := range sh.flat {
		f := &sh.flat[i]
		if f.to = nil; f.absent {
			continue
		}
		p := pair{traceid.Param{Key: f.key, Value: f.text}, &f.to}
		switch f.key {
		case "uid":
			params = append(params, p)
		case "type":
			sh.typ, sh.typeField = cmp.Or(f.text, h.Type), i
		case "subtype":
			sh.subtype, sh.subField = f.text, i
			params = append(params, p)
		default:
			attrs = append(attrs, p)
		}
	}

	// A field with the key of an extra overrides it, even if its value is null.
	sh.extraKeys = sh.extraKeys[:0]
	sh.extras = slices.Grow(sh.extras[:0], len(x.fields))[:len(x.fields)]
	clear(sh.extras)
	for i, extra := range x.fields {
		sh.extraKeys = append(sh.extraKeys, extra.Key)
		if _, own := sh.fields.Get(extra.Key); !own && extra.Key != "amount" {
			attrs = append(attrs, pair{traceid.Param{Key: extra.Key, Value: x.texts[i]}, &sh.extras[i]})
		}
	}
	sh.extrasVersion = x.version

	sh.typeParam, sh.unit = nil, nil
	if sh.typ != "" {
		params = append(params, pair{traceid.Param{Key: "type", Value: sh.typ}, &sh.typeParam})
	}
	for _, p := range t.of.params[typeParam+1:] {
		if p.Value != "" {
			params = append(params, pair{Param: p})
		}
	}
	if unit := unitOf(h.Units, sh.typ, sh.subtype); unit != "" {
		params = append(params, pair{traceid.Param{Key: "unit", Value: unit}, &sh.unit})
	}
	sh.params, sh.attrs = sortPairs(sh.params, params), sortPairs(sh.attrs, attrs)
	sh.record.Source = sh.ids.Source(sh.params)
	sh.pairs = attrs
}

// sortPairs returns the pairs sorted, with the memory of dst, and sets their places. If several
// pairs have the same key, it keeps the last.
func sortPairs(dst traceid.Params, pairs []pair) traceid.Params {
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.Key, b.Key) })
	dst = slices.Grow(dst[:0], len(pairs)) // append must not move what places point to
	for i, p := range pairs {
		if i+1 < len(pairs) && pairs[i+1].Key == p.Key {
			continue
		}
		dst = append(dst, p.Param)
		if p.place != nil {
			*p.place = &dst[len(dst)-1].Value
		}
	}
	return dst
}

// update updates the shape with the changes of an object that matches the one that was read. It
// returns false if the object may exceed a limit: only readResource can report where.
func (t *shapes) update(sh *shape, match *forms.Match, s *jsonscan.Scanner) bool {
	// A change is in a field that was bound: a number, a string without escape sequences, or a nested
	// value that has the same entries. Nulls, booleans and other values are in the text of the form.
	used, x := sh.usage, &t.inherited
	retyped := false // the type or subtype may have changed
	for i := range match.Changes() {
		m := &sh.members[match.Tag(i).Index]
		if m.match != nil {
			used.memory += m.match.usage.memory
			used.flat += m.match.usage.flat
			used.depth = max(used.depth, 1+m.match.usage.depth)
			// takes compared the keys: there is a text for each entry of the member.
			for j, text := range m.match.texts {
				sh.flat[m.first+j].set(text)
			}
			retyped = retyped || m.role&typeRole != 0
			continue
		}

		f := &sh.flat[m.first]
		switch m.role {
		case amountRole:
			sh.amount = match.Number(i)
		case numberRole:
			// Most numbers are new, such as addresses. They are not worth a search in a table.
			f.set(numbers.Python(t.strings.New(match.Text(i))))
		case numberRole | typeRole:
			f.set(numbers.Python(t.strings.String(match.Text(i))))
			retyped = true
		default:
			// Comparing the text costs less than finding its string.
			if f.text != string(match.Text(i)) {
				f.set(t.strings.String(match.Text(i)))
				retyped = retyped || m.role&typeRole != 0
			}
		}
	}

	// The places are missing for other keys of extras, such as another type's columns. For other
	// values of the same extras, inherit sets the texts.
	sameKey := func(key string, f Field) bool { return key == f.Key }
	if retyped && !t.retype(sh) ||
		sh.extrasVersion != x.version && !slices.EqualFunc(sh.extraKeys, x.fields, sameKey) {
		t.place(sh)
	}

	// The form charged what the object that was learned did, without what nested values differ in.
	// The sums count some values twice, so they are upper bounds. Above a limit, the slow path decides.
	// It may leave the shape to later objects, so the shape is consistent by now.
	return int64(used.memory) <= s.Left() && used.flat <= t.limits.MaxStringBytes &&
		s.Depth()+used.depth <= t.limits.MaxDepth && len(sh.flat)+len(x.fields) <= t.limits.MaxParams
}

// retype sets the shape's type, subtype and unit. It returns false if a place for one of them is
// missing, or too many.
func (t *shapes) retype(sh *shape) bool {
	h := &t.header
	typ, subtype := h.Type, ""
	if sh.typeField >= 0 {
		typ = cmp.Or(sh.flat[sh.typeField].text, typ)
	}
	if sh.subField >= 0 {
		subtype = sh.flat[sh.subField].text
	}
	unit := unitOf(h.Units, typ, subtype)
	if (typ != "") != (sh.typeParam != nil) || (unit != "") != (sh.unit != nil) {
		return false
	}

	sh.typ, sh.subtype = typ, subtype
	if sh.typeParam != nil {
		*sh.typeParam = typ
	}
	if sh.unit != nil {
		*sh.unit = unit
	}
	return true
}

// inherit sets the shape's attrs to the values of the extras.
func (t *shapes) inherit(sh *shape) {
	x := &t.inherited
	if sh.extrasVersion == x.version {
		return
	}
	sh.extrasVersion = x.version
	for i, to := range sh.extras {
		if to != nil {
			*to = x.texts[i]
		}
	}
}

// matchNested returns the length of the nested value that b begins with, if it has the same
// entries as the value that was read for the shape's field with the tag. It is a
// forms.NestedFunc.
func (t *shapes) matchNested(sh *shape, tag forms.Tag, b []byte) (length int) {
	m := &sh.members[tag.Index]
	key := sh.fields[tag.Index].Key
	if key == "trace" && b[0] != '[' {
		return 0 // readResource reports it
	}
	v, length := t.nested.find(t.grammar, key, b)
	switch {
	case length == 0:
		return -1
	case v == nil || !m.takes(sh, v):
		return 0
	}
	m.match = v
	return length
}

// takes reports whether a value has the entries of the member. If so, the value shares the keys of
// an earlier match, so that the next comparison is one of pointers.
func (m *member) takes(sh *shape, v *nestedText) bool {
	same := func(key string, f flatField) bool { return key == f.key }
	switch {
	case m.match != nil && &v.keys[0] == &m.match.keys[0]:
	case !slices.EqualFunc(v.keys, sh.flat[m.first:][:m.count], same):
		return false
	case m.match != nil:
		v.keys = m.match.keys
	}
	return true
}
