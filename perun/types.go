package perun

import (
	"cmp"
	"hash/maphash"

	"perfdata/internal/jsonscan"
)

// This is the grammar of the layout of types. The region resource_type_map has the properties that
// resources share. The region resources has parallel arrays of collected values for each resource
// type. Neither is held in memory as a whole. The entries of the map are usually in the order in
// which they are needed; otherwise an index finds them. The arrays of a type are read at the same
// time: see columns.go.

// A typeIndex has the positions of the entries of the resource type map.
type typeIndex struct {
	position jsonscan.Position            // of the map
	members  jsonscan.Bookmark            // of the map's first member
	places   map[uint64]jsonscan.Position // by the hash of the name; nil: there is no map
	seed     maphash.Seed
	used     int // entries that were found in this reading

	cursor *jsonscan.Scanner // of an entry
	after  bool              // the cursor is after an entry that was read, before the next name
}

// readMap checks the region resource_type_map, and notes the positions of its entries.
func (d *document) readMap() {
	s, t := d.scan, &d.types
	switch s.Kind() {
	case jsonscan.Null:
		s.Null()
		return
	case jsonscan.Object:
	default:
		s.Fail(s.TypeError("object"))
		return
	}

	t.position = s.Position()
	t.places, t.seed = make(map[uint64]jsonscan.Position), maphash.MakeSeed()
	s.EnterObject()
	t.members = s.LookAhead()
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
		if len(t.places) >= d.limits.MaxMembers {
			s.FailLimit(s.NameError, "MaxMembers", int64(d.limits.MaxMembers), "resource types")
			return
		}

		t.places[hash] = s.NamePosition()
		s.Skip()
	}
}

// findEntry returns a cursor that is before the value of the type's entry, or nil if it is missing.
func (d *document) findEntry(name []byte) *jsonscan.Scanner {
	t := &d.types
	if t.after {
		if next, _, ok := t.cursor.Member(); ok && string(next) == string(name) {
			return t.cursor
		}
		t.after = false
	}
	at, ok := t.places[maphash.Bytes(t.seed, name)]
	if !ok {
		return nil
	}
	t.cursor = d.scan.Cursor(t.cursor, t.members.Member(at))
	next, _, ok := t.cursor.Member()
	if t.after = !ok || string(next) == string(name); !t.after {
		return nil
	}
	return t.cursor
}

// readTypes reads the region resources, an object. If the resource type map is missing, a region
// that is not empty is an error.
func (d *document) readTypes() {
	s := d.scan
	message := "resource_type_map is required"
	if d.inOrder {
		message = "resource_type_map must come before the resources when reading in order"
	}
	missing := s.Error(message)
	empty := true
	for name := range s.Members() {
		empty = false
		if d.types.places != nil {
			d.readType(name)
		} else {
			s.Skip()
		}
	}
	if d.types.places == nil && !empty && s.Err() == nil {
		d.recoverable(missing)
	}
}

// readType reads the resources of the type whose name was just read.
func (d *document) readType(name []byte) {
	s := d.scan
	at := s.NamePosition()
	d.columns.typeName = d.strings.String(name)
	cursor := d.findEntry(name)

	switch {
	case cursor == nil:
		fault := s.NameError("the resource type is not in resource_type_map")
		if s.Skip() {
			d.recoverable(fault)
		}
		return
	case s.Kind() != jsonscan.Object:
		d.wrongValue("object")
		return
	}
	d.types.used++

	fault := d.readColumns()
	if s.Err() != nil {
		return
	}
	entry := d.readEntry(cursor)
	switch fault = cmp.Or(entry.fault, fault); {
	case s.Err() != nil:
	case fault != nil:
		d.recoverable(fault)
	default:
		d.yieldColumns(entry, at)
	}
}

// readEntry reads the entry of the map that is ahead of the cursor. It inherits the columns as
// fields.
func (d *document) readEntry(cursor *jsonscan.Scanner) *resource {
	d.inherited.reset()
	for i := range d.columns.all {
		d.inherited.add(d.columns.all[i].key, Value{}, "")
	}
	cursor.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, 0)
	entry := &d.last
	if d.out.records != nil {
		d.entry = d.readShape(cursor, false)
		entry = &d.entry.resource
	} else {
		d.parse(entry, cursor)
		d.checkFlat(cursor)
	}
	cursor.EndRegion()
	d.scan.FailAs(cursor)
	return entry
}
