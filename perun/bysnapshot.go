package perun

import (
	"iter"
	"slices"
)

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
