package perun

import (
	"fmt"
	"slices"

	"perfdata/traceid"
)

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

// of is [Header.Unit] for the header with all units that were added.
func (t *unitTable) of(typ, subtype string) string {
	return unitOf(func(name string) (string, bool) { unit, ok := t.all[name]; return unit, ok }, typ, subtype)
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
	known := t.of(typ, subtype)

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
