package perun

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Snapshot is the state of the profiled program at one time.
type Snapshot struct {
	Number    int // from 0
	Resources []*Resource
}

// Snapshots iterates over the snapshots by number, from 0 on; those that the profile has no resources of are empty. A
// profile without snapshots has one, if it has resources. In today's layout the resources of a snapshot stand
// anywhere in the file: there, all resources are held in memory. In the layout as specified, those of one snapshot
// are.
//
// Errors come before the snapshot in which they were met. A snapshot belongs to the caller. Snapshots can be called as often as Resources.
func (r *Reader) Snapshots() iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		if _, err := r.Header(); err != nil {
			yield(nil, err)
			return
		}
		if r.standsInSnapshots() {
			r.streamSnapshots(yield)
			return
		}
		byNumber := map[int][]*Resource{}
		last := -1
		for res, err := range r.Resources() {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if res.Snapshot > maxSnapshot {
				if !yield(nil, res.fault(r.Name, numberMessage)) {
					return
				}
				continue
			}
			last = max(last, res.Snapshot)
			byNumber[res.Snapshot] = append(byNumber[res.Snapshot], res.Clone())
		}
		for i := range last + 1 {
			if !yield(&Snapshot{Number: i, Resources: byNumber[i]}, nil) {
				return
			}
		}
	}
}

// standsInSnapshots reports whether all resources stand in the region snapshots, and so in their order.
func (r *Reader) standsInSnapshots() bool {
	return len(r.sections) > 0 && !slices.ContainsFunc(r.sections, func(s section) bool { return s.region&(regionGlobal|regionResources) != 0 })
}

// ResourcesBySnapshot iterates over the resources, and errors, in the order of the numbers of their snapshots. Where they
// have this order in the file, as do resources that name no snapshot, none is held in memory; to know that, a profile with
// resource types is read once more. Else, all resources are held in memory.
func (r *Reader) ResourcesBySnapshot() iter.Seq2[*Resource, error] {
	if _, err := r.Header(); err != nil || r.standsInSnapshots() || !r.InOrder && r.areOrdered() {
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

// fault returns the recoverable error for which a resource is left out.
func (r *Resource) fault(name, message string) error {
	return &format.Error{
		Name: name, Offset: r.Offset, Line: r.Line, Column: r.Column, Message: message, Recoverable: true,
	}
}

// areOrdered reports whether the resources stand in the order of their snapshots.
func (r *Reader) areOrdered() bool {
	last := 0
	for res, err := range r.Resources() {
		if err == nil {
			if res.Snapshot < last {
				return false
			}
			last = res.Snapshot
		}
	}
	return true
}

// maxSnapshot is the largest number that a snapshot can have: more would make many empty ones of little text.
const maxSnapshot = 1 << 24

const numberMessage = "the snapshot's number is above 16777216"

func (r *Reader) streamSnapshots(yield func(*Snapshot, error) bool) {
	next := &Snapshot{}
	for res, err := range r.Resources() {
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		if res.Snapshot > maxSnapshot {
			if !yield(nil, res.fault(r.Name, numberMessage)) {
				return
			}
			continue
		}
		if res.Snapshot < next.Number { // another region follows the snapshots
			if !yield(nil, res.fault(r.Name, fmt.Sprintf("it is of snapshot %d, too late to count when reading in order", res.Snapshot))) {
				return
			}
			continue
		}
		for res.Snapshot > next.Number {
			if !yield(next, nil) {
				return
			}
			next = &Snapshot{Number: next.Number + 1}
		}
		next.Resources = append(next.Resources, res.Clone())
	}
	if len(next.Resources) > 0 {
		yield(next, nil)
	}
}

// readSnapshots reads the region snapshots.
func (r *Reader) readSnapshots(out *output) bool {
	s := r.scan
	if s.Kind() != jsonscan.Array {
		return out.recoverable(s.SkipTypeError("array"))
	}
	number := 0
	for s.EnterArray(); s.Element(); number++ {
		if s.Kind() != jsonscan.Object {
			if !out.recoverable(s.SkipTypeError("object")) {
				return false
			}
			continue
		}
		if !r.readSnapshot(out, number) {
			return false
		}
	}
	return true
}

// readSnapshot reads the object ahead, which has time, resources and models: a snapshot, or the region global, whose
// number is negative.
func (r *Reader) readSnapshot(out *output, number int) bool {
	s := r.scan
	names := &r.snapshotNames
	names.Reset()
	var time Value
	var text string // of it
	hasTime, hasResources := false, false
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if !names.Add(s, name) {
			s.FailRepeated(name)
			break
		}
		switch {
		case string(name) == "time" && hasTime: // it was looked up
			s.Skip()
		case string(name) == "time" && hasResources && r.InOrder:
			e := s.Error(lateMessage)
			if s.Skip() && kind != jsonscan.Null && !out.recoverable(e) {
				return false
			}
		case string(name) == "time":
			time, text = r.readTime(s)
			hasTime = true
		case string(name) == "models" && out.model != nil && kind == jsonscan.Array:
			if !r.readModels(out) {
				return false
			}
		case string(name) != "resources":
			s.Skip()
		case out.model != nil:
			hasResources = true
			s.Skim()
		case kind != jsonscan.Array:
			hasResources = true
			if !out.recoverable(s.SkipTypeError("array")) {
				return false
			}
		default:
			hasResources = true
			if !hasTime && !r.InOrder {
				time, text, hasTime = r.timeAhead()
			}
			r.extras.reset()
			if number >= 0 {
				number := strconv.Itoa(number)
				r.extras.add("snapshot", Value{kind: KindNumber, text: number}, number)
			}
			if hasTime && time.kind != KindNull {
				r.extras.add("time", time, text)
			}
			more := r.readList(out)
			r.extras.reset()
			if !more {
				return false
			}
		}
	}
	if !hasResources && s.Err() == nil && out.model == nil {
		return out.recoverable(s.LeftError("resources is required"))
	}
	return true
}

// readTime reads the time of a snapshot, which is ahead of s, and returns its text too, as it is in flattened resources.
func (r *Reader) readTime(s *jsonscan.Scanner) (time Value, text string) {
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	time = readValue(s, r.str)
	text = r.flatText(s, time)
	s.EndRegion()
	return time, text
}

// timeAhead returns the time of the snapshot whose resources are ahead, if it stands after them.
func (r *Reader) timeAhead() (time Value, text string, ok bool) {
	r.look = r.scan.Cursor(r.look, r.scan.LookAhead())
	c := r.look
	for c.Skim(); ; {
		name, _, ok := c.Member()
		if !ok {
			return Value{}, "", false // of an error, the scanner will know
		}
		if string(name) == "time" {
			time, text = r.readTime(c)
			if e, failed := c.Err().(*format.Error); failed {
				r.scan.Fail(e)
				return Value{}, "", false
			}
			return time, text, true
		}
		c.Skim()
	}
}
