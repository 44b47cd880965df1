package perun

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/traceid"
)

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
