package perun

import (
	"fmt"

	"perfdata/traceid"
)

// A unitTable has the units of a profile that is written: from its header, and from its
// records. Looking up or adding one takes the same time however many there are.
type unitTable struct {
	all   map[string]string     // the header's, by type or by type and subtype
	seen  map[unitKind]distinct // of records; of a type, those of its subtypes too
	name  []byte                // scratch
	added []traceid.Param       // that the header did not have
}

// A unitKind is what has one unit.
type unitKind struct{ typ, subtype string }

// distinct has one or two units that differ. A record without a unit has the empty one.
type distinct struct {
	units [2]string
	n     int
}

func newUnitTable(header traceid.Params) unitTable {
	t := unitTable{all: make(map[string]string, len(header)), seen: map[unitKind]distinct{}}
	for _, u := range header {
		t.all[u.Key] = u.Value
	}
	return t
}

// of is [Header.Unit] for the header with all units that were added.
func (t *unitTable) of(kind unitKind) string {
	if kind.subtype != "" {
		// Some collectors wrote a space before the parenthesis.
		for _, space := range []string{" ", ""} {
			t.name = append(append(append(t.name[:0], kind.typ...), space...), '(')
			t.name = append(append(t.name, kind.subtype...), ')')
			if unit, ok := t.all[string(t.name)]; ok {
				return unit
			}
		}
	}
	return t.all[kind.typ]
}

// check returns why a record of the kind can't have the params' unit, or nil. It reports whether
// the header needs the unit, as a member with the returned name. The header can't change after it
// was written.
func (t *unitTable) check(kind unitKind, params traceid.Params, written bool) (name string, missing bool, err error) {
	unit, has := params.Get("unit")
	known := t.of(kind)
	switch {
	case has && unit == "":
		return "", false, fmt.Errorf("param %q is empty, which the format reads as absent", "unit")
	case unit == known:
		return "", false, nil
	case known != "" && !has:
		return "", false, fmt.Errorf("missing param %q, but resources of its type and subtype are in %q", "unit", known)
	case known != "" && kind.subtype == "":
		return "", false, errOtherUnit(unit, known)
	case written:
		return "", false, fmt.Errorf("the unit %q is not in the header, which was written already", unit)
	}

	name = kind.typ
	if kind.subtype != "" {
		name += "(" + kind.subtype + ")"
	}
	if known, ok := t.all[name]; ok {
		return "", false, errOtherUnit(unit, known)
	}

	// Earlier records would get the unit too.
	earlier := t.seen[kind]
	for _, other := range earlier.units[:earlier.n] {
		if other != unit {
			return "", false, errOtherUnit(unit, other)
		}
	}
	return name, true, nil
}

func errOtherUnit(unit, known string) error {
	return fmt.Errorf("param %q is %q, but resources of its type and subtype are in %q", "unit", unit, known)
}

// add adds a unit to the header.
func (t *unitTable) add(name, unit string) {
	t.all[name] = unit
	t.added = append(t.added, traceid.Param{Key: name, Value: unit})
}

// undo takes back the last call of add.
func (t *unitTable) undo() {
	last := len(t.added) - 1
	delete(t.all, t.added[last].Key)
	t.added = t.added[:last]
}

// note notes the unit of a record that was written.
func (t *unitTable) note(kind unitKind, unit string) {
	for _, k := range [...]unitKind{kind, {typ: kind.typ}} {
		d := t.seen[k]
		if d.n == 0 || d.n == 1 && d.units[0] != unit {
			d.units[d.n] = unit
			d.n++
			t.seen[k] = d
		}
	}
}

// merged returns the header's units with those that were added.
func (t *unitTable) merged(header traceid.Params) traceid.Params {
	if len(t.added) == 0 {
		return header
	}
	return traceid.Merge(header, traceid.FromPairs(t.added...))
}
