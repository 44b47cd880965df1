package perun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// adopt returns the header, with missing values from the params.
func adopt(h Header, params traceid.Params) Header {
	for i, text := range h.texts() {
		if *text == "" {
			*text, _ = params.Get(paramKeys[i])
		}
	}
	return h
}

// fieldsOf appends the fields of the resource for a record.
func (h *Header) fieldsOf(fields Fields, rec *format.Record, keepParams bool) (Fields, error) {
	switch {
	case !isFinite(rec.Value):
		return nil, fmt.Errorf("the value is %v, want a finite number", rec.Value)
	case len(rec.Links) > 0:
		return nil, fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	}

	if err := message.CheckPairs(rec.Params); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if err := message.CheckPairs(rec.Attrs); err != nil {
		return nil, fmt.Errorf("attrs: %w", err)
	}

	if err := h.checkParams(rec.Params); err != nil {
		return nil, err
	}

	fields = append(fields, Field{"amount", numberOf(rec.Value)})
	uid, hasUID := rec.Params.Get("uid")
	var parts Fields
	for _, p := range rec.Params {
		switch p.Key {
		case "cmd", "args", "workload", "collector", "unit":
		case "uid", "type", "subtype":
			fields = append(fields, Field{p.Key, stringOf(p.Value)})
		default:
			if _, both := rec.Attrs.Get(p.Key); both || p.Key == "amount" || !keepParams {
				return nil, fmt.Errorf("the format can't hold param %q", p.Key)
			}

			fields = append(fields, fieldOf(p))
		}
	}

	for _, p := range rec.Attrs {
		switch p.Key {
		case "amount", "uid", "type", "subtype":
			return nil, fmt.Errorf("the format can't hold attr %q", p.Key)
		}

		if sub, ok := strings.CutPrefix(p.Key, "uid:"); ok && hasUID {
			parts = append(parts, Field{sub, plainValue(p.Value)})
			continue
		}
		fields = append(fields, fieldOf(p))
	}

	return joinUID(fields, uid, parts), nil
}

// checkParams returns why a record with the params can't have the header, or nil.
func (h *Header) checkParams(params traceid.Params) error {
	for i, text := range h.texts() {
		key := paramKeys[i]
		value, has := params.Get(key)
		switch {
		case has && value == "":
			return fmt.Errorf("param %q is empty, which the format reads as absent", key)
		case *text != "" && !has:
			return fmt.Errorf("missing param %q, which the header gives to every measurement", key)
		case key != "type" && has && value != *text:
			return fmt.Errorf("param %q is %q, but the header has %q", key, value, *text)
		}
	}
	return nil
}

// joinUID adds the parts of a uid to the fields: as the object uid, if its flattened form is the
// uid, and otherwise as separate fields.
func joinUID(fields Fields, uid string, parts Fields) Fields {
	if len(parts) == 0 {
		return fields
	}
	flat, err := (Fields{{"uid", object(parts)}}).Flatten()
	if n := len(parts); err == nil && len(flat) == n+1 && flat[n].Value.text == uid {
		for i := range fields {
			if fields[i].Key == "uid" {
				fields[i].Value = ValueOf(parts)
			}
		}
		return fields
	}

	for _, part := range parts {
		fields = append(fields, Field{"uid:" + part.Key, part.Value})
	}
	return fields
}

// fieldOf returns the field for an attr.
func fieldOf(p traceid.Param) Field {
	switch {
	case p.Key == "trace":
		// A trace must be a list.
		var frames []Value
		for frame := range strings.SplitSeq(p.Value, ",") {
			frames = append(frames, stringOf(frame))
		}
		if p.Value == "" {
			frames = nil
		}
		return Field{p.Key, ValueOf(frames)}
	case isCollectable(p.Key) || p.Key == "snapshot":
		return Field{p.Key, plainValue(p.Value)}
	}
	return Field{p.Key, stringOf(p.Value)}
}

// plainValue returns a number if the text is a decimal number as Python writes it. Otherwise it
// returns a string.
func plainValue(text string) Value {
	if isDecimal(text) {
		return Value{kind: jsonscan.Number, text: text}
	}
	return stringOf(text)
}

// wholeNumber returns the number of a snapshot, if v is one.
func wholeNumber(v Value) (int, bool) {
	if v.kind != jsonscan.Number {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == v.text
}

// This checks what a Writer is given, before any part of it is written.

// check checks the texts and members of a header that is to be written.
func (h *Header) check() error {
	if err := message.CheckPairs(h.Units); err != nil {
		return fmt.Errorf("header: Units: %w", err)
	}
	if err := checkFields(append(h.regions(), Field{"header", h.region()})); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	for _, f := range h.Extra {
		if slices.Contains(headerKeys, f.Key) {
			return fmt.Errorf("header: Extra: %q: the Header has a field for it", f.Key)
		}
	}
	for _, f := range h.Other {
		switch {
		case slices.Contains(layout.Names, f.Key):
			return fmt.Errorf("header: Other: %q: the Header has a field for it", f.Key)
		case holdsResources(f.Value):
			return fmt.Errorf("header: Other: %q has resources, which are not allowed there", f.Key)
		}
	}
	return nil
}

// checkResource checks that a resource has the fields that the specification requires, with values
// of the kinds that a Reader requires.
func checkResource(fields Fields) error {
	amount, ok := fields.Get("amount")
	if !ok {
		return errors.New("missing amount")
	}
	if f, ok := amount.Float(); !ok || !isFinite(f) {
		return fmt.Errorf("the amount is %s, want a finite number", message.Quote(amount.String()))
	}
	for _, key := range []string{"uid", "type"} {
		if _, ok := fields.Get(key); !ok {
			return fmt.Errorf("missing %s", key)
		}
	}
	if trace, ok := fields.Get("trace"); ok && trace.kind != jsonscan.Array && !trace.IsNull() {
		return fmt.Errorf("the trace is of type %s, want array", trace.kind)
	}
	return nil
}

// checkFields checks that the fields have no duplicate keys, and are valid UTF-8.
func checkFields(fields Fields) error {
	known := map[string]bool{}
	for _, f := range fields {
		if known[f.Key] {
			return fmt.Errorf("duplicate field %q", f.Key)
		}
		known[f.Key] = true

		if !utf8.ValidString(f.Key) {
			return fmt.Errorf("%q is not UTF-8", f.Key)
		}
		if err := f.Value.check(); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
	}
	return nil
}

func (v Value) check() error {
	if v.kind == jsonscan.String && !utf8.ValidString(v.text) {
		return fmt.Errorf("%q is not UTF-8", v.text)
	}
	for _, item := range v.List() {
		if err := item.check(); err != nil {
			return err
		}
	}
	return checkFields(v.Fields())
}

// A unitTable has the units of a profile that is written: from its header, and from its records.
// Looking up or adding one takes the same time however many there are.
type unitTable struct {
	all  map[string]string   // the header's, by type or type(subtype)
	seen map[string][]string // one or two units of records, by the same; of a type, those of its subtypes too
}

// A recordUnit is the unit of a record, which can be empty.
type recordUnit struct {
	typ, name string // name is that of the type and subtype
	unit      string
	missing   bool // from the header
}

// unitName returns the name of a unit in the header.
func unitName(typ, subtype string) string {
	if subtype == "" {
		return typ
	}
	return typ + "(" + subtype + ")"
}

// check returns the unit of a record with the params, or why a record can't have it. The header can't
// change after it was written.
func (t *unitTable) check(params traceid.Params, written bool) (u recordUnit, err error) {
	typ, _ := params.Get("type")
	subtype, _ := params.Get("subtype")
	unit, has := params.Get("unit")
	u = recordUnit{typ: typ, name: unitName(typ, subtype), unit: unit}
	known := unitOf(func(name string) (string, bool) { unit, ok := t.all[name]; return unit, ok }, typ, subtype)

	switch {
	case has && unit == "":
		return u, fmt.Errorf("param %q is empty, which the format reads as absent", "unit")
	case unit == known:
		return u, nil
	case known != "" && !has:
		return u, fmt.Errorf("missing param %q, but resources of its type and subtype are in %q", "unit", known)
	case known != "" && subtype == "":
		return u, errOtherUnit(unit, known)
	case written:
		return u, fmt.Errorf("the unit %q is not in the header, which was written already", unit)
	}

	if known, ok := t.all[u.name]; ok {
		return u, errOtherUnit(unit, known)
	}
	for _, other := range t.seen[u.name] { // earlier records would get the unit too
		if other != unit {
			return u, errOtherUnit(unit, other)
		}
	}
	u.missing = true
	return u, nil
}

func errOtherUnit(unit, known string) error {
	return fmt.Errorf("param %q is %q, but resources of its type and subtype are in %q", "unit", unit, known)
}

// add notes the unit of a record that is written, and adds it to the header if that lacks it.
func (t *unitTable) add(u recordUnit) {
	if u.missing {
		t.all[u.name] = u.unit
	}
	for _, name := range [...]string{u.name, u.typ} {
		if units := t.seen[name]; len(units) < 2 && !slices.Contains(units, u.unit) {
			t.seen[name] = append(units, u.unit)
		}
	}
}
