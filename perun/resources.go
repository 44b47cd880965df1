package perun

import (
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Resource is one resource with all its fields.
//
// A Resource that a Reader yields belongs to the Reader, with the slice Fields: they are
// read-only, and the next step of the iteration overwrites them. Its strings and Values may be
// kept. Clone copies everything.
type Resource struct {
	// Snapshot is the number of the resource's snapshot, from 0. In a profile without snapshots
	// it is 0.
	Snapshot int

	// Fields are the resource's own fields, and the time and snapshot of its snapshot. In
	// LayoutTypes, the fields that are collected for each resource come first, then the fields of
	// its resource type.
	Fields Fields

	format.Position // of the resource, or of the first of its values
}

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Resource) Clone() *Resource {
	c := *r
	c.Fields = slices.Clone(r.Fields)
	return &c
}

// fault returns the recoverable error for which a resource is left out.
func (r *Resource) fault(name, message string) error {
	return &format.Error{
		Name: name, Position: r.Position, Message: message, Err: format.ErrSchema, Recoverable: true,
	}
}

// snapshotOf returns the number of the snapshot that the fields name.
func snapshotOf(f Fields) int {
	if v, ok := f.Get("snapshot"); ok {
		if n, ok := v.Float(); ok && n > 0 && n < 1<<53 && int(n) >= 0 {
			return int(n)
		}
	}
	return 0
}

// A resourceSink is a sink for resources.
type resourceSink struct {
	yield     func(*Resource, error) bool
	resource  Resource // that is yielded
	wantsPath bool
	path      string // of the resource, if wantsPath; of a resource in columns, that of its type
}

func (k *resourceSink) wantsModels() bool    { return false }
func (k *resourceSink) needsAmount() bool    { return false }
func (k *resourceSink) fault(err error) bool { return k.yield(nil, err) }

// yieldAt yields the resource, whose fields were set.
func (k *resourceSink) yieldAt(at jsonscan.Position) bool {
	res := &k.resource
	res.Snapshot = snapshotOf(res.Fields)
	res.Offset, res.Line, res.Column = at.Offset, at.Line, at.Column
	return k.yield(res, nil)
}

func (k *resourceSink) object(r *Reader) bool {
	s, sh := r.scan, &r.shapes.plain
	at := s.Position()
	if k.wantsPath {
		k.path = s.Path()
	}
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	r.readFields(sh, s)
	s.EndRegion()
	switch {
	case s.Err() != nil:
		return true
	case sh.fault != nil:
		return recoverable(k, sh.fault)
	}
	k.resource.Fields = r.inherited.appendTo(append(k.resource.Fields[:0], sh.fields...))
	return k.yieldAt(at)
}

func (k *resourceSink) entry(r *Reader, c *jsonscan.Scanner) *shape {
	sh := &r.shapes.plain
	r.readFields(sh, c)
	return sh
}

func (k *resourceSink) fill(r *Reader, c *column, s *jsonscan.Scanner) {
	c.values, c.places = c.values[:0], c.places[:0]
	for c.n < batch && c.next(s) {
		c.places = append(c.places, s.Position())
		c.values = append(c.values, readValue(s, r.text))
	}
}

func (k *resourceSink) rows(r *Reader, entry *shape, n int) bool {
	k.path = typePath(r.columns.typeName)
	res, columns := &k.resource, r.columns.all

	// A field of the entry overrides a column with its key.
	res.Fields = res.Fields[:0]
	for i := range columns {
		c := &columns[i]
		c.slot = -1
		if _, overridden := entry.fields.Get(c.key); !overridden {
			c.slot = len(res.Fields)
			res.Fields = append(res.Fields, Field{Key: c.key})
		}
	}
	res.Fields = append(res.Fields, entry.fields...)

	for row := range n {
		for i := range columns {
			if c := &columns[i]; c.slot >= 0 {
				res.Fields[c.slot].Value = c.values[row]
			}
		}
		if !k.yieldAt(columns[0].places[row]) {
			return false
		}
	}
	return true
}

func (k *resourceSink) bare(r *Reader, entry *shape, at jsonscan.Position) bool {
	k.path = typePath(r.columns.typeName)
	k.resource.Fields = append(k.resource.Fields[:0], entry.fields...)
	return k.yieldAt(at)
}
