package perun

import (
	"hash/maphash"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// This is the grammar of LayoutTypes. The region resource_type_map has the properties that
// resources share. The region resources has parallel arrays of collected values for each resource
// type. Neither is held in memory as a whole. The entries of the map are usually in the order in
// which they are needed; otherwise an index finds them. The arrays of a type are read at the same
// time: see columns.go.

// A typeIndex has the positions of the entries of the resource type map.
type typeIndex struct {
	found    bool
	position jsonscan.Position // of the map
	members  jsonscan.Bookmark // of the map's first member
	places   map[uint64]place  // by the hash of the name
	seed     maphash.Seed
	used     int // entries that were found in this reading

	cursor *jsonscan.Scanner // of an entry
	after  bool              // the cursor is after an entry that was read, before the next name
}

// rewind prepares the index for another reading of the document. The entries stay used, unless it
// reads resources.
func (t *typeIndex) rewind(resources bool) {
	t.after = false
	if resources {
		t.used = 0
	}
}

// A place is the position of an entry's name.
type place struct {
	offset       int64
	line, column uint32
}

// readTypeMap checks the region resource_type_map, and notes the positions of its entries.
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
		if len(t.places) >= r.Limits.MaxMembers {
			s.FailLimit(s.NameError, "MaxMembers", int64(r.Limits.MaxMembers), "resource types")
			return
		}

		at := s.NamePosition()
		t.places[hash] = place{at.Offset, uint32(at.Line), uint32(at.Column)}
		s.Skip()
	}
}

// findEntry returns a cursor that is before the value of the type's entry, or nil if the map does
// not have it.
func (r *Reader) findEntry(name []byte) *jsonscan.Scanner {
	t := &r.types
	if t.after {
		if next, _, ok := t.cursor.Member(); ok && string(next) == string(name) {
			return t.cursor
		}
		t.after = false
	}
	p, ok := t.places[maphash.Bytes(t.seed, name)]
	if !ok {
		return nil
	}
	at := jsonscan.Position{Offset: p.offset, Line: int(p.line), Column: int(p.column)}
	t.cursor = r.scan.Cursor(t.cursor, t.members.Member(at))
	t.after = true
	if next, _, ok := t.cursor.Member(); ok && string(next) != string(name) {
		t.after = false
		return nil
	}
	return t.cursor
}

// readTypes reads the region resources.
func (r *Reader) readTypes(out rowSink) bool {
	s := r.scan
	if !r.types.found {
		return r.skipTypes(out)
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

// skipTypes skips the region resources. If the resource type map is missing, a region that is not
// empty is an error.
func (r *Reader) skipTypes(out rowSink) bool {
	s := r.scan
	message := "resource_type_map is required"
	if r.InOrder {
		message = "resource_type_map must come before the resources when reading in order"
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
	return empty || s.Err() != nil || recoverable(out, e)
}

// readType reads the resources of the type whose name was just read.
func (r *Reader) readType(out rowSink, name []byte) bool {
	s, columns := r.scan, &r.columns
	at := s.NamePosition()
	columns.typeName = r.text(name)
	cursor := r.findEntry(name)
	switch {
	case cursor == nil:
		e := s.NameError("the resource type is not in resource_type_map")
		s.Skip()
		return s.Err() != nil || recoverable(out, e)
	case s.Kind() != jsonscan.Object:
		return r.yieldWrongType(out, "object")
	}
	r.types.used++

	fault, ok := r.readColumns(out)
	if !ok {
		return true
	}

	entry := r.readEntry(out, cursor)
	switch {
	case s.Err() != nil:
		return true
	case entry.fault != nil:
		return recoverable(out, entry.fault)
	case fault != nil:
		return recoverable(out, fault)
	}

	lacksAmount := out.needsAmount() && !entry.hasAmount && columns.named("amount") == nil
	switch {
	case lacksAmount && (len(columns.all) == 0 || columns.all[0].total > 0):
		e := s.ErrorAt(at, typePath(columns.typeName), noAmountMessage)
		return r.countRest() && recoverable(out, e)
	case len(columns.all) == 0:
		return out.bare(r, entry, at)
	}

	entry.record.Offset = at.Offset // where amounts have no array
	if !r.readRows(out, entry) {
		return false
	}

	if s.Err() != nil || columns.equallyLong() || !r.countRest() {
		return true
	}
	return recoverable(out, s.ErrorAt(at, typePath(columns.typeName), columns.lengths()))
}

func typePath(name string) string { return "resources." + jsonscan.Clip(name) }

// readEntry reads the entry of the map that is ahead of the cursor. It inherits the columns as
// fields.
func (r *Reader) readEntry(out rowSink, cursor *jsonscan.Scanner) *shape {
	r.inherited.reset()
	for i := range r.columns.all {
		r.inherited.add(r.columns.all[i].key, Value{}, "")
	}
	cursor.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	entry := out.entry(r, cursor)
	cursor.EndRegion()
	if e, ok := cursor.Err().(*format.Error); ok {
		r.scan.Fail(e)
	}
	return entry
}
