package perun

import (
	"fmt"
	"iter"
)

// A Snapshot is the state of the profiled program at one time.
type Snapshot struct {
	Number    int // from 0
	Resources []*Resource
}

// maxSnapshot is the largest number that a snapshot can have: a larger number would make many
// empty snapshots of little text.
const maxSnapshot = 1 << 24

// Snapshots iterates over the snapshots by number, from 0; a snapshot without resources is empty.
// A profile without snapshots has one, if it has resources. In LayoutTypes, the resources of a
// snapshot can be anywhere in the file, so all resources are held in memory. In LayoutSnapshots,
// the resources of one snapshot are.
//
// An error comes before the snapshot in which it occurred. A snapshot belongs to the caller. Like
// Resources, Snapshots can be called several times.
func (r *Reader) Snapshots() iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		if _, err := r.Header(); err != nil {
			yield(nil, err)
			return
		}
		held := map[int][]*Resource{} // the snapshots from next to last
		next, last := 0, -1
		yieldTo := func(end int) bool {
			for ; next < end; next++ {
				if !yield(&Snapshot{Number: next, Resources: held[next]}, nil) {
					return false
				}
				delete(held, next)
			}
			return true
		}

		inOrder := r.allInSnapshots()
		for res, err := range r.Resources() {
			switch {
			case err != nil:
			case res.Snapshot > maxSnapshot:
				err = res.error(r.Name, fmt.Sprintf("the snapshot's number is above %d", maxSnapshot))
			case res.Snapshot < next: // another region follows the snapshots
				err = res.error(r.Name, fmt.Sprintf("snapshot %d was yielded already", res.Snapshot))
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}

			if inOrder && !yieldTo(res.Snapshot) {
				return
			}
			last = max(last, res.Snapshot)
			held[res.Snapshot] = append(held[res.Snapshot], res.Clone())
		}
		yieldTo(last + 1)
	}
}

// allInSnapshots reports whether all resources are in the region snapshots, and so in the order
// of the snapshots.
func (r *Reader) allInSnapshots() bool {
	return r.doc.Has(regionSnapshots|regionModels) && !r.doc.Has(regionGlobal|regionResources)
}

// ResourcesBySnapshot iterates over the resources, and errors, in the order of the numbers of
// their snapshots. If they have this order in the file, as resources without a snapshot do, none
// is held in memory; otherwise all are. To find the order, a profile with resource types is read
// once more.
func (r *Reader) ResourcesBySnapshot() iter.Seq2[*Resource, error] {
	if _, err := r.Header(); err != nil || r.allInSnapshots() || !r.InOrder && r.inSnapshotOrder() {
		return r.Resources()
	}
	return func(yield func(*Resource, error) bool) {
		for snap, err := range r.Snapshots() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for _, res := range snap.Resources {
				if !yield(res, nil) {
					return
				}
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
