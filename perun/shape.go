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

// This is the hot loop for resources that are objects, and for the entries of the resource type
// map. Most of a profile's resources differ from an earlier one only in numbers and some strings,
// so they are read by comparing text: see package forms. A uid or trace is one field, whatever
// its text: a table has what the text becomes flattened, because the same few places in the
// program repeat.

// A shape is what was read of an object of fields, laid out as a record.
type shape struct {
	records bool // the fields are for records: an amount has to be a number
	fault   *format.Error

	fields  Fields
	members []member // of fields

	amount    float64
	hasAmount bool

	params        traceid.Params
	attrs         traceid.Params
	entries       []*string // where in params or attrs the flattened fields went; nil: nowhere
	taken         []bool    // scratch
	keys          []string  // of the flattened fields
	extraKeys     []string
	slots         []int // of the extras' attrs; negative: there is none
	extrasVersion int   // the extras whose values attrs have
	unitSlot      int   // in params; negative: there is none
	typ           string
	subtype       string

	usage usage // of the object that was read

	record format.Record
}

// A member is what a shape knows of one of its fields.
type member struct {
	entries int         // index of the first; the next member's follow
	count   int         // of entries
	usage   usage       // of the nested value that was read
	match   *nestedText // in the hole of a nested value
	role    role        // of the field
}

// A role is what a field's value is for in a record.
type role byte

const (
	attrRole   role = iota // text, also that of the uid
	numberRole             // the same of a number
	amountRole
	typeRole // or subtype: the unit depends on them
)

// shapes are those that were read.
type shapes struct {
	forms jsonscan.Forms[shape]
	plain shape // of resources that don't become records
	names jsonscan.Names
	flat  Fields // scratch
	sub   flattener

	nested nestedTable
	long   textTable

	units []typeUnit

	// What was made of the shapes depends on it.
	header headerParams
	limits format.Limits
}

// headerParams is what a header says about all records.
type headerParams struct {
	typ, cmd, args, workload, collector string
	units                               traceid.Params
}

// begin prepares for a profile with the header. What was learned from earlier profiles stays if
// it has the same meaning in this one.
func (t *shapes) begin(h *Header, limits format.Limits) {
	p := headerParams{h.Type, h.Cmd, h.Args, h.Workload, h.Collector.Name, h.Units}
	if limits != t.limits {
		t.nested.forget()
	} else if p.typ == t.header.typ && p.cmd == t.header.cmd && p.args == t.header.args && p.workload == t.header.workload &&
		p.collector == t.header.collector && slices.Equal(p.units, t.header.units) {
		return
	}
	t.forms.Reset()
	t.units, t.header, t.limits = nil, p, limits
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

// noteMembers notes the roles of the members, and what reading them used of the limits.
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

// A usage is what reading a value in the general way uses of the limits.
type usage struct {
	memory int // that it charges
	flat   int // bytes that nested values make flattened
	depth  int // of arrays and objects
}

// add adds that of a field's value.
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
	sh.params, sh.attrs, sh.entries, sh.slots = sh.params[:0], sh.attrs[:0], sh.entries[:0], sh.slots[:0]
	sh.typ, sh.subtype = h.Type, ""
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
			sh.typ = cmp.Or(text, sh.typ)
		case "subtype":
			sh.subtype = text
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
	add("type", sh.typ)
	add("cmd", h.Cmd)
	add("args", h.Args)
	add("workload", h.Workload)
	add("collector", h.Collector.Name)
	add("unit", unitOf(h.Units, sh.typ, sh.subtype))
	sh.params, sh.attrs = sortPairs(sh.params), sortPairs(sh.attrs)

	sh.findEntries(flat, x)
	sh.extraKeys = append(sh.extraKeys[:0], x.keys...)
	for _, key := range x.keys {
		slot, ok := sh.attrs.Find(key)
		if _, own := sh.fields.Get(key); !ok || own {
			slot = -1
		}
		sh.slots = append(sh.slots, slot)
	}
	sh.extrasVersion = x.version
	var ok bool
	if sh.unitSlot, ok = sh.params.Find("unit"); !ok {
		sh.unitSlot = -1
	}
}

// findEntries finds the params and attrs that the flattened fields became. Of several fields with
// one key, only the last became one; and extras replace fields.
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

// sortPairs sorts pairs in place. Of several pairs with one key, it keeps the last.
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

// readMatch takes what has changed in an object that matches the one that the shape was read
// from. It returns false if readFields might find that the object exceeds a limit: only
// readFields knows where.
func (r *Reader) readMatch(sh *shape, t *forms.Form, s *jsonscan.Scanner, x *extras) bool {
	used := sh.usage
	units, again := false, false // type or subtype changed; all is to be laid out again
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
			if f.Key == "type" && sh.typ == string(raw) || f.Key == "subtype" && sh.subtype == string(raw) {
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
	// What the object's own values took is charged already.
	if int64(used.memory-sh.usage.memory) > s.Left() || used.flat > r.Limits.MaxStringBytes ||
		s.Depth()+used.depth > r.Limits.MaxDepth || len(sh.keys)+len(x.keys) > r.Limits.MaxParams {
		return false
	}
	if units {
		r.setUnit(sh)
	}
	if again || sh.extrasVersion != x.version && !slices.Equal(sh.extraKeys, x.keys) {
		r.relayOut(sh, x)
	}
	return true
}

// setType gives the shape the text of its type or subtype, which the key tells; the entry is
// where it goes. It returns whether another unit may be needed, and whether there is a param more
// or less.
func (r *Reader) setType(sh *shape, key string, entry int, text string) (changed, missing bool) {
	if key == "subtype" {
		changed = sh.subtype != text
		sh.subtype = text
	} else {
		text = cmp.Or(text, r.header.Type)
		changed = sh.typ != text
		missing = changed && (text == "" || sh.typ == "")
		sh.typ = text
	}
	sh.setEntry(entry, text)
	return changed, missing
}

func (sh *shape) setEntry(i int, text string) {
	if e := sh.entries[i]; e != nil {
		*e = text
	}
}

// setUnit gives the shape the unit of its type and subtype.
func (r *Reader) setUnit(sh *shape) {
	unit := r.unitOf(sh.typ, sh.subtype)
	switch {
	case unit != "" && sh.unitSlot >= 0:
		sh.params[sh.unitSlot].Value = unit
	case unit != "" || sh.unitSlot >= 0:
		r.relayOut(sh, &extras{keys: sh.extraKeys, texts: sh.extraTexts()})
	}
}

// unitOf returns the header's unit of a type and subtype. It remembers the last ones.
func (r *Reader) unitOf(typ, subtype string) string {
	for i := range r.shapes.units {
		if u := &r.shapes.units[i]; u.typ == typ && u.subtype == subtype {
			return u.unit
		}
	}
	if len(r.shapes.units) == 4 {
		r.shapes.units = r.shapes.units[:0]
	}
	r.shapes.units = append(r.shapes.units, typeUnit{typ, subtype, unitOf(r.header.Units, typ, subtype)})
	return r.shapes.units[len(r.shapes.units)-1].unit
}

type typeUnit struct{ typ, subtype, unit string }

// extraTexts returns what attrs have of the extras.
func (sh *shape) extraTexts() []string {
	texts := make([]string, len(sh.slots))
	for i, slot := range sh.slots {
		if slot >= 0 {
			texts[i] = sh.attrs[slot].Value
		}
	}
	return texts
}

// relayOut lays the shape out again, with other extras or another unit, from what it has in
// params and attrs.
func (r *Reader) relayOut(sh *shape, x *extras) {
	t := &r.shapes
	t.flat = t.flat[:0]
	for i := range sh.fields {
		m := &sh.members[i]
		// The value is the one that readFields read: it has the keys, and the texts may have
		// changed since.
		n := len(t.flat)
		t.sub.budget = maxFlat
		t.flat = t.sub.value(t.flat, sh.fields[i].Key, false, sh.fields[i].Value)
		for j := n; j < len(t.flat); j++ {
			e := sh.entries[m.entries+j-n]
			switch {
			case t.flat[j].Key == "type":
				t.flat[j].Value = StringOf(sh.typ)
			case e != nil:
				t.flat[j].Value = StringOf(*e)
			}
		}
	}
	sh.place(&r.header, t.flat, x)
}

// A textTable remembers long strings. A newcomer takes the place of the one that it meets, and
// all are forgotten when they are too many bytes, so no input can make it slow or large.
type textTable struct {
	seed  maphash.Seed
	texts []string
	bytes int // of all, or more
}

const (
	textSlots = 1 << 11
	maxText   = 8 << 10 // bytes of a string that is remembered
	maxTexts  = 4 << 20 // bytes of all of them
)

// text returns b as a string.
func (t *textTable) text(b []byte) string {
	if len(b) > maxText {
		return string(b)
	}
	if t.texts == nil {
		t.seed = maphash.MakeSeed()
		t.texts = make([]string, textSlots)
	}
	slot := &t.texts[maphash.Bytes(t.seed, b)%textSlots]
	if *slot != string(b) {
		if t.bytes += len(b); t.bytes > maxTexts {
			clear(t.texts)
			t.bytes = len(b)
		}
		*slot = string(b)
	}
	return *slot
}

// isFinite reports whether f is a number that a record can have.
func isFinite(f float64) bool { return !math.IsInf(f, 0) && f == f }
