package perun

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
	"perfdata/traceid"
)

// This is the fast path for resources that are objects, and for the entries of the resource type
// map. Most of a profile's resources differ from an earlier one only in numbers and some strings,
// so they are read by comparing text: see package forms. A uid or trace is one field, whatever
// its text. A table has the flattened forms of such texts, because few places in a program repeat
// often. The slow path is readFields and layOut.

// A shape is an object of fields that was read, laid out as a record.
type shape struct {
	records bool // the fields are for records: an amount must be a number
	fault   *format.Error

	fields  Fields
	members []member // of fields

	amount    float64
	hasAmount bool

	params  traceid.Params
	attrs   traceid.Params
	entries []*string // the values in params or attrs of the flattened fields; nil: none
	taken   []bool    // scratch
	keys    []string  // of the flattened fields
	extras  shapeExtras
	unit    shapeUnit

	usage usage // of the object that was read

	record format.Record
}

// shapeExtras are the extras that a shape was laid out with.
type shapeExtras struct {
	keys    []string
	slots   []int // indices in attrs; negative: none
	version int   // of the extras' values
}

// A shapeUnit is the type and subtype of a shape, and the place of its unit.
type shapeUnit struct {
	typ, subtype string
	slot         int // index in params; negative: none
}

// A member has the properties of a shape's field.
type member struct {
	entries int         // index of the first; the next member's follow
	count   int         // of entries
	usage   usage       // of the nested value that was read
	match   *nestedText // in the hole of a nested value
	role    role        // of the field
}

// A role is the purpose of a field's value in a record.
type role byte

const (
	attrRole   role = iota // text, including the text of the uid
	numberRole             // the text of a number
	amountRole
	typeRole // or subtype: the unit depends on them
)

// shapes has the shapes that were read.
type shapes struct {
	forms jsonscan.Forms[shape]
	plain shape // of resources that don't become records
	names jsonscan.Names
	flat  Fields // scratch
	sub   flattener

	nested nestedTable
	long   textTable

	// The shapes' layout depends on these.
	header headerParams
	limits format.Limits
}

// headerParams are the values of a header that records depend on.
type headerParams struct {
	typ, cmd, args, workload, collector string
	units                               traceid.Params
}

// begin prepares for a profile with the header. It keeps shapes of earlier profiles if they have
// the same meaning in this one.
func (t *shapes) begin(h *Header, limits format.Limits) {
	p := headerParams{h.Type, h.Cmd, h.Args, h.Workload, h.Collector.Name, h.Units}
	if limits != t.limits {
		t.nested.forget()
	} else if p.equal(&t.header) {
		return
	}
	t.forms.Reset()
	t.header, t.limits = p, limits
}

func (p *headerParams) equal(q *headerParams) bool {
	return p.typ == q.typ && p.cmd == q.cmd && p.args == q.args && p.workload == q.workload &&
		p.collector == q.collector && slices.Equal(p.units, q.units)
}

// readShape reads the object ahead and lays it out with the extras.
func (r *Reader) readShape(s *jsonscan.Scanner, x *extras, needAmount bool) *shape {
	f := &r.shapes.forms
	if f.Nested == nil {
		f.Nested = r.matchNested
	}
	sh, match := f.Next(s)
	if match != nil {
		if (sh.hasAmount || !needAmount) && r.readMatch(sh, match, s, x) {
			return sh
		}
		sh = f.Refuse(s)
	}

	sh.records = true
	r.readFields(sh, s)
	r.layOut(sh, s, x)
	if f.Keep(s, sh.fault == nil) {
		sh.noteMembers()
	}
	return sh
}

// noteMembers sets the roles of the members, and their usage of the limits.
func (sh *shape) noteMembers() {
	sh.usage = usage{memory: len(sh.fields) * fieldCost, depth: 1}
	for i := range sh.fields {
		m, value := &sh.members[i], sh.fields[i].Value
		switch key := sh.fields[i].Key; {
		case key == "amount":
			m.role = amountRole
		case key == "type" || key == "subtype":
			m.role = typeRole
		case value.kind == KindNumber:
			m.role = numberRole
		}
		if value.kind >= KindList {
			m.usage.memory, m.usage.depth = value.cost(), value.depth()
			sh.usage.add(&m.usage)
		}
	}
}

// A usage is what reading a value by the slow path uses of the limits.
type usage struct {
	memory int // charged
	flat   int // bytes of nested values when they are flattened
	depth  int // of arrays and objects
}

// add adds the usage of a field's value.
func (u *usage) add(of *usage) {
	u.memory += of.memory
	u.flat += of.flat
	u.depth = max(u.depth, 1+of.depth)
}

// layOut makes params and attrs of the fields and extras.
func (r *Reader) layOut(sh *shape, s *jsonscan.Scanner, x *extras) {
	if sh.fault != nil || s.Err() != nil {
		return
	}

	t := &r.shapes
	t.sub.budget = r.Limits.MaxStringBytes
	t.flat = t.flat[:0]
	for i := range sh.fields {
		m := &sh.members[i]
		m.entries = len(t.flat)
		before := t.sub.budget
		t.flat = t.sub.value(t.flat, sh.fields[i].Key, false, sh.fields[i].Value)
		m.count = len(t.flat) - m.entries
		m.usage.flat = before - t.sub.budget
	}

	if t.sub.budget < 0 {
		r.failFlat(s)
		return
	}
	if len(t.flat)+len(x.keys) > r.Limits.MaxParams {
		s.FailLimit(s.LeftError, "MaxParams", int64(r.Limits.MaxParams), "flattened fields of one resource")
		return
	}
	sh.keys = sh.keys[:0]
	for i := range t.flat {
		sh.keys = append(sh.keys, t.flat[i].Key)
	}
	sh.place(&r.header, t.flat, x)
}

// place makes params and attrs of the flattened fields and extras.
func (sh *shape) place(h *Header, flat Fields, x *extras) {
	sh.params, sh.attrs, sh.entries, sh.extras.slots = sh.params[:0], sh.attrs[:0], sh.entries[:0], sh.extras.slots[:0]
	sh.unit.typ, sh.unit.subtype = h.Type, ""
	for i := range flat {
		key, text := flat[i].Key, ""
		if key == "amount" || flat[i].Value.kind == KindNull && (key == "uid" || key == "type" || key == "subtype") {
			continue
		}

		text = flat[i].Value.String()
		switch key {
		case "uid":
			sh.params = append(sh.params, traceid.Param{Key: key, Value: text})
		case "type":
			sh.unit.typ = cmp.Or(text, sh.unit.typ)
		case "subtype":
			sh.unit.subtype = text
			sh.params = append(sh.params, traceid.Param{Key: key, Value: text})
		default:
			sh.attrs = append(sh.attrs, traceid.Param{Key: key, Value: text})
		}
	}

	for i, key := range x.keys {
		if _, ok := sh.fields.Get(key); !ok && key != "amount" {
			sh.attrs = append(sh.attrs, traceid.Param{Key: key, Value: x.texts[i]})
		}
	}

	add := func(key, value string) {
		if value != "" {
			sh.params = append(sh.params, traceid.Param{Key: key, Value: value})
		}
	}
	add("type", sh.unit.typ)
	add("cmd", h.Cmd)
	add("args", h.Args)
	add("workload", h.Workload)
	add("collector", h.Collector.Name)
	add("unit", unitOf(h.Units, sh.unit.typ, sh.unit.subtype))
	sh.params, sh.attrs = sortPairs(sh.params), sortPairs(sh.attrs)

	sh.findEntries(flat, x)
	sh.extras.keys = append(sh.extras.keys[:0], x.keys...)
	for _, key := range x.keys {
		slot, ok := sh.attrs.Find(key)
		if _, own := sh.fields.Get(key); !ok || own {
			slot = -1
		}
		sh.extras.slots = append(sh.extras.slots, slot)
	}
	sh.extras.version = x.version
	var ok bool
	if sh.unit.slot, ok = sh.params.Find("unit"); !ok {
		sh.unit.slot = -1
	}
}

// findEntries finds the params and attrs of the flattened fields. If several fields have the same
// key, only the last has an entry. Extras replace fields.
func (sh *shape) findEntries(flat Fields, x *extras) {
	n := len(sh.attrs)
	sh.taken = slices.Grow(sh.taken[:0], n+len(sh.params))[:n+len(sh.params)]
	taken := sh.taken
	clear(taken)
	for _, key := range x.keys {
		if slot, ok := sh.attrs.Find(key); ok {
			_, own := sh.fields.Get(key)
			taken[slot] = !own
		}
	}

	sh.entries = slices.Grow(sh.entries[:0], len(flat))[:len(flat)]
	for i := len(flat) - 1; i >= 0; i-- {
		sh.entries[i] = nil
		key := flat[i].Key
		in, first := sh.attrs, 0
		switch key {
		case "amount":
			continue
		case "uid", "type", "subtype":
			in, first = sh.params, n
		}

		if slot, ok := in.Find(key); ok && !taken[first+slot] {
			taken[first+slot] = true
			sh.entries[i] = &in[slot].Value
		}
	}
}

// sortPairs sorts pairs in place. If several pairs have the same key, it keeps the last.
func sortPairs(p traceid.Params) traceid.Params {
	slices.SortStableFunc(p, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	kept := p[:0]
	for i := range p {
		if i+1 < len(p) && p[i+1].Key == p[i].Key {
			continue
		}
		kept = append(kept, p[i])
	}
	return kept
}

// readMatch updates the shape with the changes of an object that matches the one that was read. It
// returns false if the object may exceed a limit: only readFields can report where.
func (r *Reader) readMatch(sh *shape, t *forms.Match, s *jsonscan.Scanner, x *extras) bool {
	used := sh.usage
	units, again := false, false // the unit may have changed; the shape must be laid out again
	for i := range t.Changes() {
		at := t.Tag(i).Index
		m := &sh.members[at]

		if m.match != nil {
			used.add(&m.match.usage)
			texts := m.match.texts
			for j, e := range sh.entries[m.entries:][:len(texts)] {
				if e != nil {
					*e = texts[j]
				}
			}

			if m.role == typeRole {
				changed, missing := r.setType(sh, sh.fields[at].Key, m.entries+m.count-1, texts[m.count-1])
				units, again = units || changed, again || missing
			}
			continue
		}

		switch m.role {
		case amountRole:
			sh.amount = t.Number(i)
		case numberRole:
			sh.setEntry(m.entries, numbers.Python(r.strings.New(t.Text(i))))

		case typeRole:
			f := &sh.fields[at]
			raw := t.Text(i)
			if f.Key == "type" && sh.unit.typ == string(raw) || f.Key == "subtype" && sh.unit.subtype == string(raw) {
				continue
			}
			text := r.text(raw)
			if f.Value.kind == KindNumber {
				text = numbers.Python(text)
			}
			changed, missing := r.setType(sh, f.Key, m.entries, text)
			units, again = units || changed, again || missing

		default:
			if e := sh.entries[m.entries]; e != nil && *e != string(t.Text(i)) {
				*e = r.text(t.Text(i))
			}
		}
	}

	// The object's own values are charged already.
	if int64(used.memory-sh.usage.memory) > s.Left() || used.flat > r.Limits.MaxStringBytes ||
		s.Depth()+used.depth > r.Limits.MaxDepth || len(sh.keys)+len(x.keys) > r.Limits.MaxParams {
		return false
	}

	if units {
		r.setUnit(sh)
	}
	if again || sh.extras.version != x.version && !slices.Equal(sh.extras.keys, x.keys) {
		r.relayOut(sh, x)
	}
	return true
}

// setType sets the shape's type or subtype, depending on the key, and its entry. It reports
// whether the unit may have changed, and whether a param was added or is missing.
func (r *Reader) setType(sh *shape, key string, entry int, text string) (changed, missing bool) {
	if key == "subtype" {
		changed = sh.unit.subtype != text
		sh.unit.subtype = text
	} else {
		text = cmp.Or(text, r.header.Type)
		changed = sh.unit.typ != text
		missing = changed && (text == "" || sh.unit.typ == "")
		sh.unit.typ = text
	}
	sh.setEntry(entry, text)
	return changed, missing
}

func (sh *shape) setEntry(i int, text string) {
	if e := sh.entries[i]; e != nil {
		*e = text
	}
}

// setUnit sets the unit for the shape's type and subtype.
func (r *Reader) setUnit(sh *shape) {
	unit := unitOf(r.header.Units, sh.unit.typ, sh.unit.subtype)
	switch {
	case unit != "" && sh.unit.slot >= 0:
		sh.params[sh.unit.slot].Value = unit
	case unit != "" || sh.unit.slot >= 0:
		r.relayOut(sh, &extras{keys: sh.extras.keys, texts: sh.extraTexts()})
	}
}

// extraTexts returns the values of the extras in attrs.
func (sh *shape) extraTexts() []string {
	texts := make([]string, len(sh.extras.slots))
	for i, slot := range sh.extras.slots {
		if slot >= 0 {
			texts[i] = sh.attrs[slot].Value
		}
	}
	return texts
}

// relayOut lays the shape out again, with other extras or another unit, from the values in params
// and attrs.
func (r *Reader) relayOut(sh *shape, x *extras) {
	t := &r.shapes
	t.flat = t.flat[:0]
	for i := range sh.fields {
		m := &sh.members[i]
		// The value is from readFields: its keys are valid, but the texts may have changed since.
		n := len(t.flat)
		t.sub.budget = maxFlat
		t.flat = t.sub.value(t.flat, sh.fields[i].Key, false, sh.fields[i].Value)
		for j := n; j < len(t.flat); j++ {
			e := sh.entries[m.entries+j-n]
			switch {
			case t.flat[j].Key == "type":
				t.flat[j].Value = StringOf(sh.unit.typ)
			case e != nil:
				t.flat[j].Value = StringOf(*e)
			}
		}
	}
	sh.place(&r.header, t.flat, x)
}

// A textTable is a cache of long strings. A new string replaces the one in its slot, and the cache
// is cleared when it is too large, so no input can make it slow or large.
type textTable struct {
	seed  maphash.Seed
	texts []string
	added int
	bytes int // upper bound of the length of all texts
}

const (
	minTextSlots = 1 << 6
	maxTextSlots = 1 << 11
	maxText      = 8 << 10 // bytes of a string in the cache
	maxTexts     = 4 << 20 // bytes of all strings
)

// text returns b as a string.
func (t *textTable) text(b []byte) string {
	if len(b) > maxText {
		return string(b)
	}
	if t.added >= len(t.texts) && len(t.texts) < maxTextSlots {
		t.grow()
	}
	slot := &t.texts[maphash.Bytes(t.seed, b)%uint64(len(t.texts))]
	if *slot != string(b) {
		t.added++
		if t.bytes += len(b); t.bytes > maxTexts {
			clear(t.texts)
			t.bytes = len(b)
		}
		*slot = string(b)
	}
	return *slot
}

// grow gives the table more slots.
func (t *textTable) grow() {
	if t.texts == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.texts
	t.texts, t.added = make([]string, max(minTextSlots, 4*len(old))), 0
	for _, text := range old {
		if text != "" {
			t.texts[maphash.String(t.seed, text)%uint64(len(t.texts))] = text
			t.added++
		}
	}
}

// isFinite reports whether f is a number that a record can have.
func isFinite(f float64) bool { return !math.IsInf(f, 0) && f == f }
