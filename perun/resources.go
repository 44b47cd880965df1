package perun

import (
	"iter"
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

	// Fields are the resource's own fields, and the time and snapshot of its snapshot. In the
	// layout of types, the fields that are collected for each resource come first, then the fields
	// of its resource type.
	Fields Fields

	format.Position // of the resource, or of the first of its values
}

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Resource) Clone() *Resource {
	c := *r
	c.Fields = slices.Clone(r.Fields)
	return &c
}

// readResource reads the resource ahead and yields it, as the output wants it.
func (d *document) readResource() {
	if d.out.records != nil {
		d.readRecord()
		return
	}

	s := d.scan
	at := s.Position()
	if d.out.violation != nil {
		d.path = s.Path()
	}
	s.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, 0)
	d.parse(&d.last, s)
	s.EndRegion()

	switch {
	case s.Err() != nil:
	case d.last.fault != nil:
		d.recoverable(d.last.fault)
	default:
		d.resource.Fields = append(d.resource.Fields[:0], d.last.fields...)
		for _, extra := range d.inherited.fields {
			if _, own := d.last.fields.Get(extra.Key); !own {
				d.resource.Fields = append(d.resource.Fields, extra)
			}
		}
		d.yieldResource(at)
	}
	d.checkFlat(s)
}

// yieldResource yields the resource, whose fields were set.
func (d *document) yieldResource(at jsonscan.Position) {
	d.resource.Snapshot, d.resource.Position = 0, at
	v, _ := d.resource.Fields.Get("snapshot")
	if n, ok := v.Float(); ok && n > 0 && n < 1<<53 && int(n) >= 0 {
		d.resource.Snapshot = int(n)
	}
	d.stopUnless(d.out.resources(&d.resource, nil))
}

// yieldResources is yieldRecords for resources.
func (d *document) yieldResources(n int, at jsonscan.Position) {
	cs, fields := &d.columns, d.resource.Fields[:0]
	cs.own = cs.own[:0]
	for i := range cs.all {
		c := &cs.all[i]
		if _, overridden := d.last.fields.Get(c.key); !overridden {
			cs.own, fields = append(cs.own, c), append(fields, Field{Key: c.key})
		}
	}
	d.resource.Fields = append(fields, d.last.fields...)
	if d.out.violation != nil {
		d.path = cs.path()
	}

	for row := range n {
		for i, c := range cs.own {
			d.resource.Fields[i].Value = c.values[row]
		}
		if len(cs.all) > 0 {
			at = cs.all[0].places[row]
		}
		if d.yieldResource(at); d.stopped {
			return
		}
	}
}

// ResourcesBySnapshot iterates over the resources in the order of the numbers of their snapshots. If
// they have this order in the file, as resources without a snapshot do, none is held in memory.
// Otherwise, and with InOrder, all are; they come after all errors. To find the order, a profile with
// resource types is read once more. Like Resources, ResourcesBySnapshot can be called several
// times.
func (r *Reader) ResourcesBySnapshot() iter.Seq2[*Resource, error] {
	_, err := r.Header()
	inSnapshots := r.doc.Has(regionSnapshots|regionModels) && !r.doc.Has(regionGlobal|regionResources)
	if err != nil || !r.InOrder && (inSnapshots || r.inSnapshotOrder()) {
		return r.Resources()
	}
	return func(yield func(*Resource, error) bool) {
		var held []*Resource
		for res, err := range r.Resources() {
			if err == nil {
				held = append(held, res.Clone())
			} else if !yield(nil, err) {
				return
			}
		}
		slices.SortStableFunc(held, func(a, b *Resource) int { return a.Snapshot - b.Snapshot })
		for _, res := range held {
			if !yield(res, nil) {
				return
			}
		}
	}
}

// inSnapshotOrder reports whether the resources are in the order of their snapshots.
func (r *Reader) inSnapshotOrder() bool {
	last := 0
	for res, err := range r.Resources() {
		if err == nil && res.Snapshot < last {
			return false
		}
		if err == nil {
			last = res.Snapshot
		}
	}
	return true
}

// A Model describes the amounts of the resources with one uid, as a function or by statistics. A
// postprocessor makes it. A Model belongs to the caller.
type Model struct {
	Fields Fields

	format.Position
}

// Kind returns the kind of the model, such as linear.
func (m *Model) Kind() string { return m.Fields.FlatText("model") }

// UID returns the flattened uid of the resources that the model describes.
func (m *Model) UID() string { return m.Fields.FlatText("uid") }

// RSquare returns the coefficient of determination, which tells how well the model fits, and
// whether the model has one.
func (m *Model) RSquare() (float64, bool) {
	v, _ := m.Fields.Get("r_square")
	return v.Float()
}

// readModel reads the model ahead and yields it.
func (d *document) readModel() {
	s := d.scan
	if d.out.violation != nil {
		d.path = s.Path()
	}
	if s.Kind() != jsonscan.Object {
		d.wrongValue("object")
		return
	}
	m := &Model{Position: s.Position()}
	s.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, 0)
	m.Fields = readFields(s, d.strings.String)
	s.EndRegion()
	if s.Err() == nil {
		d.stopUnless(d.out.models(m, nil))
	}
}
