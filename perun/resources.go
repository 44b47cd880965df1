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
	*grammar
	yield func(*Resource, error) bool
	last  resource // the object or entry that was read last
	out   Resource // that is yielded
}

func (k *resourceSink) wants() objects       { return resourceObjects }
func (k *resourceSink) fault(err error) bool { return k.yield(nil, err) }

// yieldAt yields the resource, whose fields were set.
func (k *resourceSink) yieldAt(at jsonscan.Position) {
	k.out.Snapshot, k.out.Position = snapshotOf(k.out.Fields), at
	if !k.yield(&k.out, nil) {
		k.stop()
	}
}

func (k *resourceSink) object(objects) {
	s := k.scan
	at := s.Position()
	s.BeginRegion("MaxResultBytes", k.limits.MaxResultBytes, 0)
	k.readResource(&k.last, s)
	s.EndRegion()
	switch {
	case s.Err() != nil:
	case k.last.fault != nil:
		k.recoverable(k, k.last.fault)
	default:
		k.out.Fields = k.inherited.appendTo(append(k.out.Fields[:0], k.last.fields...))
		k.yieldAt(at)
	}
}

func (k *resourceSink) entry(c *jsonscan.Scanner) *resource {
	k.readResource(&k.last, c)
	return &k.last
}

func (k *resourceSink) fill(c *column, s *jsonscan.Scanner) { c.readValues(k.grammar, s) }

func (k *resourceSink) rows(cs *columns, n int, at jsonscan.Position) {
	// A field of the entry overrides a column with its key.
	fields := k.out.Fields[:0]
	for i := range cs.all {
		c := &cs.all[i]
		c.slot = -1
		if _, overridden := k.last.fields.Get(c.key); !overridden {
			c.slot = len(fields)
			fields = append(fields, Field{Key: c.key})
		}
	}
	k.out.Fields = append(fields, k.last.fields...)

	for row := range n {
		for i := range cs.all {
			if c := &cs.all[i]; c.slot >= 0 {
				k.out.Fields[c.slot].Value = c.values[row]
			}
		}
		if len(cs.all) > 0 {
			at = cs.all[0].places[row]
		}
		if k.yieldAt(at); k.stopped {
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
	if _, err := r.Header(); err != nil || !r.InOrder && (r.allInSnapshots() || r.inSnapshotOrder()) {
		return r.Resources()
	}
	return r.sortBySnapshot
}

// allInSnapshots reports whether all resources are in the region snapshots, and so in the order
// of the snapshots.
func (r *Reader) allInSnapshots() bool {
	return r.doc.Has(regionSnapshots|regionModels) && !r.doc.Has(regionGlobal|regionResources)
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

// sortBySnapshot yields errors as they come, and then the resources, sorted.
func (r *Reader) sortBySnapshot(yield func(*Resource, error) bool) {
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

// A modelSink is a sink for models.
type modelSink struct {
	*grammar
	yield func(*Model, error) bool
}

func (k *modelSink) wants() objects       { return modelObjects }
func (k *modelSink) fault(err error) bool { return k.yield(nil, err) }

func (k *modelSink) object(objects) {
	s := k.scan
	if s.Kind() != jsonscan.Object {
		k.wrongValue(k, "object")
		return
	}
	m := &Model{Position: s.Position()}
	s.BeginRegion("MaxResultBytes", k.limits.MaxResultBytes, 0)
	m.Fields = readFields(s, k.strings.String)
	s.EndRegion()
	if s.Err() == nil && !k.yield(m, nil) {
		k.stop()
	}
}
