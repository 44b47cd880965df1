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
// its text: see nested.go. The slow path is parse and layOut. With it alone, reading
// snapshots takes 4 times as many instructions.
//
// Invariants of a shape that was laid out without a fault:
//
//   - keys and texts are the flattened fields of the resource that was read or matched last, field by
//     field: those of fields[i] begin at members[i].first. After them, texts has those of the extras;
//   - which of them are attrs depends only on the keys, which are those of all resources that match, and
//     on the keys of the extras. If these change, arrange finds it out again;
//   - fields has the values that were read, and not those that matched. Only its keys, and the kinds
//     of its values, are used.

// A shape is an object of fields that was read, with what a record of it has.
type shape struct {
	resource
	members []member // of fields
	keys    []string // of the flattened fields
	texts   []string // of these, and of the extras

	extraKeys         []string
	attrs             traceid.Params
	from              []int // of each attr: the index of its text
	uid, typ, subtype int   // indices of texts; negative: there is none
	params            traceid.Params
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
	forms   jsonscan.Forms[shape]
	flat    Fields // scratch
	nested  nestedTable
	limits  format.Limits // with which the shapes were laid out
	profile int           // its number
}

// beginShapes prepares for another profile. It keeps the shapes of earlier ones, on which headers have
// no effect.
func (d *document) beginShapes() {
	t := &d.shapes
	if t.forms.Nested == nil {
		t.forms.Nested = d.matchNested
	}
	t.profile++
	if d.limits != t.limits {
		t.forms.Reset()
		t.nested.values, t.limits = nil, d.limits
	}
}

// readShape reads the object ahead and lays it out with the extras.
func (d *document) readShape(s *jsonscan.Scanner, needAmount bool) *shape {
	forms := &d.shapes.forms
	sh, match := forms.Next(s)
	if match != nil {
		if (sh.hasAmount || !needAmount) && d.update(sh, match, s) {
			d.fill(sh)
			return sh
		}
		sh = forms.Refuse(s)
	}

	sh.forRecord = true
	d.parse(&sh.resource, s)
	if sh.fault == nil && s.Err() == nil && d.layOut(sh, s) {
		d.fill(sh)
	}
	forms.Keep(s, sh.fault == nil)
	return sh
}

// layOut flattens the fields. It fails s, and returns false, if they are too large.
func (d *document) layOut(sh *shape, s *jsonscan.Scanner) bool {
	flat, err := d.flatten(d.shapes.flat[:0], &sh.resource, s, len(d.inherited.fields))
	d.shapes.flat = flat
	if err != nil {
		s.Fail(err)
		return false
	}

	sh.depth, sh.flat = 1, d.limits.MaxStringBytes-d.flattener.budget
	sh.members, sh.keys, sh.texts = sh.members[:0], sh.keys[:0], sh.texts[:0]
	first := 0
	for i, f := range flat {
		sh.keys, sh.texts = append(sh.keys, f.Key), append(sh.texts, f.Value.String())
		if field := &sh.fields[len(sh.members)]; field.Key == f.Key { // the last entry of the field
			sh.members = append(sh.members, member{first: first})
			sh.depth = max(sh.depth, 1+field.Value.depth())
			first = i + 1
		}
	}
	d.arrange(sh)
	return true
}

// arrange makes attrs of the flattened fields and of the extras, and finds the ones that become
// params.
//
// Several of these may have the same key: the field "uid:line" and the member line of the field uid,
// or a column with such a name. The last one wins: so extras, which come last, win over flattened
// fields, and later fields over earlier ones.
func (d *document) arrange(sh *shape) {
	type attr struct {
		key  string
		from int
	}
	var attrs []attr
	sh.uid, sh.typ, sh.subtype, sh.profile = -1, -1, -1, 0
	for i, key := range sh.keys {
		param := slices.Index([]string{"uid", "type", "subtype"}, key)
		if param < 0 && key != "amount" {
			attrs = append(attrs, attr{key, i})
		}
		if v, _ := sh.fields.Get(key); param >= 0 && !v.IsNull() { // null makes no param
			*[...]*int{&sh.uid, &sh.typ, &sh.subtype}[param] = i
		}
	}

	sh.extraKeys = sh.extraKeys[:0]
	for i, f := range d.inherited.fields {
		sh.extraKeys = append(sh.extraKeys, f.Key)
		// A field with the key of an extra overrides it, even if its value is null.
		if _, own := sh.fields.Get(f.Key); !own && f.Key != "amount" {
			attrs = append(attrs, attr{f.Key, len(sh.keys) + i})
		}
	}

	slices.SortStableFunc(attrs, func(a, b attr) int { return strings.Compare(a.key, b.key) })
	sh.attrs, sh.from = sh.attrs[:0], sh.from[:0]
	for i, a := range attrs {
		if i+1 == len(attrs) || attrs[i+1].key != a.key {
			sh.attrs, sh.from = append(sh.attrs, traceid.Param{Key: a.key}), append(sh.from, a.from)
		}
	}
}

// fill makes attrs of the texts, and params of the texts and the header.
func (d *document) fill(sh *shape) {
	x := &d.inherited
	if !slices.EqualFunc(sh.extraKeys, x.fields, func(key string, f Field) bool { return key == f.Key }) {
		d.arrange(sh)
	}
	sh.texts = append(sh.texts[:len(sh.keys)], x.texts...)
	for i, from := range sh.from {
		sh.attrs[i].Value = sh.texts[from]
	}

	typ, subtype := d.header.Type, ""
	if sh.typ >= 0 {
		typ = cmp.Or(sh.texts[sh.typ], typ)
	}
	if sh.subtype >= 0 {
		subtype = sh.texts[sh.subtype]
	}
	if sh.profile != d.shapes.profile || typ != sh.ofTyp || subtype != sh.ofSub {
		sh.profile, sh.ofTyp, sh.ofSub = d.shapes.profile, typ, subtype
		d.makeParams(sh)
	}
	if sh.uid >= 0 {
		sh.params[sh.uidParam].Value = sh.texts[sh.uid]
	}
}

// makeParams makes the params of a record with the type and subtype.
func (d *document) makeParams(sh *shape) {
	h := &d.header
	sh.params = sh.params[:0]
	add := func(key, value string, present bool) {
		if present {
			sh.params = append(sh.params, traceid.Param{Key: key, Value: value})
		}
	}
	add("args", h.Args, h.Args != "")
	add("cmd", h.Cmd, h.Cmd != "")
	add("collector", h.Collector.Name, h.Collector.Name != "")
	add("subtype", sh.ofSub, sh.subtype >= 0)
	add("type", sh.ofTyp, sh.ofTyp != "")
	sh.uidParam = len(sh.params)
	add("uid", "", sh.uid >= 0)
	unit := h.Unit(sh.ofTyp, sh.ofSub)
	add("unit", unit, unit != "")
	add("workload", h.Workload, h.Workload != "")
	sh.record.Unit, sh.record.Commit, sh.record.Source = unit, h.Origin, sh.ids.Source(sh.params)
}

// update updates the texts with the changes of an object that matches the one that was read. It
// returns false if the object may exceed a limit: only parse can report where.
func (d *document) update(sh *shape, match *forms.Match, s *jsonscan.Scanner) bool {
	// A change is in a field that was bound: a number, a string without escape sequences, or a nested
	// value that has the same entries. Nulls, booleans and other values are in the text of the form.
	cost, depth := sh.flat, sh.depth
	for i := range match.Changes() {
		at := match.Tag(i).Index
		m, f := &sh.members[at], &sh.fields[at]
		text := &sh.texts[m.first]
		switch {
		case f.Value.kind >= jsonscan.Array:
			cost, depth = cost+m.match.cost, max(depth, 1+m.match.depth)
			copy(sh.texts[m.first:], m.match.texts) // matchNested compared the keys
		case f.Key == "amount":
			sh.amount = match.Number(i)
		case f.Value.kind == jsonscan.Number:
			// Most numbers are new, such as addresses. They are not worth a search in a table.
			*text = pythonNumber(d.strings.New(match.Text(i)))
		case *text != string(match.Text(i)): // comparing the text costs less than finding its string
			*text = d.strings.String(match.Text(i))
		}
	}

	// The form charged what the object that was learned did, without what nested values differ in. The
	// sum counts some values twice, and both memory and flattened bytes, so it is an upper bound of
	// each. Above a limit, the slow path decides. It may leave the shape to later objects, so the
	// shape is consistent by now.
	return int64(cost) <= s.Left() && cost <= d.limits.MaxStringBytes &&
		s.Depth()+depth <= d.limits.MaxDepth && len(sh.keys)+len(d.inherited.fields) <= d.limits.MaxParams
}

// matchNested returns the length of the nested value that b begins with, if it has the same
// entries as the value that was read for the shape's field with the tag. It is a
// forms.NestedFunc.
func (d *document) matchNested(sh *shape, tag forms.Tag, b []byte) (length int) {
	m, key := &sh.members[tag.Index], sh.fields[tag.Index].Key
	if key == "trace" && b[0] != '[' {
		return 0 // parse reports it
	}
	end := len(sh.keys)
	if next := tag.Index + 1; next < len(sh.members) {
		end = sh.members[next].first
	}

	v, length := d.shapes.nested.find(d, key, b)
	switch {
	case length == 0:
		return -1
	case v == nil || !slices.Equal(v.keys, sh.keys[m.first:end]):
		return 0
	}
	m.match = v
	return length
}
