package perun

import (
	"fmt"
	"hash/maphash"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// In today's layout, the region resource_type_map has the properties that resources share, and the region resources
// has, for each resource type, parallel arrays of what was collected. Neither is held in memory as a whole. The
// entries of the map are found by an index, or mostly by standing in the order in which they are wanted, and read
// where they stand. The arrays of a type are read side by side, some values of each at a time: short ones as they
// come; of longer ones the scanner passes over the rest, and a cursor for each reads on from there. Holding the
// numbers of the arrays instead would take 16 bytes a resource and no bound.

// A typeIndex knows where the entries of the resource type map stand.
type typeIndex struct {
	found  bool
	at     jsonscan.Bookmark // of the object's beginning
	places map[uint64]place
	seed   maphash.Seed
	cursor *jsonscan.Scanner
	ahead  bool // the cursor stands behind an entry that was read

	position jsonscan.Position // of the object
	used     int               // entries that were found
}

// A place is where an entry's name stands.
type place struct {
	offset       int64
	line, column uint32
}

// readTypeMap reads the region resource_type_map: it checks it, and notes where the entries are.
func (r *Reader) readTypeMap() {
	s, t := r.scan, &r.types
	if s.Kind() != jsonscan.Object {
		if s.Kind() == jsonscan.Null {
			s.Null()
		} else {
			s.Fail(s.TypeError("object"))
		}
		return
	}
	t.found = true
	t.position = s.Position()
	t.places = make(map[uint64]place)
	t.seed = maphash.MakeSeed()
	s.EnterObject()
	t.at = s.LookAhead()
	for {
		name, _, ok := s.Member()
		if !ok {
			return
		}
		hash := maphash.Bytes(t.seed, name)
		if _, repeated := t.places[hash]; repeated {
			s.FailRepeated(name)
			return
		}
		if len(t.places) >= r.Limits.MaxMembers {
			s.FailLimit(s.NameError, "MaxMembers", int64(r.Limits.MaxMembers), "resource types")
			return
		}
		at := s.NamePosition()
		t.places[hash] = place{at.Offset, uint32(at.Line), uint32(at.Column)}
		s.Skip()
	}
}

// find makes the cursor stand before the value of the type's entry. It returns nil if there is none.
func (r *Reader) find(name []byte) *jsonscan.Scanner {
	t := &r.types
	if t.ahead {
		if next, _, ok := t.cursor.Member(); ok && string(next) == string(name) {
			return t.cursor
		}
		t.ahead = false
	}
	p, ok := t.places[maphash.Bytes(t.seed, name)]
	if !ok {
		return nil
	}
	t.cursor = r.scan.Cursor(t.cursor, t.at.Member(jsonscan.Position{Offset: p.offset, Line: int(p.line), Column: int(p.column)}))
	t.ahead = true
	if next, _, ok := t.cursor.Member(); ok && string(next) != string(name) {
		t.ahead = false
		return nil
	}
	return t.cursor
}

// readTypes reads the region resources of today's layout.
func (r *Reader) readTypes(out *output) bool {
	s := r.scan
	if !r.types.found {
		message := "resource_type_map is required"
		if r.InOrder {
			message = "the resource_type_map isn't known yet: these resources can't be read in order"
		}
		e := s.Error(message)
		empty := true
		for s.EnterObject(); ; {
			if _, _, ok := s.Member(); !ok {
				break
			}
			empty = false
			s.Skip()
		}
		return empty || s.Err() != nil || out.recoverable(e)
	}
	var names jsonscan.Names
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return true
		}
		if !names.Add(s, name) {
			s.FailRepeated(name)
			return true
		}
		if !r.readType(out, name) {
			return false
		}
	}
}

// readType reads the resources of the type whose name was read just now.
func (r *Reader) readType(out *output, name []byte) bool {
	s := r.scan
	at := s.NamePosition()
	r.typeName = r.text(name)
	c := r.find(name)
	switch {
	case c == nil:
		e := s.NameError("the resource type is not in resource_type_map")
		s.Skip()
		return s.Err() != nil || out.recoverable(e)
	case s.Kind() != jsonscan.Object:
		return out.recoverable(s.SkipTypeError("object"))
	}
	r.types.used++
	r.path = typePath(r.typeName)
	fault, ok := r.readColumns(out)
	if !ok {
		return true
	}
	sh := r.readEntry(out, c)
	switch {
	case s.Err() != nil:
		return true
	case sh.fault != nil:
		return out.recoverable(sh.fault)
	case fault != nil:
		return out.recoverable(fault)
	}
	if len(r.columns) == 0 {
		return r.yieldBare(out, sh, at)
	}
	if out.record != nil && !sh.hasAmount && r.amount() == nil && r.columns[0].total > 0 {
		e := s.ErrorAt(at, typePath(r.typeName), noAmountMessage)
		return r.countRest() && out.recoverable(e)
	}
	sh.record.Offset = at.Offset // where amounts have no array
	if !r.yieldRows(out, sh) {
		return false
	}
	if s.Err() == nil && !r.evenColumns() {
		if !r.countRest() {
			return true
		}
		return out.recoverable(s.ErrorAt(at, typePath(r.typeName), r.lengths()))
	}
	return true
}

func typePath(name string) string { return "resources." + jsonscan.Clip(name) }

// readEntry reads the entry of the map, which is ahead of c, as the extras of which the columns are.
func (r *Reader) readEntry(out *output, c *jsonscan.Scanner) *shape {
	s := r.scan
	r.extras.reset()
	for i := range r.columns {
		r.extras.add(r.columns[i].key, Value{}, "")
	}
	c.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	var sh *shape
	if out.record != nil {
		sh = r.readShape(c, &r.extras, false)
	} else {
		sh = &r.shapes.plain
		r.readFields(sh, c)
	}
	c.EndRegion()
	if e, ok := c.Err().(*format.Error); ok {
		s.Fail(e)
	}
	return sh
}

// yieldBare yields the resource of a type without arrays: one that has only the properties of its type.
func (r *Reader) yieldBare(out *output, sh *shape, at jsonscan.Position) bool {
	if out.record == nil {
		r.res = Resource{Fields: append(r.res.Fields[:0], sh.fields...), Snapshot: snapshotOf(sh.fields)}
		r.res.stand(at)
		return out.resource(&r.res, nil)
	}
	if !sh.hasAmount {
		return out.recoverable(r.scan.ErrorAt(at, typePath(r.typeName), noAmountMessage))
	}
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, at.Offset
	return out.record(rec, nil)
}

// lengths says how long the arrays of a type are.
func (r *Reader) lengths() string {
	var b strings.Builder
	b.WriteString("the arrays differ in length, and values without a counterpart are left out: ")
	for i := range r.columns {
		if i == 20 {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s has %d", jsonscan.Clip(r.columns[i].key), r.columns[i].total)
	}
	return b.String()
}
