package perun

import (
	"fmt"
	"hash/maphash"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// This is the grammar of the layout of types. The region resource_type_map has the properties that
// resources share. The region resources has parallel arrays of collected values for each resource
// type. Neither is held in memory as a whole. The entries of the map are usually in the order in
// which they are needed; otherwise an index finds them. The arrays of a type are read at the same
// time: see columns.go.

// A typeGrammar reads resource types.
type typeGrammar struct {
	*grammar
	typeIndex
	columns columns
}

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

// A place is the position of an entry's name.
type place struct {
	offset       int64
	line, column uint32
}

// rewind prepares the index for another reading of the document.
func (t *typeIndex) rewind() { t.after, t.used = false, 0 }

// readMap checks the region resource_type_map, and notes the positions of its entries.
func (g *typeGrammar) readMap() {
	s := g.scan
	switch s.Kind() {
	case jsonscan.Null:
		s.Null()
		return
	case jsonscan.Object:
	default:
		s.Fail(s.TypeError("object"))
		return
	}

	g.found, g.position = true, s.Position()
	g.places, g.seed = make(map[uint64]place), maphash.MakeSeed()
	s.EnterObject()
	g.members = s.LookAhead()
	for {
		name, _, ok := s.Member()
		if !ok {
			return
		}

		hash := maphash.Bytes(g.seed, name)
		if _, repeated := g.places[hash]; repeated {
			s.FailRepeated(name)
			return
		}
		if len(g.places) >= g.limits.MaxMembers {
			s.FailLimit(s.NameError, "MaxMembers", int64(g.limits.MaxMembers), "resource types")
			return
		}

		at := s.NamePosition()
		g.places[hash] = place{at.Offset, uint32(at.Line), uint32(at.Column)}
		s.Skip()
	}
}

// find returns a cursor that is before the value of the type's entry, or nil if the map does not
// have it.
func (g *typeGrammar) find(name []byte) *jsonscan.Scanner {
	if g.after {
		if next, _, ok := g.cursor.Member(); ok && string(next) == string(name) {
			return g.cursor
		}
		g.after = false
	}
	p, ok := g.places[maphash.Bytes(g.seed, name)]
	if !ok {
		return nil
	}
	at := jsonscan.Position{Offset: p.offset, Line: int(p.line), Column: int(p.column)}
	g.cursor = g.scan.Cursor(g.cursor, g.members.Member(at))
	next, _, ok := g.cursor.Member()
	if g.after = !ok || string(next) == string(name); !g.after {
		return nil
	}
	return g.cursor
}

// readAll reads the region resources, an object. If the resource type map is missing, a region
// that is not empty is an error.
func (g *typeGrammar) readAll(out rowSink) {
	s := g.scan
	message := "resource_type_map is required"
	if g.inOrder {
		message = "resource_type_map must come before the resources when reading in order"
	}
	missing := s.Error(message)
	empty := true
	for name := range s.Members() {
		empty = false
		if g.found {
			g.read(out, name)
		} else {
			s.Skip()
		}
	}
	if !g.found && !empty && s.Err() == nil {
		g.recoverable(out, missing)
	}
}

// read reads the resources of the type whose name was just read.
func (g *typeGrammar) read(out rowSink, name []byte) {
	s, columns := g.scan, &g.columns
	at := s.NamePosition()
	columns.typeName = g.strings.String(name)
	cursor := g.find(name)

	switch {
	case cursor == nil:
		fault := s.NameError("the resource type is not in resource_type_map")
		if s.Skip() {
			g.recoverable(out, fault)
		}
		return
	case s.Kind() != jsonscan.Object:
		g.wrongValue(out, "object")
		return
	}
	g.used++

	fault := columns.read(out)
	if s.Err() != nil {
		return
	}
	entry := g.readEntry(out, cursor)
	if entry.fault != nil {
		fault = entry.fault
	}
	switch {
	case s.Err() != nil:
	case fault != nil:
		g.recoverable(out, fault)
	default:
		columns.yield(out, entry, at)
	}
}

// readEntry reads the entry of the map that is ahead of the cursor. It inherits the columns as
// fields.
func (g *typeGrammar) readEntry(out rowSink, cursor *jsonscan.Scanner) *resource {
	g.inherited.reset()
	for i := range g.columns.all {
		g.inherited.add(g.columns.all[i].key, Value{}, "")
	}
	cursor.BeginRegion("MaxResultBytes", g.limits.MaxResultBytes, 0)
	entry := out.entry(cursor)
	cursor.EndRegion()
	if e, ok := cursor.Err().(*format.Error); ok {
		g.scan.Fail(e)
	}
	return entry
}

// unused returns the warning that resource types have no resources, or nil.
func (g *typeGrammar) unused() *format.Error {
	n := len(g.places) - g.used
	if !g.found || g.scan.Err() != nil || n <= 0 {
		return nil
	}
	return g.scan.ErrorAt(g.position, "resource_type_map",
		fmt.Sprintf("%d of %d resource types have no resources", n, len(g.places)))
}
